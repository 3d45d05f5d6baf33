import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { dialogViolations, fill, press, refer, visit } from './steps.ts'

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

const wall = { description: 'Wall', quantity: 2, unit: 'm2', unit_price_minor: 50_000 }
const coping = { description: 'Coping', quantity: 1, unit: null, unit_price_minor: 20_000 }

const estimate = (more: object = {}): Promise<number> =>
  admin.record('estimates', { title: 'Wall', client_id: client, lines: [wall], status: 'SENT', ...more })

const stateOf = async (kind: string, id: number): Promise<unknown> =>
  (await stage.sql(`select status from ${kind} where id = $1`, id))[0]?.status

const dialog = (name?: string) => page.getByRole('dialog', name === undefined ? {} : { name })

describe('A step', () => {
  test('says client, number and amount, and is refused once another session has changed the record', async () => {
    const id = await estimate({ tax_pct: 20 })
    await visit(stage, page, `/estimates/${id}/show`)
    await press(page, 'Accept')
    await dialog('Accept?').getByText('Quay Trust').waitFor()
    const asked = await dialog('Accept?').innerText()
    for (const fact of ['Quay Trust', 'EST-000001', '$1,200.00', 'is final']) expect(asked).toContain(fact)
    expect(await dialogViolations(page)).toEqual([])

    await admin.call('PATCH', `/v1/estimates/${id}`, { body: { lines: [{ ...wall, unit_price_minor: 100 }] } })
    await press(dialog(), 'Accept')
    const refused = dialog('This has changed meanwhile')
    await refused.getByText(/nothing was done/).waitFor()
    await refused.getByText(/Was:.*\$1,200\.00.*Now:.*\$2\.40/).waitFor()
    expect(await dialogViolations(page)).toEqual([])
    expect(await stateOf('estimates', id)).toBe('SENT')

    await press(refused, 'Close')
    await page.getByText('$2.40').first().waitFor()
    await press(page, 'Accept')
    await press(dialog('Accept?'), 'Accept')
    await page.getByText('Now: Accepted').waitFor()
    expect(await stateOf('estimates', id)).toBe('ACCEPTED')
  })

  test('after the last day of an estimate says so and asks; the API is not refused', async () => {
    const id = await estimate({ issue_date: '2020-01-01', valid_until: '2020-02-01' })
    await visit(stage, page, `/estimates/${id}/show`)
    await press(page, 'Accept')
    await press(dialog(), 'Accept')
    await dialog()
      .getByText(/The last day it could be accepted is over/)
      .waitFor()
    expect(await dialogViolations(page)).toEqual([])
    await press(dialog(), 'Accept nevertheless')
    await page.getByText('Now: Accepted').waitFor()
    const late = await estimate({ valid_until: '2020-02-01' })
    expect((await admin.call('PATCH', `/v1/estimates/${late}`, { body: { status: 'ACCEPTED' } })).status).toBe(200)
  })

  test('whose answer was lost is not taken twice', async () => {
    const id = await estimate()
    await visit(stage, page, `/estimates/${id}/show`)
    await press(page, 'Reject')
    await loseNextAnswer('PATCH')
    await press(dialog(), 'Reject')
    await dialog()
      .getByText(/cannot be reached/)
      .waitFor()
    expect(await stateOf('estimates', id)).toBe('REJECTED')
    await press(dialog(), 'Reject')
    await page.getByText('Now: Rejected').waitFor()
    const [row] = await stage.sql('select version from estimates where id = $1', id)
    expect(row?.version).toBe(2)
    expectLost(1)
    await page.unrouteAll()
  })

  test('for several at once says what they come to, and leaves the one that changed meanwhile', async () => {
    const own = await stage.admin()
    const theirs = await own.record('clients', { name: 'Mole' })
    const sent = { client_id: theirs, lines: [wall], status: 'SENT' }
    const [one, other] = [
      await own.record('estimates', { title: 'One', ...sent }),
      await own.record('estimates', { title: 'Other', ...sent }),
    ]
    const list = await stage.enter(own)
    await visit(stage, list, '/estimates')
    await list.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await press(list, 'Accept')
    await list.getByRole('dialog').getByText('$2,000.00 together').waitFor()
    await own.call('PATCH', `/v1/estimates/${one}`, { body: { title: 'Changed' } })
    await press(list.getByRole('dialog'), 'Accept')
    await list.getByText(/1 of them was changed by somebody else meanwhile/).waitFor()
    expect([await stateOf('estimates', one), await stateOf('estimates', other)]).toEqual(['SENT', 'ACCEPTED'])
    await list.context().close()
  })
})

