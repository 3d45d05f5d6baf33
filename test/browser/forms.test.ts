import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { choose, fill, press, refer, violations, visit } from './steps.ts'

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

/** What is stored of the record made last. */
const stored = async (kind: string): Promise<Record<string, unknown>> =>
  (await stage.sql(`select * from ${kind} where company_id = $1 order by id desc limit 1`, admin.id))[0] ?? {}

const created = (): Promise<void> =>
  page
    .getByText(/was created\./)
    .first()
    .waitFor()

/** A script that notes the inputs that React renders from now on: it sets the type of each. */
const noteRenders = `
  window.rendered = new Set()
  const { get, set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'type')
  Object.defineProperty(HTMLInputElement.prototype, 'type', {
    get,
    set(type) {
      rendered.add(this)
      set.call(this, type)
    },
  })`

describe('The input of every kind of field', () => {
  test('text, e-mail, phone, web address, choice, reference, address, country, money, whole number, paragraph', async () => {
    await admin.record('categories', { name: 'Public works', kind: 'client' })
    await admin.record('categories', { name: 'Public diggers', kind: 'equipment' })
    await visit(stage, page, '/clients/create')
    await fill(page, 'Name', '  Bristol Harbour Trust ')
    await choose(page, 'Kind', 'Public body')
    await page.getByRole('combobox', { name: 'Category' }).fill('public')
    await page.getByRole('option', { name: 'Public works' }).waitFor()
    // The other category is one of equipment.
    expect(await page.getByRole('option').count()).toBe(1)
    await page.getByRole('option', { name: 'Public works' }).click()
    await fill(page, 'E-mail', 'ines@harbour.example')
    await fill(page, 'Phone', '+44 20 7946 0958')
    await fill(page, 'Website', 'https://harbour.example')
    await fill(page, 'City', 'Bristol')
    await refer(page, 'Country', 'united king', 'United Kingdom (GB)')
    await fill(page, 'Payment terms, days', '30')
    await fill(page, 'Credit limit', '89,999,999,999,999.99')
    await fill(page, 'Notes', 'Two\nlines')
    await press(page, 'Create')
    await created()
    expect(await stored('clients')).toMatchObject({
      name: 'Bristol Harbour Trust',
      kind: 'PUBLIC',
      email: 'ines@harbour.example',
      phone: '+44 20 7946 0958',
      website: 'https://harbour.example',
      billing_address: { city: 'Bristol', country: 'GB', line1: null },
      payment_terms_days: 30,
      credit_limit_minor: 8999999999999999,
      notes: 'Two\nlines',
    })
  })

  test('date and decimal', async () => {
    await visit(stage, page, '/equipment/create')
    await fill(page, 'Name', 'Mixer')
    await fill(page, 'Meter, hours', '812.25')
    await fill(page, 'Next service', '2027-02-28')
    await press(page, 'Create')
    await created()
    const [row] = await stage.sql(
      'select meter_hours::text, next_service_on::text from equipment where company_id = $1',
      admin.id,
    )
    expect(row).toEqual({ meter_hours: '812.25', next_service_on: '2027-02-28' })
  })

  test('lines, with totals that run along', async () => {
    await visit(stage, page, '/estimates/create')
    await fill(page, 'Title', 'Boundary wall')
    await fill(page, 'Discount, %', '2.5')
    await fill(page, 'Tax, %', '20')
    await press(page, 'Add line')
    await fill(page.getByRole('group', { name: 'Line 1' }), 'Description', 'Brickwork')
    await fill(page.getByRole('group', { name: 'Line 1' }), 'Quantity', '42.5')
    await fill(page.getByRole('group', { name: 'Line 1' }), 'Unit price', '89.00')
    await press(page, 'Add line')
    await fill(page.getByRole('group', { name: 'Line 2' }), 'Description', 'Coping')
    await fill(page.getByRole('group', { name: 'Line 2' }), 'Unit price', '10.05')
    await press(page, 'Move line 2 up')
    expect(await page.getByLabel('Totals').innerText()).toMatch(/Total\s+(US)?\$4,437\.29/)
    await press(page, 'Create')
    await created()
    const { lines, total_minor } = await stored('estimates')
    expect(total_minor).toBe(443729)
    expect((lines as { description: string }[]).map(({ description }) => description)).toEqual(['Coping', 'Brickwork'])
  })

  test('a key renders its own input, of more than a hundred', async () => {
    const line = { description: 'Wall', quantity: 1.5, unit_price_minor: 8900 }
    const lines = Array.from({ length: 40 }, () => line)
    await visit(stage, page, `/estimates/${await admin.record('estimates', { title: 'Wall', lines })}/edit`)
    await page.evaluate(noteRenders)
    const input = page.getByRole('group', { name: 'Line 20' }).getByRole('textbox', { name: 'Description' })
    await input.fill('Walls')
    await expect.poll(() => page.evaluate('[...rendered].map(({ value }) => value)')).toEqual(['Walls'])
    expect(await page.getByRole('textbox').count()).toBeGreaterThan(100)
    await fill(page.getByRole('group', { name: 'Line 20' }), 'Quantity', '12 bags')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Line 20: Quantity' }).waitFor()
  })

  test('flag', async () => {
    const project = await admin.record('projects', { name: 'Quay' })
    await admin.record('tasks', { project_id: project, title: 'Order stones' })
    await visit(stage, page, `/projects/${project}/show`)
    await page.getByRole('tab', { name: 'Tasks' }).click()
    await page.getByRole('row', { name: 'Order stones' }).getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Done' }).check()
    await press(page, 'Save')
    await page.getByText('Saved.').waitFor()
    expect(await stored('tasks')).toMatchObject({ done: true })
  })
})

