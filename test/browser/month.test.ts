import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { dialogViolations, fill, violations, visit } from './steps.ts'

/** The work of an office from a new client to what he has paid, with its presses counted. */

let stage: BrowserStage
let admin: Admin
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

const looks = [
  { width: 1440, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

const lines = [
  ['Scaffold', '1', '850'],
  ['Take down the stack', '6', '95.5'],
  ['Lead flashing', '4.5', '120'],
  ['Bricks', '400', '1.15'],
  ['Pots', '3', '75'],
  ['Clear away', '1', '300'],
] as const
const total = 85_000 + 57_300 + 54_000 + 46_000 + 22_500 + 30_000
const share = (total * 40) / 100

test.each(looks)(
  '$width wide, $colorScheme: client, project, estimate sent, 40 percent of it invoiced and paid',
  async (look) => {
    const { width, colorScheme } = look
    const isPhone = width < 900
    const page = await stage.enter(admin, { viewport: { width, height: 900 }, colorScheme })
    const name = `Quay ${width}`
    let presses = 0
    const press = async (target: Locator) => {
      presses++
      await target.click()
    }
    const button = (named: string, within: Page | Locator = page) =>
      within.getByRole('button', { name: named, exact: true })
    const link = (named: string | RegExp) => page.getByRole('link', { name: named, exact: true }).first()
    const dialog = () => page.getByRole('dialog')

    await visit(stage, page, '/')
    if (isPhone) await press(button('Menu'))
    await press(link('Clients'))
    await press(link('New client'))
    await fill(page, 'Name', name)
    await press(button('Create'))
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await press(page.getByRole('tab', { name: 'Projects' }))
    await press(page.getByRole('button', { name: 'New project' }).or(link('New project')))
    await fill(page, 'Name', `Chimney ${width}`)
    await press(button('Create'))
    await page.getByRole('heading', { level: 1, name: `Chimney ${width}` }).waitFor()
    await press(page.getByRole('tab', { name: 'Estimates' }))
    await press(page.getByRole('button', { name: 'New estimate' }).or(link('New estimate')))
    await fill(page, 'Title', 'Chimney rebuild')
    await press(button('Add line'))
    for (const [at, [description, quantity, price]] of lines.entries()) {
      const line = page.getByRole('group', { name: `Line ${at + 1}` })
      await fill(line, 'Description', description)
      await fill(line, 'Quantity', quantity)
      await fill(line, 'Unit price', price)
      if (at < lines.length - 1) await page.keyboard.press('Enter')
    }
    // Scrolled to its end on a phone, a field lies half below the bar.
    if (!isPhone) expect(await violations(page)).toEqual([])
    await press(button('Create'))
    await page.getByRole('heading', { level: 1, name: 'Chimney rebuild' }).waitFor()
    await press(button('Mark as sent'))
    expect(await dialogViolations(page)).toEqual([])
    await press(button('Mark as sent', dialog()))
    await page.getByText('Now: Sent').waitFor()
    expect(presses).toBeLessThanOrEqual(14 + (isPhone ? 1 : 0))
    const [estimate] = await stage.sql<{ id: number; total_minor: string }>(
      `select e.id, e.total_minor from estimates e join clients c on c.id = e.client_id where c.name = $1`,
      name,
    )
    expect(Number(estimate?.total_minor)).toBe(total)
    expect(await stage.sql('select sent_by from papers where record_id = $1', estimate?.id)).toEqual([
      { sent_by: 'EMAIL' },
    ])

    await press(button('Accept'))
    await press(button('Accept', dialog()))
    await page.getByText('Now: Accepted').waitFor()
    await press(button('Make invoice'))
    await fill(dialog(), 'Percent of the offer', '40')
    await press(button('Continue', dialog()))
    await press(button('Create'))
    await press(button('Issue'))
    await press(button('Issue', dialog()))
    await page.getByText('Now: Issued').waitFor()
    expect(presses).toBeLessThanOrEqual(22 + (isPhone ? 1 : 0))

    await press(button('Record payment'))
    await press(button('Create'))
    const state = 'select status, paid_minor::int, open_minor::int from invoices where estimate_id = $1'
    await expect
      .poll(() => stage.sql(state, estimate?.id))
      .toEqual([{ status: 'PAID', paid_minor: share, open_minor: 0 }])
    expect(presses).toBeLessThanOrEqual(24 + (isPhone ? 1 : 0))
    await page.context().close()
  },
)