/** The next write arrives and is done; its answer does not come back. */
async function loseNextAnswer(method: string): Promise<void> {
  let isLost = false
  await page.route('**/console/records/**', async (route) => {
    if (isLost || route.request().method() !== method) return route.fallback()
    isLost = true
    await route.fetch()
    await route.abort('connectionreset')
  })
}

/** The browser reports an answer that did not come; nothing else is wrong. */
const expectLost = (times: number): void =>
  expect(stage.quiet()).toEqual(Array(times).fill('Failed to load resource: net::ERR_CONNECTION_RESET'))

describe('A form whose answer was lost', () => {
  test('is sent again without a twin, and changed it is not sent over what was saved', async () => {
    const count = async (name: string) =>
      (await stage.sql('select count(*)::int as count from clients where name = $1', name))[0]?.count
    for (const then of ['again', 'changed']) {
      await visit(stage, page, '/clients/create')
      await fill(page, 'Name', `Once ${then}`)
      await loseNextAnswer('POST')
      await press(page, 'Create')
      await page.getByText(/cannot be reached/).waitFor()
      if (then === 'changed') await fill(page, 'Name', 'Twice')
      await press(page, 'Create')
      if (then === 'again') await page.getByRole('heading', { level: 1, name: 'Once again' }).waitFor()
      else await page.getByText(/An earlier try has arrived after all/).waitFor()
      expect([await count(`Once ${then}`), await count('Twice')]).toEqual([1, 0])
      await page.unrouteAll()
    }
    expectLost(2)
    await page.getByRole('link', { name: 'Workers' }).first().click()
    await press(dialog(), 'Leave')
  })
})

describe('From an estimate to a paid invoice', () => {
  test('takes client, project, lines and tax, asks for the days, and locks what was issued', async () => {
    const project = await admin.record('projects', { name: 'Mole', client_id: client })
    const id = await estimate({ project_id: project, lines: [wall, coping], tax_pct: 20, status: 'ACCEPTED' })
    await visit(stage, page, `/estimates/${id}/show`)
    await page.getByText(/This is part of the books/).waitFor()
    await press(page, 'Make invoice')
    await dialog('Make invoice').getByRole('radio', { name: 'All', exact: true }).check()
    await press(dialog('Make invoice'), 'Continue')
    await page.getByRole('heading', { level: 1, name: 'New invoice' }).waitFor()
    expect(await page.getByLabel('Totals').innerText()).toMatch(/Total\s+(US)?\$1,440\.00/)
    await press(page, 'Create')
    await page.getByRole('heading', { level: 1, name: 'INV-000001' }).waitFor()
    const [made] = await stage.sql('select * from invoices where estimate_id = $1', id)
    expect(made).toMatchObject({ client_id: client, project_id: project, total_minor: 144_000, lines: [wall, coping] })

    await press(page, 'Issue')
    const issuing = dialog('Issue?')
    await issuing.getByText('$1,440.00').waitFor()
    await issuing.getByLabel('Issued on').fill('2026-03-01')
    await issuing.getByLabel('Due on').fill('2026-02-01')
    await press(issuing, 'Issue')
    await issuing
      .getByText('must not be before issued_on (2026-03-01)')
      .or(issuing.getByText(/before/))
      .first()
      .waitFor()
    await issuing.getByLabel('Due on').fill('2026-03-15')
    expect(await dialogViolations(page)).toEqual([])
    await press(issuing, 'Issue')
    await page.getByText('Now: Issued').waitFor()
    await page.getByRole('link', { name: 'Edit', exact: true }).waitFor({ state: 'detached' })

    await press(page, 'Record payment')
    await page.getByLabel('Paid on').fill('2026-03-10')
    await press(page, 'Create')
    await expect.poll(() => stateOf('invoices', Number(made?.id))).toBe('PAID')
    const [payment] = await stage.sql<{ id: number; amount_minor: string }>('select id, amount_minor from payments')
    expect(Number(payment?.amount_minor)).toBe(144_000)
    await visit(stage, page, `/payments/${payment?.id}/show`)
    await press(page, 'Void')
    await press(dialog(), 'Void')
    await page.getByText('Now: Void').waitFor()
    expect(await stateOf('invoices', Number(made?.id))).toBe('ISSUED')
  })

  test('proposes to be due when the client’s terms say so', async () => {
    const id = await admin.record('invoices', { client_id: client, issued_on: '2026-03-01', lines: [wall] })
    await visit(stage, page, `/invoices/${id}/show`)
    await press(page, 'Issue')
    await expect.poll(() => dialog().getByLabel('Due on').inputValue()).toBe('15 Mar 2026')
    await press(dialog(), 'Cancel')
  })

  test('refuses another client’s project where it is chosen', async () => {
    const other = await admin.record('clients', { name: 'Other' })
    await admin.record('projects', { name: 'Foreign pier', client_id: other })
    await visit(stage, page, '/invoices/create')
    await refer(page, 'Client', 'quay', 'Quay Trust')
    await refer(page, 'Project', 'foreign', 'Foreign pier')
    await press(page, 'Create')
    await page
      .locator('form p')
      .filter({ hasText: /client/ })
      .first()
      .waitFor()
    expect(await page.getByRole('combobox', { name: 'Project' }).getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('link', { name: 'Workers' }).first().click()
    await press(dialog(), 'Leave')
  })
})

describe('Hours that were approved by mistake', () => {
  test('are taken back, with a question of their own, and change again', async () => {
    const worker = await admin.record('workers', { name: 'Grace' })
    const project = await admin.record('projects', { name: 'Site' })
    const hours = { worker_id: worker, project_id: project, worked_on: '2026-03-02', hours: 23, status: 'APPROVED' }
    const id = await admin.record('time_entries', hours)
    await visit(stage, page, `/time_entries/${id}/show`)
    expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0)
    await press(page, 'Take back')
    await dialog()
      .getByText(/no longer part of the books/)
      .waitFor()
    await press(dialog(), 'Take back')
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await fill(page, 'Hours', '8')
    await press(page, 'Save')
    await page.getByText('Saved.').waitFor()
    expect(await stateOf('time_entries', id)).toBe('DRAFT')
  })
})

