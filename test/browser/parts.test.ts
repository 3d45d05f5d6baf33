import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { dialogViolations, fill, press, refer, violations, visit } from './steps.ts'

/** An offer is billed in parts, and a discount is typed as a percentage or as an amount. */

let stage: BrowserStage
let admin: Admin
let page: Page
let client: number
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
  client = await admin.record('clients', { name: 'Quay Trust' })
  page = await stage.enter(admin)
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

const wall = { description: 'Wall', quantity: 2, unit: 'm2', unit_price_minor: 50_000 }
const coping = { description: 'Coping', quantity: 1, unit: null, unit_price_minor: 20_000 }
const priced = { lines: [wall, coping], discount_minor: 12_000, tax_pct: 20 }

const accepted = (more: object = {}): Promise<number> =>
  admin.record('estimates', { title: 'Chimney', client_id: client, status: 'ACCEPTED', ...priced, ...more })

const lastInvoice = async () =>
  (
    await stage.sql<{ lines: { description: string; unit_price_minor: number; quantity: number }[] }>(
      `select estimate_id, client_id, lines, discount_pct, discount_minor::int, tax_pct::float, subtotal_minor::int
       from invoices where company_id = $1 order by id desc limit 1`,
      admin.id,
    )
  )[0]

const dialog = () => page.getByRole('dialog', { name: 'Make invoice' })
const part = (name: string) => dialog().getByRole('radio', { name, exact: true })
const created = () =>
  page
    .getByText(/was created\./)
    .first()
    .waitFor()

/** Counts the presses of a button, a tab or an option while something is done. */
async function countPresses(doing: () => Promise<void>): Promise<number> {
  await page.evaluate(`window.presses = 0; addEventListener('click', ({ isTrusted }) => isTrusted && presses++, true)`)
  await doing()
  return (await page.evaluate('presses')) as number
}

