import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openReceiver, type Receiver, verified } from '../webhooks/receiver.ts'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { fill, press, visit } from './steps.ts'

let stage: BrowserStage
let admin: Admin
let receiver: Receiver
let page: Page
beforeAll(async () => {
  stage = await openBrowserStage({ WEBHOOK_NETWORKS: '127.0.0.1', WEBHOOK_TIMEOUT_MS: '1000' })
  admin = await stage.admin()
  receiver = await openReceiver()
  page = await stage.enter(admin)
})
afterAll(async () => {
  await receiver.close()
  await stage.close()
})
afterEach(() => expect(stage.quiet()).toEqual([]))

test('A webhook is made after an inner address was refused with the reason; its secret is shown once, and signs a test', async () => {
  await visit(stage, page, '/settings/webhooks')
  await press(page, 'New webhook')
  const dialog = page.getByRole('dialog')
  await fill(page, 'Name', 'Ledger')
  await fill(page, 'Address', 'https://192.168.0.7/hooks')
  await fill(page, 'Your password', admin.password)
  await press(dialog, 'Create')
  await dialog.getByText('192.168.0.7 is of a private network').waitFor()
  await fill(page, 'Address', receiver.url)
  await press(dialog, 'Create')
  const secret = await page.getByLabel('The webhook is there. This is its secret').innerText()

  await page.getByRole('link', { name: 'Ledger' }).click()
  await press(page, 'Send a test')
  await page.getByText('The test arrived.').waitFor()
  expect(verified(secret, receiver.got[0] as never)).toMatchObject({ type: 'webhooks.test' })
  expect(await page.content()).not.toContain(secret)
})

test('An attempt that failed is opened with request and answer, and sent again', async () => {
  receiver.behave(() => ({ status: 500, body: 'closed at night' }))
  await press(page, 'Send a test')
  await page.getByText('It did not arrive.').first().waitFor()
  await page.getByRole('table', { name: 'Attempts' }).getByRole('button').first().click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Answer: 500').innerText()).toContain('closed at night')
  expect(await dialog.getByLabel('Request').innerText()).toContain('"type": "webhooks.test"')
  receiver.behave(() => ({ status: 204 }))
  await press(dialog, 'Send again')
  await page.getByText('It arrived.').waitFor()
})

test('One that fails is told of on Home, leads there, and what was done stands in its history', async () => {
  await stage.sql('update webhook_endpoints set failing_since = now() where company_id = $1', admin.id)
  await visit(stage, page, '/')
  await page.getByText('The webhook “Ledger” fails').waitFor()
  await page.getByRole('link', { name: 'Open Ledger' }).click()
  await press(page, 'Try now')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('From now on you answer for it').waitFor()
  await fill(page, 'Your password', admin.password)
  await press(dialog, 'Try now')
  await page.getByText('It goes on where it stopped.', { exact: true }).waitFor()
  await press(page, 'Switch off')
  await page.getByText('switched it off').waitFor()
  await press(page, 'Enable')
  await fill(page, 'Your password', admin.password)
  await press(dialog, 'Enable')
  await page.getByText('enabled it').first().waitFor()
  await visit(stage, page, '/')
  await page.waitForLoadState('networkidle')
  expect(await page.getByText('The webhook “Ledger”').count()).toBe(0)
})