describe('What is not acceptable', () => {
  beforeEach(() => visit(stage, page, '/clients/create'))

  test('is said at its field before anything is sent, in the words of the service', async () => {
    await fill(page, 'E-mail', 'nobody')
    await press(page, 'Create')
    await page.getByText('2 fields need attention').waitFor()
    const email = page.getByRole('textbox', { name: 'E-mail' })
    expect(await email.getAttribute('aria-invalid')).toBe('true')
    const { status, body } = await admin.call('POST', '/v1/clients', { body: { email: 'nobody' } })
    expect(status).toBe(422)
    for (const { message } of body.errors) {
      expect(await page.locator('form p').filter({ hasText: message }).count()).toBe(1)
    }
  })

  test('comes from the service where only that can know, and nothing typed is lost', async () => {
    await admin.record('clients', { name: 'First', tax_id: 'GB1' })
    await fill(page, 'Name', 'Second')
    await fill(page, 'Tax number', 'gb1')
    await press(page, 'Create')
    const field = page.getByRole('textbox', { name: 'Tax number' })
    await page.locator('[aria-invalid=true]').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Second')
    await fill(page, 'Tax number', 'GB2')
    await press(page, 'Create')
    await created()
  })

  test('keeps an amount that cannot be read as it was typed', async () => {
    await fill(page, 'Credit limit', '12.345')
    await page.keyboard.press('Tab')
    const sentence = page.getByText('cannot be read at "345": must have at most 2 decimals')
    await page.getByRole('alert').filter({ has: sentence }).waitFor()
    expect(await sentence.count()).toBe(2)
    expect(await page.getByRole('textbox', { name: 'Credit limit' }).inputValue()).toBe('12.345')
  })

  test.each([
    {
      locale: 'en-GB',
      label: 'Next service',
      means: 'can mean two days: choose one',
      day: '4 March 2026',
      shown: '4 Mar 2026',
    },
    {
      locale: 'de-DE',
      label: 'Nächste Wartung',
      means: 'kann zwei Tage bedeuten: Wählen Sie einen aus',
      day: '4. März 2026',
      shown: '04.03.2026',
    },
  ])('asks by one press which of two days is meant, in $locale', async ({ locale, label, means, day, shown }) => {
    const reader = await stage.enter(admin, { locale })
    await visit(stage, reader, '/equipment/create')
    await fill(reader, label, '03/04/2026')
    const input = reader.getByLabel(label, { exact: true })
    await reader.getByText(means).waitFor()
    expect(await input.getAttribute('aria-invalid')).toBe('false')
    await press(reader, day)
    expect(await input.inputValue()).toBe(shown)
    await reader.getByText(means).waitFor({ state: 'detached' })
    await reader.context().close()
  })

  test('asks before what was typed is left behind', async () => {
    await fill(page, 'Name', 'Half')
    await page.getByRole('link', { name: 'Workers' }).click()
    await press(page.getByRole('dialog'), 'Stay')
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Half')
    await page.getByRole('link', { name: 'Workers' }).click()
    await press(page.getByRole('dialog'), 'Leave')
    await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor()
  })
})