describe('A dialog in which something was typed', () => {
  test.each(['Escape', 'a click beside it', 'another page'])('asks before it closes: %s', async (how) => {
    await admin.record('projects', { name: `Closed by ${how}` })
    await visit(stage, page, '/projects')
    await page.getByRole('link', { name: `Closed by ${how}`, exact: true }).click()
    await page.getByRole('tab', { name: 'Tasks' }).click()
    await press(page, 'New task')
    await fill(dialog('New task'), 'Title', 'Order stones')
    if (how === 'Escape') await page.keyboard.press('Escape')
    else if (how === 'another page') await page.goBack()
    else await page.mouse.click(5, 5)
    const question = dialog('Leave without saving?')
    await question.waitFor()
    expect(await dialogViolations(page)).toEqual([])
    await press(question, 'Stay')
    expect(await dialog('New task').getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Order stones')
    await page.keyboard.press('Escape')
    await press(question, 'Leave')
    await dialog('New task').waitFor({ state: 'detached' })
  })

  test('closes at once where nothing was', async () => {
    await press(page, 'New task')
    await page.keyboard.press('Escape')
    await dialog('New task').waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: 'Overview' }).click()
  })
})

describe('A race on the lines of an estimate', () => {
  test('puts together what does not collide, and shows both sides with prices where it does', async () => {
    const id = await estimate({ status: 'DRAFT', lines: [wall, coping] })
    await visit(stage, page, `/estimates/${id}`)
    const line = (number: number) => page.getByRole('group', { name: `Line ${number}` })
    await fill(line(1), 'Quantity', '3')
    await fill(line(2), 'Unit price', '250.00')
    const theirs = [
      { ...wall, unit_price_minor: 60_000 },
      { ...coping, unit_price_minor: 30_000 },
      { description: 'Steps' },
    ]
    await admin.call('PATCH', `/v1/estimates/${id}`, { body: { lines: theirs } })
    await press(page, 'Save')
    const race = dialog('Somebody else changed this meanwhile')
    await race.getByRole('radio', { name: /Yours/ }).waitFor()
    expect(await race.innerText()).toContain('$250.00')
    expect(await dialogViolations(page)).toEqual([])
    await race.getByRole('radio', { name: /Theirs.*300\.00/s }).check()
    await press(race, 'Go on with these')
    await press(page, 'Save')
    await page.getByText('Saved.').waitFor()
    const [row] = await stage.sql<{ lines: object[] }>('select lines from estimates where id = $1', id)
    expect(row?.lines).toMatchObject([
      { quantity: 3, unit_price_minor: 60_000 },
      { quantity: 1, unit_price_minor: 30_000 },
      { description: 'Steps' },
    ])
  })
})

describe('Settings of the company', () => {
  test('keep the currency once there are amounts, and leave plan and add-ons to the operator', async () => {
    await visit(stage, page, '/settings/company')
    await page.getByText(/there are amounts in it \(/).waitFor()
    await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
    expect(await page.getByLabel('Currency', { exact: true }).count()).toBe(0)
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await page.getByText(/changed by whoever runs the service/).waitFor()
    await fill(page, 'Name', 'Harbour')
    await page
      .getByRole('tab', { name: 'Accounts' })
      .or(page.getByRole('link', { name: 'Accounts' }))
      .first()
      .click()
    await press(dialog('Leave without saving?'), 'Stay')
    await press(page, 'Save')
    await page.getByText('The company is saved.').waitFor()
  })
})
