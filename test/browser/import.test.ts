import { readFile } from 'node:fs/promises'
import { type Cell, writeXlsx } from 'hucre/xlsx'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { permissions } from '#registry/permissions.ts'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { dialogViolations, press, violations, visit } from './steps.ts'

let stage: BrowserStage
let admin: Admin
let page: Page
beforeAll(async () => {
  stage = await openBrowserStage()
})
beforeEach(async () => {
  admin = await stage.admin()
  page = await stage.enter(admin)
})
afterEach(async () => {
  expect(stage.quiet()).toEqual([])
  await page.context().close()
})
afterAll(() => stage.close())

const choose = async (name: string, content: string | Uint8Array, encoding: BufferEncoding = 'utf8'): Promise<void> => {
  const buffer = typeof content === 'string' ? Buffer.from(content, encoding) : Buffer.from(content)
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer })
}
const look = async (): Promise<void> => {
  await press(page, 'Look at every row')
  await page.getByRole('list', { name: 'Difference' }).waitFor()
}
const names = async (): Promise<string[]> => {
  const rows = await stage.sql<{ name: string }>(
    'select name from clients where company_id = $1 and deleted_at is null order by id',
    admin.id,
  )
  return rows.map(({ name }) => name)
}
const many = (count: number): string =>
  `Nummer;Firma\n${Array.from({ length: count }, (_, n) => `N-${n};Firma ${n}\n`).join('')}`

test('A file goes through its four steps: its columns are known, each row is shown, what was shown is written, and taken back', async () => {
  await admin.record('clients', { name: 'Old name', external_ref: 'K-1' })
  await admin.record('clients', { name: 'As it is', external_ref: 'K-2', credit_limit_minor: 9950 })
  await visit(stage, page, '/clients')
  await page.getByRole('link', { name: 'Import CSV' }).click()
  await page.getByRole('heading', { name: 'Import clients' }).waitFor()
  const text =
    'Kundennummer;Firma;Status;Kreditlimit\nK-1;Müller;;\nK-2;As it is;Aktiv;99,50\nK-3;Köln;Interessent;"1.234,56"\nK-4;Bad;Ruht;=cmd\n'
  await choose('kunden.csv', text, 'latin1')
  const candidates = page.getByRole('list', { name: 'In which encoding are these cells right?' })
  expect(await candidates.innerText()).toMatch(/^Müller · Köln\s+Windows-1252, Western Europe/)
  expect(await violations(page)).toEqual([])
  await press(page, 'This is right: Windows-1252, Western Europe')
  await page.getByText('4 rows').waitFor()
  expect(await page.getByRole('combobox', { name: 'Field for Kundennummer' }).innerText()).toBe('External reference')
  expect(await page.getByRole('combobox', { name: 'Encoding' }).innerText()).toBe('Windows-1252, Western Europe')
  expect(await page.getByRole('combobox', { name: 'Numbers' }).innerText()).toBe('1.234,56')
  expect(await violations(page)).toEqual([])

  await look()
  const rows = page.getByRole('list', { name: 'Difference' })
  expect(await rows.innerText()).toMatch(
    /Refused\s+Bad\s+line 5\s+Status cannot be read at "Ruht": must be one of .*\(says “Ruht”\)[\s\S]*Kreditlimit cannot be read at "=cmd": must be a number .*\(says “=cmd”\)/,
  )
  await press(page, 'All 4')
  expect(await rows.innerText()).toMatch(/Change\s+Müller\s+line 2\s+Name: Old name → Müller/)
  expect(await rows.innerText()).toMatch(/Unchanged\s+As it is/)
  expect(await rows.innerText()).toMatch(/New\s+Köln\s+line 4\s+Name: Köln\s+Status:\s+Prospect/)
  expect(await violations(page)).toEqual([])
  expect(await names()).toEqual(['Old name', 'As it is'])

  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download the refused rows')])
  expect(await readFile(await download.path(), 'utf8')).toContain("K-4,Bad,Ruht,'=cmd,")

  await press(page, 'Write 2 rows')
  await page.getByText('Done: 1 new, 1 changed.').waitFor()
  expect(await names()).toEqual(['Müller', 'As it is', 'Köln'])
  expect(await violations(page)).toEqual([])
  await press(page, 'Take the whole import back')
  await page.getByText('The whole import was taken back.').waitFor()
  expect(await names()).toEqual(['Old name', 'As it is'])
})