test('A filter keeps the day that is chosen for its text while the list is narrowed.', async () => {
  await admin.record('equipment', { name: 'Digger', next_service_on: '2026-03-05' })
  await visit(stage, page, '/equipment')
  await press(page, 'Filters')
  const input = page.getByLabel(/^Next service.*from$/)
  // The texts that the input shows from now on.
  const id = await input.getAttribute('id')
  await page.evaluate(`{
    window.shown = new Set()
    const look = () => {
      shown.add(document.getElementById(${JSON.stringify(id)}).value)
      requestAnimationFrame(look)
    }
    look()
  }`)
  await input.pressSequentially('03/04/2026')
  await press(page, '4 March 2026')
  await page.waitForURL(/next_service_on_from/)
  await page.waitForLoadState('networkidle')
  expect(await input.inputValue()).toBe('4 Mar 2026')
  const shown = (await page.evaluate('[...window.shown]')) as string[]
  expect(shown.slice(1)).not.toContain('')
})

describe('A double', () => {
  test('is named with a link once its field is left, and may be saved all the same', async () => {
    const id = await admin.record('workers', { name: 'Grace Okafor', phone: '+49 221 555010' })
    await visit(stage, page, '/workers/create')
    await fill(page, 'Name', 'grace  okáfor')
    await fill(page, 'Phone', '0221/555 010')
    const notice = page.getByRole('status').filter({ hasText: 'This may be there already.' })
    await notice.getByText('Name also of Grace Okafor').waitFor()
    expect(await notice.getByRole('link').getAttribute('href')).toContain(`/workers/${id}/show`)
    expect(await violations(page)).toEqual([])
    // The telephone number is still being typed, so its double is shown before anything is saved.
    await press(page, 'Create')
    await notice.getByText('Phone also of Grace Okafor').waitFor()
    await press(page, 'Create')
    await created()
    expect(await stored('workers')).toMatchObject({ name: 'grace  okáfor' })
  })

  test('is no record itself, and no value that stays as it is', async () => {
    const twins = [
      await admin.record('clients', { name: 'Twin', phone: '12345' }),
      await admin.record('clients', { name: 'Twin' }),
    ]
    await visit(stage, page, `/clients/${twins[0]}`)
    await fill(page, 'Phone', '123 45')
    await press(page, 'Save')
    await page.getByText('Saved.').first().waitFor()
    expect(await stage.sql('select phone from clients where id = $1', twins[0])).toEqual([{ phone: '123 45' }])
  })

  test('is shown before Enter saves', async () => {
    await admin.record('subcontractors', { name: 'Quick Roofs' })
    await visit(stage, page, '/subcontractors/create')
    await fill(page, 'Name', 'quick roofs')
    await page.keyboard.press('Enter')
    await page.getByText('Name also of Quick Roofs').waitFor()
    expect(await stored('subcontractors')).toMatchObject({ name: 'Quick Roofs' })
    await page.keyboard.press('Enter')
    await created()
  })
})

describe('An edit that lost the race', () => {
  test('shows what changed meanwhile beside what was typed, and loses nothing', async () => {
    const id = await admin.record('clients', { name: 'Quay', email: 'a@quay.example', phone: '12345' })
    await visit(stage, page, `/clients/${id}`)
    await fill(page, 'Name', 'Quay Trust')
    await fill(page, 'E-mail', 'mine@quay.example')
    await admin.call('PATCH', `/v1/clients/${id}`, { body: { email: 'theirs@quay.example', phone: '67890' } })
    await press(page, 'Save')
    const dialog = page.getByRole('dialog', { name: 'Somebody else changed this meanwhile' })
    await dialog.getByText('Yours: mine@quay.example').waitFor()
    await dialog.getByRole('radio', { name: 'Theirs: theirs@quay.example' }).check()
    await press(dialog, 'Go on with these')
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Quay Trust')
    expect(await page.getByRole('textbox', { name: 'Phone' }).inputValue()).toBe('67890')
    await press(page, 'Save')
    await page.getByRole('heading', { level: 1, name: 'Quay Trust' }).waitFor()
    expect(await stored('clients')).toMatchObject({ email: 'theirs@quay.example', phone: '67890', name: 'Quay Trust' })
  })
})
