import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Definition } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { registry } from '#registry/resources/index.ts'
import { createWebhook } from '#server/service/webhooks.ts'
import { sendTest } from '#server/webhooks/delivery.ts'
import { setAgentsOf, useRaw } from '../agents/stage.ts'
import { oneOfEach } from '../console/stage.ts'
import { type Admin, type BrowserStage, openBrowserStage } from './stage.ts'
import { follow, violations, visit } from './steps.ts'

/**
 * Texts of others that hide or turn themselves, in every field and name that can store one, and what every page shows of
 * them. They are written past the checks of fields, as older versions stored them. `PICTURES=<folder>` keeps a picture
 * of each page.
 */

const hostile = [
  // Turns what follows round: reads "Quay exe.gnp".
  'Quay \u202egnp.exe',
  // Nothing to see at all.
  '\u200b\u2060\u00ad',
  // Looks like another name.
  'Har\u200bbor Tr\u2063ust\ufeff',
  // Blanks alone.
  '   ',
  // Marks that reach into the lines above and below.
  `Z${'\u0300\u0336\u0489'.repeat(12)}algo`,
  // Control characters: colours, the title of a terminal, a backspace.
  '\u001b[31mred\u001b]0;owned\u0007\u0008\u009b0m',
  // Written from right to left, with a number beside it.
  '\u05e9\u05dc\u05d5\u05dd 1234',
  // Never ended isolates and embeddings.
  '\u2066\u2067\u202babc',
  // A mark that would strike out the letter before it.
  '\u0338gone',
  // Letters without a shape.
  '\u3164\u2800\u115f',
  // Tags.
  'a\u{e0041}\u{e0042}b',
  `${'long '.repeat(4000)}`,
] as const

