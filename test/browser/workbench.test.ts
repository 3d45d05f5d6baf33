import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { choose, fill, press, visit } from './steps.ts'

/** What somebody does who keeps integrations running. */
let stage: BrowserStage
let admin: Admin
let page: Page
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
  page = await stage.enter(admin)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
const call = async (method: string, path: string, body?: object, token = admin.token) => {
  const answer = await admin.call(method, path, {
    ...(body ? { body } : {}),
    headers: { 'User-Agent': 'payroll/2' },
    token,
  })
  await admin.calls()
  return answer
}

describe('A failed call', () => {
  test('is found by its group, opened, and its line for curl has no token', async () => {
    await call('POST', '/v1/clients', { name: 'Quay', email: 'nobody' })
    await call('POST', '/v1/clients', { name: 'Quay', email: 'nobody' })
    await visit(stage, page, '/settings/calls')
    const failures = page.getByRole('list', { name: 'What fails' })
    await failures.getByText(/2 times since/).waitFor()
    await failures.getByRole('link', { name: 'Show calls: clients.create · validation_failed on email' }).click()
    await page.getByRole('heading', { name: '2 calls' }).waitFor()
    await page
      .getByRole('link', { name: /^Open the call of/ })
      .first()
      .click()
    await page.getByRole('heading', { name: 'POST /v1/clients' }).waitFor()
    const problems = page.getByRole('list', { name: 'What is wrong' })
    expect(await problems.innerText()).toContain('email')
    expect(await page.getByRole('region', { name: 'Request' }).innerText()).toContain('"email": "nobody"')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    expect(await clipboard()).toContain(`-H "Authorization: Bearer $TOKEN"`)
    expect(await page.content()).not.toContain(admin.token)
  })

  test('for want of a right is repaired from its page: the token gets it, and the same call would succeed', async () => {
    await admin.call('POST', '/v1/projects', { body: { name: 'Before' } })
    await stage.sql(
      "update tokens set scopes = '{PROJECTS_VIEW}' where company_id = $1 and revoked_at is null",
      admin.id,
    )
    expect((await call('POST', '/v1/projects', { name: 'Pier' })).status).toBe(403)
    await visit(stage, page, '/settings/calls?outcome=refused&code=insufficient_scope')
    await page.getByRole('link', { name: /^Open the call of/ }).click()
    await page.getByText('The token does not hold PROJECTS_EDIT; its account does.').waitFor()
    const address = page.url()
    await page.getByRole('link', { name: 'Change what the token may do' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change the token' })
    await dialog.getByRole('checkbox', { name: 'Projects: Edit' }).check()
    await fill(dialog, 'Your password', admin.password)
    await press(dialog, 'Save')
    await page.getByText('The token is changed.').waitFor()
    await page.goto('about:blank')
    await page.goto(address)
    await page.getByText('By now the token and its account hold PROJECTS_EDIT.').waitFor()
    await press(page, 'Send again as dry-run')
    await page.getByText('It would succeed now (200).').waitFor()
    expect(await stage.sql("select 1 from projects where name = 'Pier'")).toEqual([])
    expect((await call('POST', '/v1/projects', { name: 'Pier' })).status).toBe(201)
  })
})

test('An address of filtered calls opens them directly, and the numbers above lead to the calls they count', async () => {
  await visit(stage, page, '/settings/calls?days=7&outcome=refused')
  await page.getByRole('heading', { name: '3 calls' }).waitFor()
  await press(page, 'Copy the address of this page')
  expect(await clipboard()).toBe(page.url())
  const again = page.waitForResponse((response) => response.url().includes('/console/calls?'))
  await press(page, 'Try again')
  expect((await again).status()).toBe(200)
  await page.getByText('The numbers behind the chart').click()
  const table = page.getByRole('table', { name: 'The numbers behind the chart' })
  const columns = await table.getByRole('columnheader').allInnerTexts()
  const totals = await table.getByRole('row').last().getByRole('cell').allInnerTexts()
  await table.getByRole('link', { name: 'Answered' }).click()
  await page.getByRole('heading', { name: `${totals[columns.indexOf('Answered') - 1]} calls` }).waitFor()
  await page.getByRole('link', { name: 'All calls' }).click()
  await page.getByRole('heading', { name: `${totals[columns.indexOf('Total') - 1]} calls` }).waitFor()
  await choose(page, 'Outcome', 'Refused')
  await page.getByRole('heading', { name: '3 calls' }).waitFor()
  expect(page.url()).toContain('outcome=refused')
})

test('Rotation says who calls now; the integration that is dead then is told of on Home, and cured from there', async () => {
  await visit(stage, page, '/settings/api')
  await press(page, 'Rotate')
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^127\.0\.0\.1 \(payroll\/2\): \d+ calls in the last 24 hours/).waitFor()
  await fill(dialog, 'Your password', admin.password)
  await press(dialog, 'Rotate')
  await page
    .locator('code')
    .filter({ hasText: /^plumb_live_/ })
    .waitFor()
  const old = admin.token
  expect((await call('GET', '/v1/projects', undefined, old)).status).toBe(401)
  expect((await call('GET', '/v1/projects', undefined, old)).status).toBe(401)

  await visit(stage, page, '/')
  const banner = page.getByRole('alert').filter({ hasText: 'The old token is still used by 127.0.0.1' })
  expect(await banner.innerText()).toContain('2 refusals in the last 24 hours')
  await banner.getByRole('link', { name: 'Calls from 127.0.0.1' }).click()
  await page.getByRole('heading', { name: '2 calls' }).waitFor()
  expect(await page.getByRole('table').getByText('Old token').count()).toBe(2)
  await page.getByRole('link', { name: 'All calls' }).click()
  await page.getByRole('heading', { name: /^(?!2 calls)\d+ calls$/ }).waitFor()
  // What succeeded with it is not marked.
  expect(await page.getByRole('table').getByText('Old token').count()).toBe(2)

  await visit(stage, page, '/')
  await page.getByRole('alert').getByRole('link', { name: 'To the token' }).click()
  await press(page, 'Show token')
  await fill(page.getByRole('dialog'), 'Your password', admin.password)
  await press(page.getByRole('dialog'), 'Show token')
  const shown = await page
    .locator('code')
    .filter({ hasText: /^plumb_live_/ })
    .innerText()
  expect((await call('GET', '/v1/projects', undefined, shown)).status).toBe(200)
  await visit(stage, page, '/')
  const cured = page.getByRole('alert').filter({ hasText: 'has been let in since' })
  await cured.getByRole('button', { name: 'Close' }).click()
  await visit(stage, page, '/')
  await page.waitForLoadState('networkidle')
  expect(await page.getByText('127.0.0.1').count()).toBe(0)
})

test('What calls say can be switched off, and who did that stands in the history with what was done to the token', async () => {
  await visit(stage, page, '/settings/calls')
  await page.getByRole('switch', { name: 'Keep requests and answers' }).click()
  await page.getByText('What calls say is not kept any more').waitFor()
  await page
    .getByRole('link', { name: /^Open the call of/ })
    .first()
    .click()
  await page.getByText(/What was said is not kept of this call/).waitFor()
  await visit(stage, page, '/settings/history')
  const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem')
  expect(await entries.first().innerText()).toMatch(
    /What calls say · Ada changed it .*\nKeep requests and answers: Yes → No/s,
  )
  const all = (await entries.allInnerTexts()).join('\n')
  for (const said of ['Ada showed it', 'Ada rotated it', 'Ada changed it', 'added: PROJECTS_EDIT'])
    expect(all).toContain(said)
})
