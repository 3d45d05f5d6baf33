import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fieldPermissions, permissions } from '#registry/permissions.ts'
import { billed } from '../stage/stage.ts'
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

describe('Signing in', () => {
  test('shows the first page within two seconds, and says no to a wrong password', async () => {
    const stranger = await stage.open()
    const startedAt = performance.now()
    await stranger.goto(stage.url)
    await stranger.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(performance.now() - startedAt).toBeLessThan(2000)
    await stranger.getByLabel('E-mail').fill(admin.email)
    await stranger.getByLabel('Password').fill('wrong')
    await press(stranger, 'Sign in')
    await stranger.getByText('E-mail and password do not belong together.').waitFor()
    await stranger.context().close()
  })

  test('asks everybody for the number of the company, which may stay empty and is shown in the profile', async () => {
    const guest = await stage.open()
    await guest.goto(stage.url)
    const number = guest.getByLabel('Company number (optional)')
    await number.waitFor()
    await guest.getByLabel('E-mail').fill(admin.email)
    await guest.getByLabel('Password').fill(admin.password)
    await number.fill('seven')
    await press(guest, 'Sign in')
    await guest.getByText('Enter the number in digits, or leave the field empty.').waitFor()
    await number.fill('999999999')
    await press(guest, 'Sign in')
    await guest.getByText('E-mail, password and company number do not belong together.').waitFor()
    await number.fill(` ${admin.id} `)
    await press(guest, 'Sign in')
    await guest.getByRole('button', { name: /Account of/ }).click()
    await guest.getByRole('menuitem', { name: 'Profile and password' }).click()
    await expect.poll(() => guest.getByLabel('Company number').inputValue()).toBe(String(admin.id))
    await guest.context().close()
  })

  test('leads back to the page that was asked for, and signing out ends it', async () => {
    const guest = await stage.open()
    await guest.goto(`${stage.url}/#/workers`)
    await guest.getByLabel('E-mail').fill(admin.email)
    await guest.getByLabel('Password').fill(admin.password)
    await press(guest, 'Sign in')
    await guest.getByRole('heading', { level: 1, name: 'Workers' }).waitFor()
    await guest.getByRole('button', { name: /Account of/ }).click()
    await guest.getByRole('menuitem', { name: 'Sign out' }).click()
    await guest.getByRole('heading', { name: 'Sign in' }).waitFor()
    await guest.context().close()
  })
})