/** What no page may contain as it is: what hides, turns or controls. The service sets right-to-left names apart by isolates. */
const unshown = /(?![\n\t\u2068\u2069])[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/u

let turn = 0
/** The next text, with something of its own for unique fields, in at most `max` characters. */
function next(max: number): string {
  const text = hostile[turn++ % hostile.length] as string
  return [...`${text}${text.length > 10 ? turn : ''}`].slice(0, max).join('')
}

/** A hostile value of a field; undefined where it is no text. */
function hostileValue(field: Field): Json | undefined {
  switch (field.kind) {
    case 'text':
    case 'paragraph':
      return next(field.max)
    case 'email':
      return `a${next(100)}@b.example`
    case 'phone':
      return `+44 20\u202e${turn++ % 1000}`
    case 'url':
      return `https://a.example/${next(100)}`
    case 'address':
      return { line1: next(200), line2: null, city: next(100), region: next(100), postal_code: next(20), country: 'GB' }
    case 'lines':
      return [{ description: next(500), unit: next(20), quantity: 2, unit_price_minor: 5, discount_pct: null }]
    default:
      return undefined
  }
}

let stage: BrowserStage
let admin: Admin
let places: string[]
let pages: Page[]
const pictures = process.env.PICTURES
beforeAll(async () => {
  stage = await openBrowserStage({ CALL_DETAILS_KEPT_DAYS: '7' })
  admin = await stage.admin()
  await setAgentsOf(stage, admin)
  if (pictures) await mkdir(pictures, { recursive: true })
  places = await furnish()
  // One sign-in at a time: a service lets few at once compare passwords.
  pages = []
  for (const look of looks) pages.push(await stage.enter(admin, optionsOf(look)))
})
afterAll(() => stage.close())
afterEach(() => expect(stage.quiet()).toEqual([]))

async function furnish(): Promise<string[]> {
  const ids = await oneOfEach(admin)
  const refused: string[] = []
  let stored = 0
  const set = async (table: string, column: string, value: Json, id: number | string | null) => {
    const isJson = typeof value === 'object'
    const shown = isJson ? JSON.stringify(value) : value
    const where = id === null ? '' : ' and id = $3'
    const values = [admin.id, shown, ...(id === null ? [] : [id])]
    const owner = table === 'companies' ? 'id' : 'company_id'
    await stage
      .sql(`update ${table} set ${column} = $2${isJson ? '::jsonb' : ''} where ${owner} = $1${where}`, ...values)
      .then(
        () => stored++,
        (error: Error) => refused.push(`${table}.${column}: ${error.message}`),
      )
  }
  const preview = await wait(ids)
  const webhook = await fail()
  for (const definition of registry)
    for (const [name, field] of Object.entries(definition.fields)) {
      const value = hostileValue(field)
      if (value !== undefined) await set(definition.name, name, value, ids[definition.name] as number)
    }
  for (const [table, column, max] of [
    ['companies', 'name', 60],
    ['accounts', 'name', 60],
    ['tokens', 'label', 60],
    ['webhook_endpoints', 'name', 60],
    ['previews', 'why', 500],
    ['previews', 'client', 80],
    ['webhook_attempts', 'detail', 200],
    ['webhook_attempts', 'answer_body', 200],
    ['sessions', 'device', 100],
    ['removals', 'title', 100],
    ['call_details', 'request_body', 300],
    ['imports', 'file_name', 100],
  ] as const)
    await set(table, column, next(max), null)
  // The answer of a refused call is read as a problem.
  const errors = [{ field: next(40), code: 'wrong_type', message: next(80) }]
  await stage.sql(
    'update call_details set answer_body = $2 where company_id = $1',
    admin.id,
    JSON.stringify({ code: 'validation_failed', detail: next(200), errors }),
  )
  // The addresses of accounts and of webhooks, which must stay usable.
  const { email } = await stage.colleague(admin, ['PROJECTS_VIEW'])
  await stage.sql(
    'update accounts set email = $2 where company_id = $1 and email = $3',
    admin.id,
    `eve\u202e${email}`,
    email,
  )
  // What the database refuses cannot be shown.
  expect(stored, refused.join('\n')).toBeGreaterThan(60)
  const [call] = await stage.sql<{ id: number }>(
    'select c.id from calls c join call_details d using (company_id, request_id) where company_id = $1 limit 1',
    admin.id,
  )
  const shows = (definition: Definition): string[] => {
    const id = ids[definition.name]
    return definition.served || ['contacts', 'time_entries', 'invoices'].includes(definition.name)
      ? [`/${definition.name}`, `/${definition.name}/${id}/show`, `/${definition.name}/${id}`]
      : []
  }
  return [
    '/',
    ...registry.flatMap(shows),
    '/removals',
    '/agents',
    `/agents/${preview}`,
    '/settings/api',
    '/settings/agents',
    '/settings/webhooks',
    `/settings/webhooks/${webhook}`,
    '/settings/calls',
    '/settings/calls?about=a%E2%80%AEb&peer=%E2%80%8B&route=%E2%80%AExyz',
    `/settings/calls/${call?.id}`,
    '/settings/history',
    '/settings/audit',
    '/settings/accounts',
    '/settings/company',
    '/settings/lists',
    '/profile',
  ]
}

/** A preview that deletes and changes records, after the same token has renamed one; and calls with hostile bodies. */
async function wait(ids: { [kind: string]: number }): Promise<string> {
  const doomed = await admin.create('clients', { name: 'Big Important Customer Ltd' })
  await admin.record('contacts', { client_id: doomed, name: 'Ines' })
  await admin.call('PATCH', `/v1/clients/${doomed}`, { body: { name: 'zz test \u202egnp' } })
  await admin.call('POST', '/v1/clients', { body: { name: 'x', email: 'no\u202ebody', 'unk\u200bnown': 1 } })
  await admin.call('GET', '/v1/clients?so\u202ert=1', { headers: { 'User-Agent': 'agent/1' } }).catch(() => undefined)
  const operations = [
    { op: 'delete', records: 'clients', id: doomed },
    { op: 'update', records: 'projects', id: ids.projects as number, body: { notes: hostile[0] } },
    { op: 'create', records: 'clients', body: { name: hostile[2] } },
  ] as JsonObject[]
  const { data, isError } = await useRaw(stage, admin, 'preview', { operations, why: 'tidying up' })
  if (isError) throw new Error(JSON.stringify(data))
  await useRaw(stage, admin, 'apply', { preview: data.preview })
  const gone = await admin.create('clients', { name: 'Gone' })
  await admin.call('DELETE', `/v1/clients/${gone}`)
  await admin.calls()
  return data.preview
}

async function fail(): Promise<number> {
  const by = { actor: admin.actor, keys: stage.app.secret, now: new Date() }
  const wanted = { name: 'L', url: 'https://192.0.2.1/h', events: 'all', payload: 'full', ordered: true } as const
  const { webhook } = await stage.inTransaction((transaction) => createWebhook(transaction, by, wanted))
  await sendTest(stage.app, admin.id, webhook.id)
  await stage.sql("update webhook_endpoints set failing_since = now() - interval '1 hour' where id = $1", webhook.id)
  return webhook.id
}

/** The texts and labels of the page as people and screen readers get them, without inputs, which keep what is stored. */
const textsOf = (of: Page): Promise<string[]> =>
  of.evaluate(`(() => {
    const texts = [document.title]
    const walk = (node) => {
      // An empty choice of the library holds its height by an invisible character.
      if (node.nodeType === 1 && (node.classList.contains('notranslate') || /^(SCRIPT|STYLE|TEXTAREA|NOSCRIPT)$/.test(node.tagName))) return
      if (node.nodeType === 3) texts.push(node.data)
      if (node.nodeType === 1)
        for (const name of ['title', 'aria-label', 'placeholder', 'alt', 'aria-description'])
          if (node.hasAttribute(name)) texts.push(node.getAttribute(name))
      for (const child of node.childNodes) walk(child)
    }
    walk(document.body)
    return texts
  })()`)

/** Links, buttons, headings and isolated texts in which there is nothing to see. */
const blankOnes = (of: Page): Promise<string[]> =>
  of.evaluate(`[...document.querySelectorAll('bdi, h1, h2, a[href]')]
    .filter((one) => one.getClientRects().length > 0 && !/[\\p{L}\\p{N}\\p{P}\\p{S}]/u.test(one.textContent + (one.getAttribute('aria-label') ?? '')) && !one.querySelector('svg'))
    .map((one) => one.outerHTML.slice(0, 200))`)

async function look(page: Page, name: string): Promise<void> {
  if (pictures)
    await page.screenshot({ path: join(pictures, `${name.replaceAll(/[^a-z0-9-]+/gi, '_')}.png`), fullPage: true })
  const shown = (await textsOf(page)).filter((text) => unshown.test(text))
  expect(
    shown.map((text) => JSON.stringify(text).slice(0, 200)),
    name,
  ).toEqual([])
  expect(await blankOnes(page), name).toEqual([])
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(overflow), `${name} is wider than the screen`).toBeLessThanOrEqual(0)
}

