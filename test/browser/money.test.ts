import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { permissions } from '#registry/permissions.ts'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { violations, visit } from './steps.ts'

let stage: BrowserStage
let admin: Admin
let page: Page
let project: number
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
  project = await admin.record('projects', { name: 'Quay wall', contract_minor: 500_000, budget_minor: 20_000 })
  const worker_id = await admin.record('workers', { name: 'Grace', hourly_cost_minor: 3333 })
  const entry = { worker_id, project_id: project, worked_on: '2026-03-02' }
  await admin.record('time_entries', { ...entry, hours: 7.5, status: 'APPROVED' })
  await admin.record('time_entries', { ...entry, hours: 2.25 })
  page = await stage.enter(admin)
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

const money = (of: Page, name = 'Money') => of.getByRole('region', { name, exact: true })

test('The page of a project shows its amounts, its sums and its margin, and each sum leads to the records that it adds.', async () => {
  await visit(stage, page, `/projects/${project}/show`)
  await money(page).getByText('Hours to approve').waitFor()
  const text = (await money(page).innerText()).replaceAll('−', '-')
  for (const shown of ['Contract value', '$5,000.00', 'Budget', '$200.00', 'Labour', '$249.98', '2.25', '-$249.98'])
    expect(text).toContain(shown)
  expect(await violations(page)).toEqual([])
  await money(page)
    .getByRole('link', { name: /Labour/ })
    .click()
  await page.locator('tbody').getByRole('cell', { name: '7.5' }).waitFor()
  expect(await page.locator('tbody').getByRole('row').count()).toBe(1)
})

test('It is shown in German, on a phone and in the dark, and a figure of what somebody may not see is absent.', async () => {
  const without = permissions.filter((one) => one !== 'PAY_VIEW' && one !== 'MONEY_VIEW')
  const foreman = await stage.colleague(admin, without, 'foreman@example.com')
  const dark = await stage.enter(foreman, {
    locale: 'de-DE',
    viewport: { width: 390, height: 800 },
    colorScheme: 'dark',
  })
  await visit(stage, dark, `/projects/${project}/show`)
  await money(dark, 'Geld').getByText('Freizugebende Stunden').waitFor()
  const text = await money(dark, 'Geld').innerText()
  for (const hidden of ['Löhne', 'Budget', 'Überschuss', 'Nachunternehmer']) expect(text).not.toContain(hidden)
  expect(await violations(dark)).toEqual([])
})

test('Home names the project that loses money, and leads to it.', async () => {
  await visit(stage, page, '/')
  const losing = page.getByRole('region', { name: /Projects that lose money/ })
  await losing.getByText(/\$49\.98 above budget/).waitFor()
  expect(await violations(page)).toEqual([])
  await losing.getByRole('link', { name: 'Quay wall' }).click()
  await page.getByRole('heading', { name: 'Quay wall' }).waitFor()
})
