import { readFile } from 'node:fs/promises'
import type { Download, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { monthsUpTo } from '#derive/books.ts'
import { dayMilliseconds } from '#derive/moment.ts'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { choose, dialogViolations, fill, violations, visit } from './steps.ts'

/** What clients owe, what they pay, and the month for the bookkeeper. Each job counts its presses. */

let stage: BrowserStage
let admin: Admin
let ids: { quay: number; first: number }
const today = new Date().toISOString().slice(0, 10)
const day = (offset: number) => new Date(Date.parse(today) + offset * dayMilliseconds).toISOString().slice(0, 10)
const format = (value: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(value))
const [, lastMonth] = monthsUpTo(today, 2) as [unknown, { from: string; to: string }]
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
  const [quay, mole] = [
    await admin.record('clients', { name: 'Quay Trust' }),
    await admin.record('clients', { name: 'Mole Ltd' }),
  ]
  const issue = (client_id: number, due: number, minor: number, number: string) =>
    admin.record('invoices', {
      ...{ client_id, number, status: 'ISSUED', issued_on: lastMonth.from, due_on: day(due) },
      lines: [{ description: 'Wall', quantity: 1, unit_price_minor: minor }],
    })
  const first = await issue(quay, -40, 100_000, 'A-1')
  await issue(quay, 3, 20_000, 'A-2')
  await issue(mole, 20, 5_000, 'A-3')
  ids = { quay, first }
})
afterAll(() => stage.close())

/** Returns a function that presses, and one that tells how often. */
function counter() {
  let count = 0
  const press = async (target: Locator) => {
    count++
    await target.click()
  }
  return { press, told: () => count }
}

const panel = (page: Page, title = 'Invoices: what is open') => page.getByRole('region', { name: title })

const looks = [
  { width: 1440, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

describe.each(looks)('$width wide, $colorScheme', ({ width, colorScheme }) => {
  test('Home says at a glance who owes how much and how late it is', async () => {
    const page = await stage.enter(admin, { viewport: { width, height: 844 }, colorScheme })
    await visit(stage, page, '/')
    const owed = panel(page)
    await owed.getByRole('link', { name: /\$1,250\.00\s*Open\s*3 records/ }).waitFor()
    await owed.getByRole('link', { name: /\$1,000\.00\s*Overdue\s*1 record/ }).waitFor()
    await owed.getByRole('link', { name: /\$200\.00\s*Due within 7 days\s*1 record/ }).waitFor()
    await owed.getByRole('link', { name: /\$1,000\.00\s*31–60 days late\s*1 record/ }).waitFor()
    await owed.getByText('Quay Trust').first().waitFor()
    expect(await violations(page)).toEqual([])
    await owed.getByRole('link', { name: /Overdue/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor()
    await page.getByRole('link', { name: 'A-1', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'A-2', exact: true }).count()).toBe(0)
    await page.getByText('Total of 1 record').waitFor()
    expect(await violations(page)).toEqual([])
    await page.context().close()
  })
})

test('The list of invoices adds up all that its filter shows', async () => {
  const page = await stage.enter(admin)
  await visit(stage, page, '/invoices')
  const total = page.getByRole('row', { name: /^Total of 3 records/ })
  await total.waitFor()
  expect(await total.innerText()).toMatch(/\$1,250\.00\s+\$1,250\.00/)
  await page.context().close()
})

test('The page of a client says what he owes', async () => {
  const page = await stage.enter(admin)
  await visit(stage, page, `/clients/${ids.quay}/show`)
  await panel(page)
    .getByRole('link', { name: /\$1,200\.00\s*Open\s*2 records/ })
    .waitFor()
  await page.context().close()
})

test('In German Home says it in German', async () => {
  const page = await stage.enter(admin, { locale: 'de-DE' })
  await visit(stage, page, '/')
  await panel(page, 'Rechnungen: was offen ist')
    .getByRole('link', { name: /1\.000,00\s\$\s*31–60 Tage überfällig\s*1 Datensatz/ })
    .waitFor()
  await page.context().close()
})

test('A part payment is recorded from Home with 4 presses at most', async () => {
  const page = await stage.enter(admin)
  const { press, told } = counter()
  await visit(stage, page, '/')
  await press(panel(page).getByRole('link', { name: 'A-1', exact: true }))
  await press(page.getByRole('button', { name: 'Record payment' }))
  await fill(page, 'Amount', '250')
  await press(page.getByRole('button', { name: 'Create', exact: true }))
  await expect
    .poll(async () => (await stage.sql('select open_minor from invoices where id = $1', ids.first))[0])
    .toEqual({ open_minor: 75_000 })
  expect(told()).toBeLessThanOrEqual(4)
  await page.context().close()
})

test('The form of a payment says what stays open, and begins with today and the method used last', async () => {
  const page = await stage.enter(admin)
  for (const [number, method] of [
    ['A-2', ''],
    ['A-3', 'Card'],
  ] as const) {
    await visit(stage, page, '/invoices')
    await page.getByRole('link', { name: number, exact: true }).click()
    await page.getByRole('button', { name: 'Record payment' }).click()
    const chosen = page.getByRole('combobox', { name: 'Method' })
    // An empty one has a blank without width.
    await expect.poll(async () => (await chosen.innerText()).replace('\u200b', '')).toBe(method)
    if (method === '') {
      await page.getByText('$200.00 is open; $0.00 stays open.').waitFor()
      await fill(page, 'Amount', '50')
      await page.getByText('$200.00 is open; $150.00 stays open.').waitFor()
      await fill(page, 'Amount', '201')
      await page.getByText('$200.00 is open; this is $1.00 more.').waitFor()
      await fill(page, 'Amount', '50')
      await choose(page, 'Method', 'Card')
    }
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: format(today) }).waitFor()
  }
  const paid = await stage.sql('select amount_minor, method, paid_on::text from payments order by id desc limit 2')
  expect(paid).toEqual([
    { amount_minor: 5000, method: 'CARD', paid_on: today },
    { amount_minor: 5000, method: 'CARD', paid_on: today },
  ])
  await page.context().close()
})

test('A month for the bookkeeper is two files with 3 presses at most', async () => {
  const page = await stage.enter(admin)
  const { press, told } = counter()
  await visit(stage, page, '/invoices')
  const files: Download[] = []
  page.on('download', (file) => files.push(file))
  await press(page.getByRole('button', { name: 'For the bookkeeper' }))
  expect(await dialogViolations(page)).toEqual([])
  await press(page.getByRole('dialog').getByRole('button', { name: 'Download both' }))
  await expect.poll(() => files.length).toBe(2)
  const texts = await Promise.all(files.map(async (file) => readFile(await file.path(), 'utf8')))
  const [invoices = '', payments = ''] = texts.toSorted()
  expect(invoices.split('\r\n')).toHaveLength(5)
  expect(payments).toMatch(/^\ufeffpaid_on,invoice,client,/)
  expect(told()).toBeLessThanOrEqual(3)
  await page.context().close()
})