describe('An accepted estimate is invoiced in parts', () => {
  test('40 % of it takes three presses, as one line with its tax and no discount', async () => {
    const id = await accepted()
    await visit(stage, page, `/estimates/${id}/show`)
    const presses = await countPresses(async () => {
      await press(page, 'Make invoice')
      await dialog().getByText('$1,080.00').first().waitFor()
      await fill(dialog(), 'Percent of the offer', '40')
      await dialog().getByText('$432.00 before tax').waitFor()
      expect(await dialogViolations(page)).toEqual([])
      await press(dialog(), 'Continue')
      await press(page, 'Create')
      await created()
    })
    expect(presses).toBeLessThanOrEqual(4)
    expect(await lastInvoice()).toMatchObject({
      estimate_id: id,
      client_id: client,
      lines: [{ description: '40 % of EST-000001, Chimney', quantity: 1, unit_price_minor: 43_200 }],
      discount_minor: 0,
      tax_pct: 20,
    })
  })

  test('then an amount up to what is left, then the rest, and then it shows the invoices', async () => {
    const id = await accepted({ title: 'Gable' })
    await visit(stage, page, `/estimates/${id}/show`)
    const make = async (fields: () => Promise<void>) => {
      await press(page, 'Make invoice')
      await part('Percent').waitFor()
      await fields()
      await press(dialog(), 'Continue')
      await press(page, 'Create')
      await created()
      await visit(stage, page, `/estimates/${id}/show`)
    }
    await make(async () => {
      await part('Amount').check()
      await fill(dialog(), 'Amount before tax', '1080.01')
      await press(dialog(), 'Continue')
      await dialog().getByText('That is more than what is left, $1,080.00.').waitFor()
      await fill(dialog(), 'Amount before tax', '500')
    })
    expect((await lastInvoice())?.lines).toMatchObject([
      { description: 'Part of EST-000002, Gable', unit_price_minor: 50_000 },
    ])
    await make(() => part('The rest').check())
    expect((await lastInvoice())?.lines).toMatchObject([
      { description: 'The rest of EST-000002, Gable', unit_price_minor: 58_000 },
    ])
    await press(page, 'Make invoice')
    await dialog().getByText('Nothing is left of it.').waitFor()
    expect(await dialog().getByRole('link').allInnerTexts()).toEqual(['INV-000002', 'INV-000003'])
    expect(await dialogViolations(page)).toEqual([])
    await press(dialog(), 'Close')
  })

  test('some of its lines have their share of a discount in money; the percentage outside its bounds is named', async () => {
    const id = await accepted()
    await visit(stage, page, `/estimates/${id}/show`)
    await press(page, 'Make invoice')
    await fill(dialog(), 'Percent of the offer', '100.5')
    await press(dialog(), 'Continue')
    await dialog()
      .getByText(/must be a number from 0.01 to 100/)
      .waitFor()
    await part('Lines').check()
    await dialog().getByRole('checkbox', { name: 'Wall' }).check()
    await fill(dialog(), 'Quantity', '1')
    expect(await dialogViolations(page)).toEqual([])
    await press(dialog(), 'Continue')
    await press(page, 'Create')
    await created()
    expect(await lastInvoice()).toMatchObject({
      lines: [{ description: 'Wall', quantity: 1 }],
      discount_minor: 5000,
      subtotal_minor: 50_000,
    })
  })

  test('also from the tab of its invoices, in whole', async () => {
    const id = await accepted({ discount_pct: 10 })
    await visit(stage, page, `/estimates/${id}/show`)
    await page.getByRole('tab', { name: 'Invoices' }).click()
    await press(page, 'New invoice')
    await part('All').check()
    await press(dialog(), 'Continue')
    await press(page.getByRole('dialog'), 'Create')
    await created()
    expect(await lastInvoice()).toMatchObject({
      estimate_id: id,
      lines: [wall, coping],
      discount_pct: '10',
      discount_minor: 12_000,
    })
  })

  test('chosen in a form, it fills what nobody has touched', async () => {
    const id = await accepted({ title: 'Parapet' })
    await visit(stage, page, '/invoices/create')
    await fill(page, 'Tax, %', '7')
    await refer(page, 'Estimate', 'parapet', 'Parapet')
    await fill(dialog(), 'Percent of the offer', '50')
    await press(dialog(), 'Continue')
    await page.getByRole('group', { name: 'Line 1' }).waitFor()
    await press(page, 'Create')
    await created()
    expect(await lastInvoice()).toMatchObject({
      estimate_id: id,
      client_id: client,
      tax_pct: 7,
      subtotal_minor: 54_000,
    })
  })
})

describe('A discount', () => {
  test('is typed as a percentage or as an amount, in one place', async () => {
    const id = await admin.record('estimates', { title: 'Wall', lines: [wall], discount_pct: 10 })
    await visit(stage, page, `/estimates/${id}`)
    const group = page.getByRole('group', { name: 'Discount' })
    expect(await page.getByRole('textbox', { name: 'Discount, %' }).inputValue()).toBe('10')
    await group.getByRole('button', { name: 'USD' }).click()
    const amount = page.getByRole('textbox', { name: 'Discount', exact: true })
    expect(await amount.inputValue()).toBe('100.00')
    await amount.fill('1000.01')
    expect(await violations(page)).toEqual([])
    await press(page, 'Save')
    await page.getByRole('button', { name: 'Discount', exact: true }).waitFor()
    await amount.fill('150')
    await press(page, 'Save')
    await page.getByText('Saved.').waitFor()
    const [row] = await stage.sql('select discount_pct, discount_minor::int from estimates where id = $1', id)
    expect(row).toEqual({ discount_pct: null, discount_minor: 15_000 })

    await visit(stage, page, `/estimates/${id}`)
    await group.getByRole('button', { name: '%' }).click()
    await fill(page, 'Discount, %', '2.5')
    await press(page, 'Save')
    await page.getByText('Saved.').waitFor()
    const [again] = await stage.sql('select discount_pct, discount_minor::int from estimates where id = $1', id)
    expect(again).toEqual({ discount_pct: '2.5', discount_minor: 2500 })
  })
})