const looks = [
  { look: 'light and wide', scheme: 'light', width: 1280, locale: 'en-GB' },
  { look: 'dark and narrow, in German', scheme: 'dark', width: 390, locale: 'de-DE' },
] as const

const optionsOf = ({ scheme, width, locale }: (typeof looks)[number]) =>
  ({ colorScheme: scheme, viewport: { width, height: 860 }, locale, reducedMotion: 'reduce' }) as const

// They go on side by side.
describe.concurrent.each(looks)('A text of others neither hides nor turns itself: $look', (each) => {
  const { width } = each
  let page: Page
  beforeAll(() => {
    page = pages[looks.indexOf(each)] as Page
  })
  test('on any page', { concurrent: false }, async () => {
    for (const place of places) {
      await follow(page, place)
      await look(page, `${width} ${place}`)
    }
  })

  test('in a dialog, a search, an import or a notice', { concurrent: false }, async () => {
    const [, , , client] = [...places]
    const show = places.find((place) => /^\/clients\/\d+\/show$/.test(place)) ?? client
    await visit(stage, page, show as string)
    await page.getByRole('button', { name: /^(Delete|Löschen)$/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(Cancel|Abbrechen|Close|Schließen)$/ })
      .waitFor()
    await look(page, `${width} delete`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    for (const tab of await page.getByRole('tab').all()) {
      await tab.click()
      await page.waitForLoadState('networkidle')
      await look(page, `${width} tab ${await tab.innerText()}`)
    }

    await visit(stage, page, '/import/clients')
    const csv = `Na\u202eme,Notes,\u200b\n"${hostile[0]}","${hostile[5]}",x\n"${hostile[1]}",b,y\n"${hostile[6]}",c,\n`
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'cli\u202evsc.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await page
      .getByRole('list', { name: /^(Which field is each column for|Für welches Feld ist jede Spalte)\?$/ })
      .waitFor()
    await look(page, `${width} import columns`)

    await visit(stage, page, '/settings/accounts')
    await page
      .getByRole('button', { name: /^(Edit|.*bearbeiten)/ })
      .first()
      .click()
    await page.getByRole('dialog').waitFor()
    await look(page, `${width} account`)
    await page.keyboard.press('Escape')
  })
})

test('Who approves sees what goes first, with its name, its number and how it was called a minute ago', async () => {
  const page = await stage.enter(admin)
  const place = places.find((one) => /^\/agents\/./.test(one)) as string
  await visit(stage, page, place)
  const list = page.getByRole('list', { name: 'What is deleted' })
  await list.waitFor()
  const first = await list.innerText()
  expect(first).toMatch(/^Deleted client .*#\d+/)
  expect(first).toContain('from Big Important Customer Ltd')
  await page.getByText('2 records are deleted').waitFor()
  await page.getByRole('button', { name: 'Approve, and let 2 records be deleted' }).waitFor()
  expect(await violations(page)).toEqual([])
})
