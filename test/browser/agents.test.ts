import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { setAgentsOf, useRaw } from '../agents/stage.ts'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { fill, press, violations, visit } from './steps.ts'

let stage: BrowserStage
let admin: Admin
let phone: Page
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
  await setAgentsOf(stage, admin)
  phone = await stage.enter(admin, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** A client that an agent wants to delete; the preview waits. */
async function askFor(name: string, why: string): Promise<{ id: number; preview: string }> {
  const id = await admin.create('clients', { name })
  const operations = [{ op: 'delete', records: 'clients', id }]
  const { data } = await useRaw(stage, admin, 'preview', { operations, why })
  const { data: waiting } = await useRaw(stage, admin, 'apply', { preview: data.preview })
  expect(waiting.state).toBe('waiting')
  return { id, preview: data.preview }
}

test('Somebody approves on a phone what waits on Home, and takes it back once it was applied', async () => {
  const { id, preview } = await askFor('Quay House', 'A double <b>of</b> Quay Trust, which the user asked to remove')
  await visit(stage, phone, '/')
  await phone.getByRole('link', { name: /A double <b>of<\/b>/ }).click()
  await phone.getByText('Nobody has checked them.').waitFor()
  await phone.getByRole('list', { name: 'What is deleted' }).getByText(`Deleted client Quay House #${id}`).waitFor()
  expect(await phone.getByText('raw 0').count()).toBe(1)
  expect(await violations(phone)).toEqual([])
  expect(await phone.evaluate(overflow)).toBeLessThanOrEqual(0)
  await press(phone, 'Approve, and let 1 record be deleted')
  await phone.getByText('Approved, not applied yet.').waitFor()
  expect((await admin.get(`/v1/clients/${id}`)).status).toBe(200)

  expect((await useRaw(stage, admin, 'apply', { preview })).data.state).toBe('applied')
  expect((await admin.get(`/v1/clients/${id}`)).status).toBe(404)
  await visit(stage, phone, `/agents/${preview}`)
  await phone.getByText('Applied. You can take it back.').waitFor()
  await press(phone, 'Undo')
  await phone.getByText('Taken back').waitFor()
  expect((await admin.get(`/v1/clients/${id}`)).status).toBe(200)
})

test('The menu counts what waits, and what is declined is not applied', async () => {
  const { id, preview } = await askFor('Wharf', 'no reason at all')
  const page = await stage.enter(admin)
  await page.getByLabel('1 waits for you').waitFor()
  await page.getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('link', { name: 'no reason at all' }).click()
  await press(page, 'Decline')
  await page.getByText('Declined. Nothing was done.').waitFor()
  await page.getByLabel('1 waits for you').waitFor({ state: 'detached' })
  expect((await useRaw(stage, admin, 'apply', { preview })).data.state).toBe('declined')
  expect((await admin.get(`/v1/clients/${id}`)).status).toBe(200)
})

test('Who follows an address without the right is told which one', async () => {
  const { preview } = await askFor('Pier', 'because')
  const clerk = await stage.colleague(admin, ['CLIENTS_VIEW'])
  const page = await stage.enter(clerk)
  await visit(stage, page, `/agents/${preview}`)
  await page.getByText('It needs CLIENTS_DELETE').waitFor()
})

test('Settings switch agents on and off, and the history says who', async () => {
  const own = await stage.admin()
  const page = await stage.enter(own)
  expect(await page.getByRole('link', { name: 'Agents' }).count()).toBe(0)
  await visit(stage, page, '/settings/agents')
  await page.getByLabel('Agents may work with this company’s records').check()
  await page.getByLabel('Records that an agent changes alone').fill('5000')
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await fill(page, 'Your own password', own.password)
  await press(page, 'Save')
  await page.getByText('must be a whole number from 0 to 1000').waitFor()
  await page.getByLabel('Records that an agent changes alone').fill('5')
  await press(page, 'Save')
  await page.getByText('Saved. Agents are on.').waitFor()
  await page.getByText(`${stage.url}/mcp`).waitFor()
  expect((await useRaw(stage, own, 'describe', {})).data.needs_person_for).toContain('a change of more than 5 records')
  await visit(stage, page, '/settings/history')
  await page.getByText('Agents may work: No → Yes').waitFor()
})

test('Settings ask for one’s own password before agents may do more, on the page that is open too, and not before less', async () => {
  const own = await stage.admin()
  await setAgentsOf(stage, own, { records_max: 5, always: false })
  const page = await stage.enter(own)
  await visit(stage, page, '/settings/agents')
  const ownPassword = page.getByLabel('Your own password')
  const records = page.getByLabel('Records that an agent changes alone')
  await records.fill('6')
  await ownPassword.waitFor()
  expect(await violations(page)).toEqual([])
  await fill(page, 'Your own password', 'wrong')
  await press(page, 'Save')
  await page.locator('[aria-invalid=true]').waitFor()
  await visit(stage, page, '/settings/agents')
  await records.fill('4')
  expect(await ownPassword.count()).toBe(0)

  // Somebody else has tightened it meanwhile, so what is less here is more there.
  await setAgentsOf(stage, own, { records_max: 1, always: false })
  await press(page, 'Save')
  await ownPassword.waitFor()
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await fill(page, 'Your own password', own.password)
  await press(page, 'Save')
  await page.getByText('Saved. Agents are on.').waitFor()
  await page.getByLabel('Agents may work with this company’s records').uncheck()
  await press(page, 'Save')
  await page.getByText('Saved. Agents are off.').waitFor()
})
