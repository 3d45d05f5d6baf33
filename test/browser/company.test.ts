import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { choose, fill, press, refer, violations, visit } from './steps.ts'

/** The company in Settings: its form, its zone, its logo, and what new forms begin with. */
let stage: BrowserStage
let admin: Admin
let page: Page
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
  page = await stage.enter(admin, { timezoneId: 'Europe/Berlin' })
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

/** Pictures to look at, if a folder for them is named. */
async function picture(of: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await of.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

const stored = async (): Promise<Record<string, unknown>> =>
  (await stage.sql('select * from companies where id = $1', admin.id))[0] ?? {}

test('Every field is saved as one, with the zone of the browser at one press.', async () => {
  await visit(stage, page, '/settings/company')
  expect(await violations(page)).toEqual([])
  await press(page, 'Use Europe/Berlin')
  await refer(page, 'Currency', 'eur', 'Euro (EUR)')
  await fill(page, 'Tax number', 'DE123456789')
  await fill(page, 'Bank', 'Kaibank')
  await choose(page, 'Language of papers', 'German')
  await fill(page, 'City', 'Hamburg')
  await refer(page, 'Country', 'germ', 'Germany (DE)')
  await fill(page, 'Payment terms, days', '14')
  await fill(page, 'Estimates are valid for, days', '30')
  await fill(page, 'Tax, %', '19')
  await fill(page, 'Footer of papers', 'Ada Quay')
  await fill(page, 'IBAN', 'de89 3704 0044 0532 0130 01')
  await press(page, 'Save')
  // The check digits are wrong; nothing is sent.
  await page.getByText('One field needs attention').waitFor()
  expect(await stored()).toMatchObject({ iban: null, time_zone: 'UTC' })
  await picture(page, 'refused')
  await fill(page, 'IBAN', 'de89 3704 0044 0532 0130 00')
  await press(page, 'Save')
  await page.getByText('The company is saved.').waitFor()
  expect(await stored()).toMatchObject({
    ...{ time_zone: 'Europe/Berlin', currency: 'EUR', tax_id: 'DE123456789', bank_name: 'Kaibank' },
    ...{ iban: 'DE89370400440532013000', paper_language: 'de', payment_terms_days: 14, valid_days: 30, tax_pct: '19' },
    ...{ footer: 'Ada Quay', address: expect.objectContaining({ city: 'Hamburg', country: 'DE' }) },
  })
  expect(await page.getByRole('textbox', { name: 'IBAN' }).inputValue()).toBe('DE89 3704 0044 0532 0130 00')
  expect(await page.getByRole('button', { name: /^Use / }).count()).toBe(0)
  await picture(page, 'saved')
})

test('A logo is chosen, looked at, refused above its size, and removed, and what is typed beside it stays.', async () => {
  await fill(page, 'Footer of papers', 'Typed and not saved')
  const picked = (bytes: Buffer, mimeType: string) =>
    page.locator('input[type=file]').setInputFiles({ name: 'logo', mimeType, buffer: bytes })
  await picked(logo, 'image/png')
  await page.getByText('The logo is saved.').waitFor()
  const shown = page.getByRole('img', { name: 'Logo' })
  await shown.waitFor()
  await expect.poll(() => page.evaluate('document.querySelector("img[alt=Logo]").naturalWidth')).toBe(2)
  expect(await violations(page)).toEqual([])
  await picture(page, 'logo')
  await picked(Buffer.from('GIF89a'), 'image/png')
  await page.getByText('must be a picture of the type PNG').waitFor()
  expect(await page.getByRole('textbox', { name: 'Footer of papers' }).inputValue()).toBe('Typed and not saved')
  await press(page, 'Remove the logo')
  await page.getByText('The logo is removed.').waitFor()
  expect(await shown.count()).toBe(0)
  await press(page, 'Cancel')
  expect(await page.getByRole('textbox', { name: 'Footer of papers' }).inputValue()).toBe('Ada Quay')
})

test('A new estimate begins with the tax, today and the last day by the company.', async () => {
  await visit(stage, page, '/estimates/create')
  expect(await page.getByRole('textbox', { name: 'Tax, %' }).inputValue()).toBe('19')
  const [row] = await stage.sql<{ today: string; last: string }>(
    `select to_char(now() at time zone 'Europe/Berlin', 'FMDD Mon YYYY') as today,
      to_char((now() at time zone 'Europe/Berlin') + interval '30 days', 'FMDD Mon YYYY') as last`,
  )
  expect(await page.getByRole('textbox', { name: 'Issued on' }).inputValue()).toBe(row?.today)
  expect(await page.getByRole('textbox', { name: 'Valid until' }).inputValue()).toBe(row?.last)
})

test.each([
  ['German, on a phone, in the dark', { locale: 'de-DE', colorScheme: 'dark', viewport: { width: 390, height: 800 } }],
  ['German, wide, in the light', { locale: 'de-DE', colorScheme: 'light' }],
] as const)('The form has no fault of access in %s.', async (name, options) => {
  const other = await stage.enter(admin, options)
  await visit(stage, other, '/settings/company')
  await other.getByRole('textbox', { name: 'Fußzeile der Papiere' }).waitFor()
  expect(await violations(other)).toEqual([])
  expect(await other.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await picture(other, name)
  await other.context().close()
})

/** A PNG of 2 × 2 red pixels. */
const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
)
