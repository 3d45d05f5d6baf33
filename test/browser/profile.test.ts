import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { fill, press, violations, visit } from './steps.ts'

let stage: BrowserStage
let admin: Admin
let page: Page
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin({ name: 'Quay Builders' })
  page = await stage.enter(admin)
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

const next = 'kettle mossy ferry'

describe('The profile', () => {
  test('lists where one is signed in, and ends one of them and all others', async () => {
    const others = [await stage.enter(admin), await stage.enter(admin), await stage.enter(admin)]
    await visit(stage, page, '/profile')
    const list = page.getByRole('list', { name: 'Where you are signed in' })
    await list.getByText('This one').waitFor()
    expect(await list.getByRole('listitem').count()).toBe(4)
    await list
      .getByText(/127\.0\.0\.1 · since .* · last seen/)
      .first()
      .waitFor()
    await list
      .getByRole('button', { name: /^End the session of .*Chrome/ })
      .first()
      .click()
    await page.getByText('The session has ended.').waitFor()
    await expect.poll(() => list.getByRole('listitem').count()).toBe(3)
    await press(page, 'End all others')
    await page.getByText('2 sessions have ended.').waitFor()
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1)
    for (const other of others) {
      await other.reload()
      await other.getByRole('heading', { name: 'Sign in' }).waitFor()
      await other.context().close()
    }
  })

  test('asks for the password where the address changes', async () => {
    await visit(stage, page, '/profile')
    await fill(page, 'E-mail', `new-${admin.email}`)
    const save = page.getByRole('button', { name: 'Save' })
    expect(await save.isDisabled()).toBe(true)
    await page.getByLabel('Present password').first().fill(admin.password)
    await save.click()
    await page.getByText('Your profile is saved.').waitFor()
    admin = { ...admin, email: `new-${admin.email}` }
  })

  test('changes the password, says how good it is, and stays signed in', async () => {
    await visit(stage, page, '/profile')
    await fill(page, 'Present password', admin.password)
    await fill(page, 'New password', 'password1')
    await page.getByText('Very easily guessed').waitFor()
    expect(await violations(page)).toEqual([])
    await fill(page, 'New password', next)
    await page.getByText('Very good').waitFor()
    await fill(page, 'New password again', next)
    await press(page, 'Change password')
    await page.getByText(/The password is changed/).waitFor()
    admin = { ...admin, password: next }
    await visit(stage, page, '/projects')
  })
})

test('the sign-in hides what is typed, takes what is pasted, and is filled in by a password manager [V6.2.6] [V6.2.7]', async () => {
  const guest = await stage.open()
  await guest.goto(stage.url)
  const secret = guest.getByLabel('Password')
  await secret.waitFor()
  const attributes = async (label: string) =>
    Promise.all(['type', 'name', 'autocomplete'].map((name) => guest.getByLabel(label).getAttribute(name)))
  expect(await attributes('Password')).toEqual(['password', 'password', 'current-password'])
  expect(await attributes('E-mail')).toEqual(['email', 'email', 'username'])
  await guest.getByLabel('E-mail').fill(admin.password)
  await guest.getByLabel('E-mail').press('ControlOrMeta+a')
  await guest.getByLabel('E-mail').press('ControlOrMeta+x')
  await secret.press('ControlOrMeta+v')
  expect(await secret.inputValue()).toBe(admin.password)
  await guest.context().close()
})

test('signing out is in the menu of every page, and takes what was looked for out of the storage [V7.4.4] [V14.3.1] [V14.3.3]', async () => {
  const own = await stage.enter(admin)
  const account = () => own.getByRole('button', { name: /^Account of / })
  const stored = async (): Promise<{ [name: string]: string }> =>
    JSON.parse(await own.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })'))
  const client = await admin.record('clients', { name: 'Marigold Quays', notes: 'a secret of the client' })
  for (const place of ['/', '/clients', `/clients/${client}/show`, '/settings/api', '/profile']) {
    await visit(stage, own, place)
    await account().click()
    await own.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    await own.keyboard.press('Escape')
    await own.getByRole('menuitem', { name: 'Sign out' }).waitFor({ state: 'hidden' })
  }
  const looked = encodeURIComponent(JSON.stringify({ q: 'Marigold' }))
  await visit(stage, own, `/clients?filter=${looked}`)
  await own.getByText('Marigold Quays').first().waitFor()
  // How a list was looked at is kept for as long as somebody is signed in.
  const { 'RaStoreplumbline.clients.listParams': list, ...kept } = await stored()
  expect(list).toContain('Marigold')
  const names = Object.keys(kept).map((name) => name.replace(/^RaStoreplumbline\./, ''))
  expect(names.filter((name) => !/^(plumbline\.signed-in|version|[\w.-]+\.listParams)$/.test(name))).toEqual([])
  expect(JSON.stringify(kept)).not.toMatch(/Marigold|secret|@|plumb_live/)
  expect(await own.evaluate('document.cookie')).toBe('')
  await account().click()
  await own.getByRole('menuitem', { name: 'Sign out' }).click()
  await own.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(Object.keys(await stored())).toEqual(['RaStoreplumbline.version'])
  await own.context().close()
})

test('somebody with several accounts chooses where to go, by keyboard too', async () => {
  const other = await stage.admin({ name: 'Moor Roofing' })
  const mine = await stage.colleague(other, ['PROJECTS_VIEW'])
  const twin = await stage.colleague(admin, ['PROJECTS_VIEW'], mine.email)
  const guest = await stage.open()
  await guest.goto(stage.url)
  await guest.getByLabel('E-mail').fill(twin.email)
  await guest.getByLabel('Password').fill(mine.password)
  await press(guest, 'Sign in')
  await guest.getByRole('heading', { name: 'Where do you want to go?' }).waitFor()
  expect(await violations(guest)).toEqual([])
  await guest.getByRole('button', { name: 'Quay Builders (Grace)' }).waitFor()
  await guest.keyboard.press('Enter')
  await guest.locator('#content h1').waitFor()
  const company = 'fetch("/console/me").then((answer) => answer.json()).then(({ data }) => data.company.name)'
  expect(await guest.evaluate(company)).toBe('Moor Roofing')
  await guest.context().close()
})
