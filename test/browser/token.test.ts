import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '#registry/permissions.ts'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { choose, dialogViolations, fill, press, visit } from './steps.ts'

let stage: BrowserStage
let admin: Admin
let page: Page
beforeAll(async () => {
  stage = await openBrowserStage()
  const held = permissions.filter((code) => code !== 'EQUIPMENT_DELETE')
  admin = await stage.admin({ permissions: held })
  await admin.revoke()
  page = await stage.enter(admin)
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

const call = (token: string) =>
  stage.send({ method: 'GET', path: '/v1/projects', headers: [['Authorization', `Bearer ${token}`]], body: undefined })

/** The token as the page shows it, once it is another than before. */
async function shownToken(before?: string): Promise<string> {
  const text = page.locator('code').filter({ hasText: /^plumb_live_/ })
  await text.filter(before ? { hasNotText: before } : {}).waitFor()
  return text.innerText()
}

describe('A token’s life', () => {
  let first: string
  let second: string

  test('it is issued for no more than the issuer holds, and its addresses are checked as they are typed', async () => {
    await visit(stage, page, '/settings/api')
    await fill(page, 'Label', 'Payroll export')
    await page.getByRole('checkbox', { name: 'Projects: View' }).check()
    expect(await page.getByRole('checkbox', { name: 'Equipment: Delete' }).isDisabled()).toBe(true)
    await fill(page, 'Allowed addresses', '203.0.113.7/24')
    await page.getByText(/which is no IPv4 address/).waitFor()
    await fill(page, 'Allowed addresses', '')
    await page.getByLabel('Last day').fill('2020-01-01')
    await fill(page, 'Your password', admin.password)
    await press(page, 'Issue a token')
    await page.getByText(/must be a moment to come/).waitFor()
    const inThreeDays = new Date(Date.now() + 3 * 24 * 3600 * 1000).toISOString().slice(0, 10)
    await page.getByLabel('Last day').fill(inThreeDays)
    await fill(page, 'Your password', 'wrong')
    await press(page, 'Issue a token')
    await page.locator('[aria-invalid=true]').waitFor()
    await fill(page, 'Your password', admin.password)
    await press(page, 'Issue a token')
    first = await shownToken()
    for (const path of ['/settings/api', '/']) {
      await visit(stage, page, path)
      await page.getByText(/^The token ends on .*: rotate it, and give them the new one/).waitFor()
    }
  })

  test('it calls the API, and the call is in the log', async () => {
    expect((await call(first)).status).toBe(200)
    await stage.app.meter.flush()
    await visit(stage, page, '/settings/calls')
    await page.getByRole('cell', { name: 'projects.list' }).waitFor()
    await choose(page, 'Shown by', 'Resource')
    await page.getByText('The numbers behind the chart').click()
    await page.getByRole('table').getByRole('columnheader', { name: 'Projects' }).waitFor()
  })

  test('it is shown again for the password, and rotated: the old one is refused and the log says why', async () => {
    await visit(stage, page, '/settings/api')
    await press(page, 'Show token')
    await fill(page.getByRole('dialog'), 'Your password', admin.password)
    await press(page.getByRole('dialog'), 'Show token')
    expect(await shownToken()).toBe(first)
    await press(page, 'Rotate')
    await page.getByText(/running integrations are refused with 401/).waitFor()
    await fill(page.getByRole('dialog'), 'Your password', admin.password)
    await press(page.getByRole('dialog'), 'Rotate')
    second = await shownToken(first)
    expect((await call(first)).status).toBe(401)
    expect((await call(second)).status).toBe(200)
    await stage.app.meter.flush()
    await visit(stage, page, '/settings/calls')
    await page.getByText('Old token').first().waitFor()
    const row = page.getByRole('row').filter({ hasText: '401' })
    await row.getByRole('link').click()
    await page.getByText('the check of the token').waitFor()
    await page.getByText(/rotated, revoked or at its end before this call/).waitFor()
  })

  test('its addresses change for the password alone', async () => {
    await visit(stage, page, '/settings/api')
    await page.getByRole('textbox', { name: 'Allowed addresses' }).fill('127.0.0.1')
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await fill(page, 'Your password', 'wrong')
    await press(page, 'Save')
    await page.locator('[aria-invalid=true]').waitFor()
    await fill(page, 'Your password', admin.password)
    await press(page, 'Save')
    await page.getByText(/The allowed addresses are saved/).waitFor()
    expect((await call(second)).status).toBe(200)
  })

  test('it is shown and rotated only to somebody who holds all that its account holds', async () => {
    const held = permissions.filter((code) => !['PAY_VIEW', 'TAX_VIEW', 'EQUIPMENT_DELETE'].includes(code))
    const clerk = await stage.colleague(admin, held)
    const his = await stage.enter(clerk)
    await visit(stage, his, '/settings/api')
    await his.getByText(/You lack PAY_VIEW and TAX_VIEW\./).waitFor()
    for (const name of ['Show token', 'Rotate']) {
      expect(await his.getByRole('button', { name }).isDisabled(), name).toBe(true)
    }
    expect(await his.getByRole('button', { name: 'Revoke' }).isEnabled()).toBe(true)
    await his.context().close()
  })

  test('it is revoked, and nothing calls any more', async () => {
    await visit(stage, page, '/settings/api')
    await press(page, 'Revoke')
    await fill(page.getByRole('dialog'), 'Your password', admin.password)
    await press(page.getByRole('dialog'), 'Revoke')
    await page.getByText('No program can call the API yet').waitFor()
    expect(await page.getByText(/^The token ends on/).count()).toBe(0)
    expect((await call(second)).status).toBe(401)
  })
})

describe('Accounts', () => {
  test('are made, and can do no more than whoever makes them', async () => {
    await visit(stage, page, '/settings/accounts')
    await press(page, 'New account')
    const dialog = page.getByRole('dialog')
    await fill(dialog, 'Name', 'Femi')
    await fill(dialog, 'E-mail', `femi-${admin.id}@example.com`)
    await fill(dialog, 'Password', 'another long password')
    await dialog.getByRole('checkbox', { name: 'Projects: View' }).check()
    expect(await dialog.getByRole('checkbox', { name: 'Equipment: Delete' }).isDisabled()).toBe(true)
    expect(await dialog.getByRole('checkbox', { name: /Settings, Audit/ }).count()).toBe(1)
    expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true)
    await fill(dialog, 'Your own password', 'wrong')
    await press(dialog, 'Create')
    await dialog.locator('[aria-invalid=true]').waitFor()
    expect(await dialogViolations(page)).toEqual([])
    await fill(dialog, 'Your own password', admin.password)
    await press(dialog, 'Create')
    await page.getByText('The account is saved.').waitFor()
    await page.getByText(/femi-.*1 permission/).waitFor()
  })

  test('get more for one’s own password, and less without it', async () => {
    await visit(stage, page, '/settings/accounts')
    const dialog = page.getByRole('dialog')
    const own = dialog.getByLabel('Your own password')
    const clients = dialog.getByRole('checkbox', { name: 'Clients: View' })
    await press(page, 'Edit Femi')
    await clients.check()
    await fill(dialog, 'Your own password', admin.password)
    await press(dialog, 'Save')
    await page.getByText(/femi-.*2 permissions/).waitFor()
    await press(page, 'Edit Femi')
    await clients.uncheck()
    await dialog.getByRole('checkbox', { name: /^Disabled/ }).check()
    expect(await own.count()).toBe(0)
    await press(dialog, 'Save')
    await page.getByText(/femi-.*1 permission/).waitFor()
    await press(page, 'Edit Femi')
    await dialog.getByRole('checkbox', { name: /^Disabled/ }).uncheck()
    await fill(dialog, 'Your own password', admin.password)
    await press(dialog, 'Save')
    await dialog.waitFor({ state: 'detached' })
  })

  test('get another password for one’s own', async () => {
    await visit(stage, page, '/settings/accounts')
    await press(page, 'Edit Femi')
    const dialog = page.getByRole('dialog')
    await fill(dialog, 'New password', 'password1')
    await dialog.getByText('Very easily guessed').waitFor()
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await fill(dialog, 'Your own password', admin.password)
    await press(dialog, 'Save')
    await dialog.getByText(/is easily guessed/).waitFor()
    await fill(dialog, 'New password', 'kettle mossy ferry')
    await dialog.getByText('Very good').waitFor()
    await press(dialog, 'Save')
    await page.getByText('The account is saved.').waitFor()
  })
})

test('A page of another site makes no browser export, whether it links there or embeds it', async () => {
  const other = await page.context().newPage()
  const address = `${stage.url}/console/records/projects.csv`
  const exported = async () =>
    (await stage.sql("select id from history where company_id = $1 and records = 'exports'", admin.id)).length
  const before = await exported()
  const html = `<a href="${address}">Prize</a><iframe src="${address}"></iframe><img src="${address}">`
  await other.route('http://other.example/**', (route) => route.fulfill({ contentType: 'text/html', body: html }))
  await other.goto('http://other.example/')
  const answered = other.waitForResponse((answer) => answer.url() === address && answer.request().isNavigationRequest())
  await other.getByRole('link', { name: 'Prize' }).click()
  expect((await answered).status()).toBe(403)
  expect(await exported()).toBe(before)
  // The app exports, and so does somebody who types the address.
  await visit(stage, page, '/projects')
  expect(await page.evaluate(`fetch('/console/records/projects.csv').then(({ status }) => status)`)).toBe(200)
  const download = other.waitForEvent('download')
  await other.goto(address).catch(() => undefined)
  await (await download).cancel()
  expect(await exported()).toBe(before + 2)
  await other.close()
})
