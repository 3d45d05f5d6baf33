import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createWebhook } from '#server/service/webhooks.ts'
import { sendTest } from '#server/webhooks/delivery.ts'
import { setAgentsOf, useRaw } from '../agents/stage.ts'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { follow, violations, visit } from './steps.ts'

let stage: BrowserStage
let admin: Admin
let pages: Page[]
let ids: { project: number; estimate: number; client: number; webhook: number; call: number; preview: string }
beforeAll(async () => {
  stage = await openBrowserStage()
  admin = await stage.admin()
  ids = await furnish()
  // One sign-in at a time: a service lets few at once compare passwords.
  pages = []
  for (const look of looks) pages.push(await stage.enter(admin, optionsOf(look)))
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

/** A little of everything that pages show. */
async function furnish() {
  const client = await admin.record('clients', {
    name: 'Quay Trust',
    email: 'a@quay.example',
    website: 'https://quay.example',
  })
  const project = await admin.record('projects', { name: 'Harbour wall', client_id: client, contract_minor: 125000 })
  const lines = [{ description: 'Brickwork', quantity: 2, unit: 'm2', unit_price_minor: 8900 }]
  const estimate = await admin.record('estimates', { title: 'Wall', client_id: client, lines, status: 'SENT' })
  await admin.record('tasks', { project_id: project, title: 'Order stones' })
  await admin.record('subcontractors', { name: 'Severn', insurance_expires_on: '2020-01-01' })
  await admin.get('/v1/projects')
  await admin.get('/v1/projects', { Authorization: 'Bearer x' })
  await admin.get('/v1/projects?limit=0')
  await admin.call('POST', '/v1/clients', { body: { name: 'Quay', email: 'nobody' } })
  const old = admin.token
  admin.token = await admin.rotate()
  await admin.call('GET', '/v1/projects', { token: old })
  await admin.calls()
  const [call] = await stage.sql<{ id: number }>("select id from calls where code = 'validation_failed'")
  return {
    project,
    estimate,
    client,
    webhook: await failingWebhook(),
    call: call?.id as number,
    preview: await waiting(),
  }
}

/** A preview of an agent that waits for a person. */
async function waiting(): Promise<string> {
  await setAgentsOf(stage, admin)
  const id = await admin.record('clients', { name: 'Double' })
  const operations = [
    { op: 'create', records: 'clients', as: 'new', body: { name: 'Quay', billing_address: { city: 'Bristol' } } },
    { op: 'create', records: 'projects', body: { name: 'Wall', client_id: { $ref: 'new' }, contract_minor: 5000 } },
    { op: 'delete', records: 'clients', id },
  ]
  const { data, isError } = await useRaw(stage, admin, 'preview', { operations, why: 'a double that is to be one' })
  if (isError) throw new Error(JSON.stringify(data))
  await useRaw(stage, admin, 'apply', { preview: data.preview })
  return data.preview
}

/** One that was tried and does not arrive, with a history. */
async function failingWebhook(): Promise<number> {
  const by = { actor: admin.actor, keys: stage.app.secret, now: new Date() }
  const wanted = {
    name: 'Ledger',
    url: 'https://192.0.2.1/hooks',
    events: 'all',
    payload: 'full',
    ordered: true,
  } as const
  const { webhook } = await stage.inTransaction((transaction) => createWebhook(transaction, by, wanted))
  await sendTest(stage.app, admin.id, webhook.id)
  await stage.sql("update webhook_endpoints set failing_since = now() - interval '1 hour' where id = $1", webhook.id)
  return webhook.id
}

/** A letter stands for the id of what was furnished. */
const places = [
  '/',
  '/projects',
  '/workers',
  '/tasks',
  '/projects/:project/show',
  '/projects/:project',
  '/estimates/:estimate/show',
  '/estimates/:estimate',
  '/clients/:client',
  '/subcontractors/create',
  '/removals',
  '/agents',
  '/agents/:preview',
  '/import/clients',
  '/settings/api',
  '/settings/agents',
  '/settings/webhooks',
  '/settings/webhooks/:webhook',
  '/settings/calls',
  '/settings/calls?code=invalid_parameter&peer=127.0.0.1',
  '/settings/calls/:call',
  '/settings/history',
  '/settings/audit',
  '/settings/audit?action=deleted',
  '/settings/accounts',
  '/settings/company',
  '/settings/lists',
  '/profile',
]

/** Every place is loaded afresh in one look, and come to from the one before in the other. They go on side by side. */
const looks = [
  { look: 'light and wide', scheme: 'light', width: 1280, locale: 'en-GB', isLoaded: true },
  { look: 'dark and narrow, in German', scheme: 'dark', width: 390, locale: 'de-DE', isLoaded: false },
] as const

const optionsOf = ({ scheme, width, locale }: (typeof looks)[number]) =>
  ({ colorScheme: scheme, viewport: { width, height: 860 }, locale, reducedMotion: 'reduce' }) as const

describe.concurrent.each(looks)('$look', (look) => {
  let page: Page
  beforeAll(() => {
    page = pages[looks.indexOf(look)] as Page
  })

  test.each(places)('no violation at %s', { concurrent: false }, async (place) => {
    const there = place.replace(/:(\w+)/, (_, name) => String(ids[name as keyof typeof ids]))
    if (look.isLoaded) {
      await visit(stage, page, there)
      await page.waitForLoadState('networkidle')
    } else await follow(page, there)
    expect(await violations(page)).toEqual([])
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow), 'wider than the screen').toBeLessThanOrEqual(0)
  })

  test('neither do the sign-in page, the menu and the dialogs', { concurrent: false }, async () => {
    const stranger = await stage.open(optionsOf(look))
    await stranger.goto(stage.url)
    await stranger.locator('input[name=email]').waitFor()
    expect(await violations(stranger)).toEqual([])
    await stranger.context().close()

    await visit(stage, page, `/projects/${ids.project}/show`)
    await page.getByRole('button', { name: /^(Delete|Löschen)$/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(Cancel|Abbrechen)$/ })
      .waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('wall')
    await page.getByRole('option').first().waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: /Ada/ }).click()
    await page.getByRole('menu').waitFor()
    expect(await violations(page)).toEqual([])
  })
})
