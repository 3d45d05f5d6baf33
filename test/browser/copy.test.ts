import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { billed } from '../stage/stage.ts'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { fill, press, violations, visit } from './steps.ts'

/** Copies of records, and an invoice that is voided and issued anew. */
let stage: BrowserStage
let admin: Admin
let page: Page
let client: number
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
  client = await admin.record('clients', { name: 'Quay Trust', payment_terms_days: 14 })
  page = await stage.enter(admin)
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

const issued = (more: object = {}) =>
  admin.record('invoices', { client_id: client, ...billed, status: 'ISSUED', note: 'For the wal.', ...more })
const invoices = () =>
  stage.sql<{ id: number; status: string; replaces_id: number | null; note: string | null }>(
    'select id, status, replaces_id, note from invoices where company_id = $1 order by id',
    admin.id,
  )
const dialog = () => page.getByRole('dialog')

test('A wrong invoice is put right and issued with 5 presses at most', async () => {
  const id = await issued()
  await visit(stage, page, `/invoices/${id}/show`)
  await page.getByText(/“Void and copy” does both/).waitFor()
  let presses = 0
  const pressed = (within: Page | Locator, name: string) => {
    presses++
    return press(within, name)
  }
  await pressed(page, 'Void and copy')
  await fill(page, 'Note', 'For the wall.')
  expect(await violations(page)).toEqual([])
  await pressed(page, 'Create')
  await pressed(page, 'Issue')
  await pressed(dialog(), 'Issue')
  await page.getByText('Now: Issued').waitFor()
  expect(presses).toBeLessThanOrEqual(5)
  const [wrong, right] = await invoices()
  expect(wrong).toMatchObject({ id, status: 'VOID', replaces_id: null })
  expect(right).toMatchObject({ status: 'ISSUED', replaces_id: id, note: 'For the wall.' })
})

test('Nothing is voided while the form of the copy is open, or where it cannot be saved', async () => {
  const id = await issued({ note: null })
  await visit(stage, page, `/invoices/${id}/show`)
  await press(page, 'Void and copy')
  await page.getByRole('button', { name: 'Create', exact: true }).waitFor()
  const stateNow = async () => (await invoices()).find((one) => one.id === id)?.status
  expect(await stateNow()).toBe('ISSUED')
  await stage.sql('update invoices set version = version + 1 where id = $1', id)
  await press(page, 'Create')
  await page.getByRole('alert').first().waitFor()
  expect(await stateNow()).toBe('ISSUED')
})

test('A void invoice offers a copy and says nothing of voiding', async () => {
  const id = await issued({ status: 'VOID' })
  await visit(stage, page, `/invoices/${id}/show`)
  await page.getByText('To issue it anew, copy it.').waitFor()
  expect(await page.getByText(/void it/i).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Void and copy' }).count()).toBe(0)
  await press(page, 'Copy')
  await press(page, 'Create')
  await page.getByText(/was created\./).waitFor()
  expect((await invoices()).at(-1)).toMatchObject({ status: 'DRAFT', replaces_id: null, note: 'For the wal.' })
})