test('Titles and totals are left out, the header can be another row, and the very same file is asked about', async () => {
  await visit(stage, page, '/import/clients')
  const text = 'Customers of the yard;\nName;City\nKeel;Hull\n;\nPage 1 of 1;\n'
  await choose('titles.csv', text)
  await page.getByText('1 row', { exact: false }).first().waitFor()
  const header = page.getByRole('combobox', { name: 'Names of the columns' })
  expect(await header.innerText()).toBe('line 2: Name · City')
  expect(await page.getByText('2 rows are no records').locator('+ ul').innerText()).toMatch(
    /line 1: Customers of the yard\s+line 5: Page 1 of 1/,
  )
  await header.click()
  await page.getByRole('option', { name: 'line 3: Keel · Hull' }).click()
  await page.getByText('The file has no rows.').waitFor()
  await choose('titles.csv', text)
  await look()
  await press(page, 'Write 1 row')
  await page.getByText('Done: 1 new, 0 changed.').waitFor()

  await visit(stage, page, '/import/clients')
  await choose('titles.csv', text)
  await page.getByText(/^This very file was imported on .+ by .+: 1 record\.$/).waitFor()
  await look()
  await press(page, 'Write 1 row')
  const dialog = page.getByRole('dialog', { name: 'Import the same file again?' })
  await dialog.waitFor()
  expect(await dialogViolations(page)).toEqual([])
  await press(dialog, 'Cancel')
  expect(await names()).toEqual(['Keel'])
  await press(page, 'Write 1 row')
  await press(dialog, 'Import again')
  await page.getByText('Done: 1 new, 0 changed.').waitFor()
  expect(await names()).toEqual(['Keel', 'Keel'])
})

test('Doubles are counted and marked, lead to the other record, and are written all the same', async () => {
  const id = await admin.record('clients', { name: 'Müller Bau', phone: '+49 221 555010' })
  await visit(stage, page, '/import/clients')
  await choose('doubles.csv', 'Name;Phone\nmüller bau;\nNew;0221/555 010\nnew;\nAlone;0221 777010\n')
  await look()
  await press(page, 'Doubles 3')
  const rows = page.getByRole('list', { name: 'Difference' })
  const text = await rows.innerText()
  expect(text).toMatch(/müller bau\s+line 2\s+Double\?[\s\S]*Name also of Müller Bau/)
  expect(text).toMatch(/New\s+line 3\s+Double\?[\s\S]*Phone also of Müller Bau/)
  expect(text).toMatch(/new\s+line 4\s+Double\?[\s\S]*Name also of New \(line 3\)/)
  expect(text).not.toContain('Alone')
  const link = rows.getByRole('link', { name: 'Müller Bau' }).first()
  expect(await link.getAttribute('href')).toContain(`/clients/${id}/show`)
  expect(await violations(page)).toEqual([])
  await press(page, 'Write 4 rows')
  await page.getByText('Done: 4 new, 0 changed.').waitFor()
})

test('A workbook is read by its types, and another of its sheets can be chosen', async () => {
  await visit(stage, page, '/import/clients')
  const credit: [string, Partial<Cell>] = ['1,1', { value: 1234.5, type: 'number', style: { numFmt: '#,##0.00' } }]
  const sheets = [
    { name: 'Old', rows: [['Name'], ['Gone']] },
    { name: 'New', rows: [['Name', 'Credit limit'], ['Keel']], cells: new Map([credit]) },
  ]
  await choose('clients.xlsx', await writeXlsx({ sheets }))
  const sheet = page.getByRole('combobox', { name: 'Sheet' })
  expect(await sheet.innerText()).toBe('Old')
  expect(await page.getByRole('combobox', { name: 'Encoding' }).count()).toBe(0)
  await sheet.click()
  await page.getByRole('option', { name: 'New' }).click()
  await page.getByRole('combobox', { name: 'Field for Credit limit' }).waitFor()
  await look()
  expect(await page.getByRole('list', { name: 'Difference' }).innerText()).toContain('1,234.50')
  await press(page, 'Write 1 row')
  await page.getByText('Done: 1 new, 0 changed.').waitFor()
  expect(await names()).toEqual(['Keel'])
})

test('What has changed since it was shown is shown again, and written on a yes alone', async () => {
  const id = await admin.record('clients', { name: 'Quay', external_ref: 'Q-1' })
  await visit(stage, page, '/import/clients')
  await choose('a.csv', 'Ref,Name\nQ-1,Quay Trust\n')
  await look()
  await admin.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Meanwhile' } })
  await press(page, 'Write 1 row')
  const dialog = page.getByRole('dialog', { name: 'These rows would do something else by now' })
  await dialog.waitFor()
  expect(await dialog.innerText()).toContain('Meanwhile → Quay Trust')
  expect(await dialogViolations(page)).toEqual([])
  await press(dialog, 'Stop')
  await page.getByText(/^Stopped behind row 0 of 1/).waitFor()
  expect(await names()).toEqual(['Meanwhile'])
  await press(page, 'Go on')
  await press(dialog, 'Write them so')
  await page.getByText('Done: 0 new, 1 changed.').waitFor()
  expect(await names()).toEqual(['Quay Trust'])
})

