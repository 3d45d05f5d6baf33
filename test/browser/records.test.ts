import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { fill, heading, press, visit } from './steps.ts'

let stage: BrowserStage
let admin: Admin
let page: Page
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
  page = await stage.enter(admin)
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

const rows = [
  { kind: 'projects', title: 'Name', one: 'Harbour wall', also: ['Code', 'P-1'], later: ['Budget', '1,250.50'] },
  {
    kind: 'workers',
    title: 'Name',
    one: 'Grace Okafor',
    also: ['Employee no.', 'W-1'],
    later: ['Hourly cost', '31.40'],
  },
  {
    kind: 'clients',
    title: 'Name',
    one: 'Quay Trust',
    also: ['E-mail', 'a@quay.example'],
    later: ['Credit limit', '99'],
  },
  { kind: 'estimates', title: 'Title', one: 'Boundary wall', also: ['Tax, %', '20'], later: ['Discount, %', '2.5'] },
  {
    kind: 'subcontractors',
    title: 'Name',
    one: 'Severn Ltd',
    also: ['Licence no.', 'SC-1'],
    later: ['Retention, %', '5'],
  },
  { kind: 'equipment', title: 'Name', one: 'Mini digger', also: ['Code', 'EQ-1'], later: ['Daily rate', '120'] },
] as const

describe.each(rows)('$kind', ({ kind, title, one, also, later }) => {
  const changed = `${one} II`

  test('is created by its form and shown', async () => {
    await visit(stage, page, `/${kind}/create`)
    await fill(page, title, one)
    await fill(page, also[0], also[1])
    await press(page, 'Create')
    await page.getByRole('heading', { level: 1, name: one }).waitFor()
    expect(await page.getByRole('tabpanel').innerText()).toContain(also[1])
  })

  test('is found by a word of its title', async () => {
    await visit(stage, page, `/${kind}`)
    await page.getByRole('searchbox').fill(one.split(' ')[1] as string)
    await page.getByRole('link', { name: one, exact: true }).waitFor()
    await page.getByRole('searchbox').fill('no such thing')
    await page.getByText('Nothing matches').waitFor()
    await page.getByRole('searchbox').fill('')
    await page.getByRole('link', { name: one, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: one }).waitFor()
  })

  test('is changed, and its history tells what', async () => {
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await fill(page, title, changed)
    await fill(page, later[0], later[1])
    await press(page, 'Save')
    await page.getByRole('heading', { level: 1, name: changed }).waitFor()
    await page.getByRole('tab', { name: 'History' }).click()
    const entry = page.getByRole('listitem').filter({ hasText: 'changed it' }).first()
    await entry.waitFor()
    expect(await entry.innerText()).toContain(changed)
    expect(await entry.innerText()).toContain('Ada')
  })

  test('is deleted after a look at what goes with it, and comes back', async () => {
    // A draft is erased for good; every other estimate can come back.
    if (kind === 'estimates')
      await stage.sql("update estimates set status = 'REJECTED' where company_id = $1", admin.id)
    await visit(stage, page, `/${kind}`)
    await page.getByRole('link', { name: changed, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: changed }).waitFor()
    await press(page, 'Delete')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('It can be restored under Recently deleted.').waitFor()
    await press(dialog, 'Delete')
    await page.getByText(`${changed} is deleted.`).waitFor()
    await visit(stage, page, '/removals')
    await press(page, `Restore ${changed}`)
    await page.getByText(`${changed} is back.`).waitFor()
    await page.getByRole('link', { name: changed, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: changed }).waitFor()
    expect(await heading(page)).toBe(changed)
  })
})