describe('Status as people see it', () => {
  test('an estimate goes from draft to accepted, and only where it may', async () => {
    const id = await admin.record('estimates', { title: 'Wall' })
    await visit(stage, page, `/estimates/${id}/show`)
    await press(page, 'Mark as sent')
    await press(page.getByRole('dialog'), 'Mark as sent')
    const missing = page.getByRole('dialog')
    await missing.getByText(/Lines/).first().waitFor()
    await press(missing, 'Complete it')
    await page.getByRole('heading', { level: 1, name: 'Edit Wall' }).waitFor()

    const client = await admin.record('clients', { name: 'Quay' })
    const lines = [{ description: 'Brickwork', quantity: 1, unit: null, unit_price_minor: 100 }]
    await admin.call('PATCH', `/v1/estimates/${id}`, { body: { client_id: client, lines } })
    await visit(stage, page, `/estimates/${id}/show`)
    await press(page, 'Mark as sent')
    await press(page.getByRole('dialog'), 'Mark as sent')
    await page.getByText('Now: Sent').waitFor()
    await page.getByRole('button', { name: 'Reject' }).waitFor()
    await press(page, 'Accept')
    await page.getByText(/is final/).waitFor()
    await press(page.getByRole('dialog'), 'Accept')
    await page.getByText('Now: Accepted').waitFor()
    await page.getByRole('button', { name: 'Accept' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Mark as sent' }).count()).toBe(0)
  })

  test('hours are approved where they are listed', async () => {
    const project = await admin.record('projects', { name: 'Site' })
    const worker = await admin.record('workers', { name: 'Grace' })
    await visit(stage, page, `/projects/${project}/show`)
    await page.getByRole('tab', { name: 'Time entries' }).click()
    await press(page, 'New time entry')
    const dialog = page.getByRole('dialog', { name: 'New time entry' })
    await dialog.getByRole('combobox', { name: 'Worker' }).fill('gra')
    await page.getByRole('option', { name: 'Grace' }).click()
    await fill(dialog, 'Hours', '7.5')
    await dialog.getByLabel('Day').fill('2026-03-02')
    await press(dialog, 'Create')
    await press(page, 'Approve')
    await press(page.getByRole('dialog'), 'Approve')
    await page.getByText('Now: Approved').waitFor()
    expect(await stage.sql('select status from time_entries where worker_id = $1', worker)).toEqual([
      { status: 'APPROVED' },
    ])
  })
})

describe('A blocked delete', () => {
  test('says what is in the way and what to do instead, and does nothing', async () => {
    const client = await admin.record('clients', { name: 'Payer' })
    const invoice = await admin.record('invoices', { client_id: client, status: 'ISSUED', ...billed })
    await visit(stage, page, `/clients/${client}/show`)
    await press(page, 'Delete')
    const dialog = page.getByRole('dialog', { name: 'This cannot be deleted' })
    await dialog.getByText(/set its status to INACTIVE or BLOCKED/).waitFor()
    expect(await dialog.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await dialog.getByRole('link', { name: `#${invoice}` }).click()
    await page.getByRole('heading', { level: 1, name: /^INV-/ }).waitFor()
  })
})

describe('An account that may not', () => {
  test('does not see what it may not do, and is refused where it goes anyway', async () => {
    const foreman = await stage.admin({ permissions: ['PROJECTS_VIEW', 'TASKS_VIEW', 'TASKS_EDIT'] })
    const project = await foreman.record('projects', { name: 'Site' })
    const his = await stage.enter(foreman)
    const menu = his.getByRole('navigation', { name: 'Menu' }).first()
    expect(await menu.getByRole('link').allInnerTexts()).toEqual(['Home', 'Projects', 'Tasks', 'Recently deleted'])
    await visit(stage, his, `/projects/${project}/show`)
    expect(await his.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    expect(await his.getByRole('link', { name: 'Edit' }).count()).toBe(0)
    await visit(stage, his, `/projects/${project}`)
    expect(await heading(his)).toBe('Your account may not see this.')
    await visit(stage, his, '/settings')
    await his.getByText('Your account may not see this.').waitFor()
    const refused = await his.request.patch(`${stage.url}/console/records/projects/${project}`, {
      data: { name: 'Mine' },
      headers: { 'Sec-Fetch-Site': 'same-origin' },
    })
    expect(refused.status()).toBe(403)
    await his.context().close()
  })
})

describe('A field with a right of its own', () => {
  test.each([
    { who: 'with the right', held: permissions, is: 1 },
    { who: 'without it', held: permissions.filter((one) => !fieldPermissions.includes(one)), is: 0 },
  ])('is there or not in list, page, form and columns of an account $who', async ({ held, is }) => {
    const own = await stage.admin({ permissions: held })
    const id = await own.record('workers', { name: 'Grace', hourly_cost_minor: 4321, bill_rate_minor: 8765 })
    const his = await stage.enter(own)
    // The list was sorted by what is withheld by now.
    await visit(stage, his, '/workers?sort=hourly_cost_minor&order=ASC')
    await his.getByRole('link', { name: 'Grace' }).first().waitFor()
    await press(his, 'Columns')
    await his.getByText('Supervisor').first().waitFor()
    expect(stage.quiet().filter((report) => !report.includes('403'))).toEqual([])
    expect((await his.getByText('Hourly cost').count()) > 0).toBe(is > 0)
    await visit(stage, his, `/workers/${id}/show`)
    await his.getByText('Employee').first().waitFor()
    expect(await his.getByText('43.21').count()).toBe(is)
    expect(await his.getByText('87.65').count()).toBe(is)
    await visit(stage, his, `/workers/${id}`)
    await fill(his, 'Name', 'Grace Two')
    expect(await his.getByLabel('Hourly cost').count()).toBe(is)
    await press(his, 'Save')
    await his.getByRole('heading', { level: 1, name: 'Grace Two' }).waitFor()
    const [row] = await stage.sql('select hourly_cost_minor from workers where id = $1', id)
    expect(row).toEqual({ hourly_cost_minor: 4321 })
    await his.context().close()
  })
})

describe('Approving', () => {
  test.each([
    { who: 'with the right', held: permissions, is: 1 },
    { who: 'without it', held: permissions.filter((one) => one !== 'TIME_ENTRIES_APPROVE'), is: 0 },
  ])('is offered or not on the page, in the list and in the form of an account $who', async ({ held, is }) => {
    const own = await stage.admin({ permissions: held })
    const entry = {
      worker_id: await own.record('workers', { name: 'Grace' }),
      project_id: await own.record('projects', { name: 'Quay wall' }),
      ...{ worked_on: '2026-03-02', hours: 8 },
    }
    const id = await own.record('time_entries', entry)
    const his = await stage.enter(own)
    await visit(stage, his, `/time_entries/${id}/show`)
    await his.getByRole('link', { name: 'Edit' }).waitFor()
    expect(await his.getByRole('button', { name: 'Approve' }).count()).toBe(is)
    await visit(stage, his, '/time_entries')
    await his.getByRole('checkbox').last().check()
    await his.getByRole('button', { name: 'Unselect' }).waitFor()
    expect(await his.getByRole('button', { name: 'Approve' }).count()).toBe(is)
    await visit(stage, his, '/time_entries/create')
    await his.getByRole('combobox', { name: 'Status' }).click()
    await his.getByRole('option', { name: 'To approve' }).waitFor()
    expect(await his.getByRole('option', { name: 'Approved' }).count()).toBe(is)
    await his.context().close()
  })
})

describe('Home', () => {
  test('has figures that lead to the list behind them', async () => {
    const morning = await stage.admin({ permissions })
    const client = await morning.record('clients', { name: 'Quay' })
    const lines = [{ description: 'Brickwork', quantity: 1, unit: null, unit_price_minor: 12345 }]
    await morning.record('estimates', { title: 'Waiting', status: 'SENT', client_id: client, lines })
    await morning.record('estimates', { title: 'Draft' })
    const home = await stage.enter(morning)
    await home.getByRole('link', { name: /1\s*Estimates waiting for an answer\s*worth .*123\.45/ }).click()
    await home.getByRole('heading', { level: 1, name: 'Estimates' }).waitFor()
    await home.getByRole('link', { name: 'Waiting', exact: true }).waitFor()
    expect(await home.getByRole('link', { name: 'Draft', exact: true }).count()).toBe(0)
    await home.context().close()
  })
})

describe('The whole page', () => {
  test('speaks the other language and keeps it, in the dark too', async () => {
    await visit(stage, page, '/projects')
    await page.getByRole('button', { name: /Account of/ }).click()
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { level: 1, name: 'Projekte' }).waitFor()
    await page.getByRole('button', { name: /Konto von/ }).click()
    await page.getByRole('menuitemradio', { name: 'Dunkel' }).click()
    expect(await page.locator('html').getAttribute('data-scheme')).toBe('dark')
    await visit(stage, page, '/clients/create')
    expect(await heading(page)).toBe('Neuer Kunde')
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await fill(page, 'Kreditlimit', '1.250,50')
    await fill(page, 'Name', 'Hafen')
    await press(page, 'Anlegen')
    await page.getByText('1.250,50').first().waitFor()
    await page.getByRole('button', { name: /Konto von/ }).click()
    await page.getByRole('menuitemradio', { name: 'English' }).click()
  })

  test('is used by the keyboard alone: skip link, search everywhere', async () => {
    await admin.record('clients', { name: 'Findable Partners' })
    await visit(stage, page, '/')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Skip to the content' }).press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
    await page.keyboard.press('Control+k')
    await page.locator('[role=combobox]:focus').waitFor()
    await page.keyboard.type('findable')
    await page.getByRole('option', { name: /Findable Partners/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Findable Partners' }).waitFor()
  })
})