test('Stopped in the middle, it goes on when the page was closed and the same file is chosen again', async () => {
  await visit(stage, page, '/import/clients')
  // The first batch is not sent before it is stopped.
  let batches = 0
  await page.route('**/batches', async (route) => {
    batches += 1
    if (batches === 1) await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await route.continue()
  })
  await choose('many.csv', many(520))
  await look()
  await press(page, 'Write 520 rows')
  await page.getByText(/^Stopped behind row 500 of 520/).waitFor()
  expect(await names()).toHaveLength(500)

  await page.context().close()
  page = await stage.enter(admin)
  await visit(stage, page, '/import/clients')
  await page.getByText('stopped behind row 500 of 520', { exact: false }).waitFor()
  await choose('many.csv', many(520))
  await page.getByText('The first 500 of its 520 rows are settled.', { exact: false }).waitFor()
  await look()
  await press(page, 'Write 20 rows')
  await page.getByText('Done: 20 new, 0 changed.').waitFor()
  expect(new Set(await names()).size).toBe(520)
  await press(page, 'Take the whole import back')
  await page.getByText('The whole import was taken back.').waitFor()
  expect(await names()).toEqual([])
})

test('An answer that is lost is heard again, and nothing is written twice', async () => {
  await visit(stage, page, '/import/clients')
  let isLost = false
  await page.route('**/batches', async (route) => {
    if (isLost) return route.continue()
    isLost = true
    await route.fetch()
    await route.abort()
  })
  await choose('a.csv', 'Name\nOnce\nTwice\n')
  await look()
  await press(page, 'Write 2 rows')
  await page.getByText('The service cannot be reached.', { exact: false }).waitFor()
  await press(page, 'Go on')
  await page.getByText('Done: 2 new, 0 changed.').waitFor()
  expect(await names()).toEqual(['Once', 'Twice'])
  stage.quiet()

  // In the history of one of them it is asked first, because it takes back the other, too.
  const [once] = await stage.sql<{ id: number }>(
    "select id from clients where name = 'Once' and company_id = $1",
    admin.id,
  )
  await visit(stage, page, `/clients/${once?.id}/show`)
  await page.getByRole('tab', { name: 'History' }).click()
  await press(page, 'Undo')
  const dialog = page.getByRole('dialog', { name: 'Take all of it back?' })
  await dialog.getByText('2 records are taken back', { exact: false }).waitFor()
  expect(await dialogViolations(page)).toEqual([])
  await press(dialog, 'Undo')
  await expect.poll(names).toEqual([])
})

test('A file that cannot be imported says why', async () => {
  const bad: [name: string, text: string, sentence: string][] = [
    ['a.xlsx', 'PK\u0003\u0004\0', 'This packed file cannot be read as a workbook'],
    ['a.csv', 'Name\n\0\n', 'Line 2 has a NUL byte'],
    ['a.csv', 'Name\n"x\n', 'A quotation mark is opened and never closed'],
    ['a.csv', '', 'The file has no rows.'],
  ]
  await visit(stage, page, '/import/clients')
  for (const [name, text, sentence] of bad) {
    await choose(name, text)
    await page.getByRole('alert').getByText(sentence, { exact: false }).waitFor()
  }
})

test('On a phone, in German and in the dark nothing is wider than the screen, and axe finds nothing', async () => {
  await page.context().close()
  page = await stage.enter(admin, {
    colorScheme: 'dark',
    viewport: { width: 390, height: 844 },
    locale: 'de-DE',
    reducedMotion: 'reduce',
  })
  await visit(stage, page, '/import/clients')
  const isWell = async (): Promise<void> => {
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0)
  }
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  await choose('alt.csv', `Firma;Ort\n${'Müller'.repeat(20)};Köln\n`, 'latin1')
  await page.getByText('In welcher Kodierung sind diese Zellen richtig?').first().waitFor()
  await isWell()
  await choose(
    'kunden.csv',
    `Kundenliste ${'z'.repeat(90)};;\nFirma;Bemerkung;Status\n${'x'.repeat(150)};${'y'.repeat(300)};Aktiv\nB;;Ruht\n`,
  )
  await page.getByRole('button', { name: 'Jede Zeile ansehen' }).waitFor()
  await isWell()
  await press(page, 'Jede Zeile ansehen')
  await page.getByText('ist keiner der Werte').first().waitFor()
  await press(page, 'Alle 2')
  await isWell()
})

test('Columns of fields that somebody does not see are named, and left out', async () => {
  const clerk = await stage.colleague(
    admin,
    permissions.filter((one) => one !== 'MONEY_VIEW'),
  )
  await page.context().close()
  page = await stage.enter(clerk)
  await visit(stage, page, '/import/clients')
  await choose('kunden.csv', 'Firma;Kreditlimit;Notiz\nKöln;99,50;\n')
  await page.getByText('Your account does not see these fields, so their columns are left out: Kreditlimit.').waitFor()
  expect(await page.getByRole('combobox', { name: 'Field for Kreditlimit' }).innerText()).not.toContain('Credit')
  expect(await violations(page)).toEqual([])
  await look()
  await press(page, 'Write 1 row')
  await page.getByRole('button', { name: 'Take the whole import back' }).waitFor()
  expect(await names()).toEqual(['Köln'])
  await page.context().close()
  page = await stage.enter(admin)
  await visit(stage, page, '/import/clients')
  await choose('kunden.csv', 'Firma;Kreditlimit\nKöln;99,50\n')
  await page.getByRole('combobox', { name: 'Field for Kreditlimit' }).waitFor()
  expect(await page.getByText('Your account does not see these fields').count()).toBe(0)
})

test('Somebody who may not create there is offered no import', async () => {
  const clerk = await stage.colleague(admin, ['CLIENTS_VIEW'])
  await page.context().close()
  page = await stage.enter(clerk)
  await visit(stage, page, '/clients')
  expect(await page.getByRole('link', { name: 'Import CSV' }).count()).toBe(0)
  await visit(stage, page, '/import/clients')
  await page.getByRole('heading', { name: 'Your account may not see this.' }).waitFor()
})

test('A messy list of 60 clients: words are decided once, cells that do not fit are left empty, and refused ones are mended before and after', async () => {
  await visit(stage, page, '/import/clients')
  await choose('messy.csv', await readFile(new URL('../values/files/messy-clients.csv', import.meta.url)))
  await page.getByText('60 rows').waitFor()
  await chooseOption('Numbers', '1.234,56')
  await chooseOption('A row is about the record with the same', 'External reference')
  await look()
  const reasons = page.getByRole('list', { name: 'Cells that do not fit' })
  expect(await reasons.innerText()).toMatch(/\d+ rows: E-Mail .*\(says “/)
  expect(await violations(page)).toEqual([])
  expect(await isWithin()).toBe(true)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await isWithin()).toBe(true)
  expect(await violations(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 900 })

  for (const word of ['Stammkunde', 'Behörde', 'Neukunde']) await decide(`Category for “${word}”`, `New: ${word}`)
  await decide('Category for “n/a”', 'Leave empty')
  for (const word of ['Ruht', 'alt']) await decide(`Status for “${word}”`, 'Inactive')
  await page.getByRole('checkbox', { name: /^Leave \d+ cells empty that do not fit$/ }).check()
  await page.getByRole('list', { name: 'Difference' }).waitFor()
  const writing = page.getByRole('button', { name: /^Write \d+ rows$/ })
  await writing.waitFor()
  const count = Number((await writing.innerText()).match(/\d+/)?.[0])
  expect(count).toBeGreaterThanOrEqual(50)

  await mend('Firma, line 21', 'Mended before')
  await page.getByRole('button', { name: `Write ${count + 1} rows` }).click()
  await page.getByText(`Done: ${count + 1} new, 0 changed.`).waitFor()
  expect(await names()).toContain('Mended before')
  expect(await violations(page)).toEqual([])
  const categories = await stage.sql<{ name: string }>(
    'select name from categories where company_id = $1 and deleted_at is null order by name',
    admin.id,
  )
  expect(categories.map(({ name }) => name)).toEqual(expect.arrayContaining(['Behörde', 'Neukunde', 'Stammkunde']))

  await page.getByRole('button', { name: /^Mend \d+ refused rows$/ }).click()
  await mend('Firma, line 45', 'Mended after')
  await press(page, 'Write 1 row')
  await page.getByText(`Done: ${count + 2} new, 0 changed.`).waitFor()
  expect(await names()).toContain('Mended after')
  await press(page, 'Take the whole import back')
  await page.getByText('The whole import was taken back.').waitFor()
  expect(await names()).toEqual([])
})

const chooseOption = async (label: string, option: string): Promise<void> => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
/** Decides about a word; all rows with problems are looked at again. */
const decide = async (label: string, option: string): Promise<void> => {
  await chooseOption(label, option)
  await page
    .getByRole('combobox', { name: label })
    .and(page.getByText(option, { exact: true }))
    .waitFor()
}
const mend = async (label: string, text: string): Promise<void> => {
  const input = page.getByRole('textbox', { name: label })
  await input.fill(text)
  await input.press('Enter')
  await input.waitFor({ state: 'detached' })
}
const isWithin = (): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')
