import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataRoutesOf } from '#derive/routes.ts'
import { approvalPermissions, fieldPermissions, permissions } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import { routes } from '#server/console-api/routes.ts'
import { setAgentsOf, useRaw } from '../agents/stage.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, oneOfEach, openConsole, type Person, password, setCookies } from './stage.ts'

/** What holds for every route of the console, made from the list of them. */
let stage: ConsoleStage
let admin: Person & { company: Company }
let foreman: Person
beforeAll(async () => {
  stage = await openConsole({ WEBHOOK_NETWORKS: '127.0.0.1' })
  admin = await stage.admin()
  foreman = await stage.person(admin.company, [])
})
afterAll(() => stage.close())

const at = (path: string) => path.replace('{id}', '1')
const body = (method: string) => (['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined)
const closed = routes.filter(({ needs }) => needs !== 'nobody')
const changing = routes.filter(({ method }) => method !== 'GET')
const exporting = routes.filter(({ exports }) => exports)

test('every permission that a route needs is one that accounts can hold', () => {
  for (const { needs } of closed) expect(['session', ...permissions]).toContain(needs)
})

test('every resource has all three rights on some route', () => {
  const needed = new Set(routes.map(({ needs }) => needs))
  // Those of fields and of approvals belong to no route: `field-rights.test.ts` and `approvals.test.ts` try them.
  const elsewhere = [...fieldPermissions, ...approvalPermissions(registry)]
  expect(permissions.filter((code) => !needed.has(code))).toEqual(elsewhere)
})

describe('Without a session', () => {
  test.each(closed)('$method $path is 401', async ({ method, path }) => {
    const answer = await stage.ask(method, at(path), { body: body(method) })
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
  })
})

test('only a sign-in gives a session to somebody who has none [V6.3.4] [V6.4.2] [V7.6.2]', async () => {
  expect(routes.filter(({ needs }) => needs === 'nobody').map(({ id }) => id)).toEqual(['session.begin', 'session.end'])
  for (const { method, path, id } of routes) {
    const answer = await stage.ask(method, at(path), { body: body(method) })
    // Signing out takes cookies away, and gives none.
    const given = setCookies(answer).filter((cookie) => !/^\w+=; .*Expires=Thu, 01 Jan 1970/.test(cookie))
    expect(given, path).toEqual([])
    if (id !== 'session.end') expect(setCookies(answer), path).toEqual([])
  }
  // What a sign-in takes is an address, a password and the choice among accounts: no question, no code, no link.
  const begun = await stage.ask('POST', '/console/session', { body: { email: admin.email } })
  expect(begun.body.errors.map(({ field }: { field: string }) => field)).toEqual(['password'])
  const asked = await stage.ask('POST', '/console/session', { body: { email: admin.email, password, answer: 'Rex' } })
  expect(asked.body.errors.map(({ field }: { field: string }) => field)).toEqual(['answer'])
})

describe('Without the right', () => {
  test.each(closed.filter(({ needs }) => needs !== 'session'))(
    '$method $path is 403 [V8.2.1] [V8.3.1]',
    async ({ method, path, needs }) => {
      const answer = await foreman.ask(method, at(path), body(method))
      expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient_scope', required_scope: needs } })
      expect(answer.body.detail).toContain(needs)
    },
  )
})

describe('From another site', () => {
  const origins: { why: string; headers: { [name: string]: string } }[] = [
    { why: 'a page of another site', headers: { 'Sec-Fetch-Site': 'cross-site' } },
    { why: 'a page of a sister site', headers: { 'Sec-Fetch-Site': 'same-site' } },
    { why: 'an older browser', headers: { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' } },
    { why: 'our host with another scheme', headers: { 'Sec-Fetch-Site': '', Origin: 'https://127.0.0.1' } },
    { why: 'our host at another port', headers: { 'Sec-Fetch-Site': '', Origin: 'http://127.0.0.1:1' } },
    { why: 'a page without an origin', headers: { 'Sec-Fetch-Site': '', Origin: 'null' } },
    { why: 'who does not say', headers: { 'Sec-Fetch-Site': '' } },
  ]
  test.each(changing)('$method $path changes nothing [V3.5.1] [V3.5.2]', async ({ method, path }) => {
    for (const { why, headers } of origins) {
      const answer = await admin.ask(method, at(path), body(method), headers)
      expect(answer, why).toMatchObject({ status: 403, body: { code: 'cross_site_request' } })
    }
  })

  const referrers: { why: string; headers: { [name: string]: string } }[] = [
    { why: 'a page of another site', headers: { 'Sec-Fetch-Site': 'cross-site' } },
    { why: 'a page of a sister site', headers: { 'Sec-Fetch-Site': 'same-site' } },
    { why: 'a page of another site that does as if', headers: { 'Sec-Fetch-Site': 'cross-site', Referer: 'ours' } },
    { why: 'an older browser', headers: { 'Sec-Fetch-Site': '', Referer: 'https://evil.example/page' } },
    { why: 'our host with another scheme', headers: { 'Sec-Fetch-Site': '', Referer: 'https://127.0.0.1/' } },
    { why: 'our host at another port', headers: { 'Sec-Fetch-Site': '', Referer: 'http://127.0.0.1:1/' } },
    { why: 'our address within another', headers: { 'Sec-Fetch-Site': '', Referer: 'http://evil.example/?ours' } },
    { why: 'no address', headers: { 'Sec-Fetch-Site': '', Referer: 'about:blank' } },
    { why: 'nonsense', headers: { 'Sec-Fetch-Site': '', Referer: '::' } },
  ]
  const exported = () =>
    stage.sql("select id from history where company_id = $1 and records = 'exports'", admin.company.id)

  test.each(exporting)(
    '$method $path exports nothing, and leaves no row in the audit [V3.5.1] [V3.5.3]',
    async ({ path }) => {
      const before = (await exported()).length
      for (const { why, headers } of referrers) {
        const { Referer = '', ...rest } = headers
        const referer = Referer.replace('ours', `${stage.url}/`)
        for (const method of ['GET', 'HEAD']) {
          const answer = await admin.ask(method, path, undefined, { ...rest, Referer: referer })
          expect(answer.status, `${method}, ${why}`).toBe(403)
          if (method === 'GET') expect(answer.body, why).toMatchObject({ code: 'cross_site_request' })
        }
      }
      expect((await exported()).length).toBe(before)
      const own: { [name: string]: string }[] = [
        { 'Sec-Fetch-Site': 'same-origin' },
        { 'Sec-Fetch-Site': 'none' },
        // A navigation without TLS.
        { 'Sec-Fetch-Site': '' },
        { 'Sec-Fetch-Site': '', Referer: `${stage.url}/` },
      ]
      for (const headers of own) expect((await admin.get(path, headers)).status, JSON.stringify(headers)).toBe(200)
      expect((await exported()).length).toBe(before + own.length)
    },
  )

  test.each([
    ['the app', () => ({ 'Sec-Fetch-Site': 'same-origin' })],
    ['somebody who typed the address', () => ({ 'Sec-Fetch-Site': 'none' })],
    ['an older browser', () => ({ 'Sec-Fetch-Site': '', Origin: stage.url })],
  ])('%s may', async (_who, headers) => {
    const answer = await admin.ask('POST', '/console/records/trades', { name: crypto.randomUUID() }, headers())
    expect(answer.status).toBe(201)
  })
})

test('GET changes nothing that is kept of the company, and is answered anew each time [V3.5.3] [V14.3.2]', async () => {
  const own = await stage.admin()
  const ids = await oneOfEach(own.company)
  const tables = await stage.sql<{ name: string }>(
    `select c.table_name as name from information_schema.columns c join pg_tables t on t.tablename = c.table_name
    where t.schemaname = 'public' and c.column_name = 'company_id' order by 1`,
  )
  // When a session was last seen is noted, and calls of the API are; and that somebody exported.
  const kept = tables.map(({ name }) => name).filter((name) => !/^(sessions|calls|call_)/.test(name))
  expect(kept.length).toBeGreaterThan(20)
  const notExported: { [table: string]: string } = { history: " and records <> 'exports'" }
  const all = (): Promise<unknown[]> =>
    Promise.all(
      kept.map((table) =>
        stage.sql(
          `select '${table}' as name, array_agg(t::text order by t::text) as rows from ${table} t
          where company_id = $1${notExported[table] ?? ''}`,
          own.company.id,
        ),
      ),
    )
  const before = await all()
  const reads = routes.filter(({ method }) => method === 'GET')
  expect(reads.length).toBeGreaterThan(50)
  const countExports = async () =>
    (await stage.sql("select id from history where company_id = $1 and records = 'exports'", own.company.id)).length
  for (const { path, exports } of reads) {
    const kind = path.split('/')[3] ?? ''
    const exportsBefore = await countExports()
    const answer = await own.get(path.replace('{id}', String(ids[kind] ?? 1)))
    expect(answer.status, path).toBeLessThan(500)
    // No answer says that the browser may go on with what it has kept.
    const tag = answer.headers.etag ?? '"x"'
    const again = await own.get(path.replace('{id}', String(ids[kind] ?? 1)), { 'If-None-Match': tag })
    expect(again.status, path).toBe(answer.status)
    // A read that leaves an entry is declared as an export, which no page of another site can cause.
    expect((await countExports()) - exportsBefore, path).toBe(exports ? 2 : 0)
  }
  for (const { method, path } of dataRoutesOf(registry))
    if (method === 'GET') await own.company.get(path.replace('{id}', String(ids[path.split('/')[2] ?? ''] ?? 1)))
  expect(await all()).toEqual(before)
})

describe('Methods', () => {
  test.each([...Map.groupBy(routes, ({ path }) => path)])('%s', async (path, ofPath) => {
    const byMethod = new Set(ofPath.map(({ method }): string => method))
    const options = await stage.ask('OPTIONS', at(path))
    expect(options.status).toBe(204)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => !byMethod.has(name))) {
      const answer = await admin.ask(method, at(path), body(method))
      expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
      expect(answer.headers.allow).toBe(options.headers.allow)
    }
  })
})

describe('Parameters', () => {
  test.each(routes.filter(({ method, needs }) => method === 'GET' && needs !== 'nobody'))(
    '$path refuses one that it does not know',
    async ({ path }) => {
      const answer = await admin.get(`${at(path)}?nope=1`)
      expect(answer).toMatchObject({ status: 400, body: { code: 'unknown_parameter' } })
      expect(answer.body.detail).toContain(path)
    },
  )
})

describe('Another company’s ids [V8.2.2] [V8.4.1]', () => {
  const plain = ({ status, body }: { status: number; body: object }) => ({ status, ...body, request_id: '' })
  let theirs: { [kind: string]: number | string | undefined }
  beforeAll(async () => {
    const other = await stage.admin()
    theirs = { ...(await oneOfEach(other.company)), accounts: other.id }
    const { body } = await other.ask(
      'DELETE',
      `/console/records/clients/${await other.company.record('clients', { name: 'X' })}`,
    )
    expect(body.data.deleted).toBe(true)
    const [removal] = await other.data('/console/removals')
    theirs.removals = removal.id
    await other.company.get('/v1/projects')
    await other.company.calls()
    theirs.calls = (await other.data('/console/calls'))[0].id
    const wanted = {
      name: 'W',
      url: 'http://127.0.0.1:1/',
      events: ['clients.created'],
      payload: 'thin',
      ordered: true,
    }
    const made = await other.ask('POST', '/console/webhooks', { ...wanted, password: other.password })
    theirs.webhooks = made.body.data.webhook.id
    theirs['webhook-attempts'] = (await other.ask('POST', `/console/webhooks/${theirs.webhooks}/test`)).body.data.id
    theirs.writes = (await other.company.call('POST', '/v1/clients', { body: { name: 'W' } })).headers['x-write-id']
    const began = { file_name: 'a.csv', fingerprint: 'f', settings: {}, rows: 1 }
    theirs.imports = (await other.ask('POST', '/console/imports/clients', began)).body.data.write_id
    await setAgentsOf(stage, other.company)
    const operations = [{ op: 'create', records: 'clients', body: { name: 'P' } }]
    theirs.agents = (await useRaw(stage, other.company, 'preview', { operations, why: 'asked' })).data.preview
    theirs.sessions = (await other.data('/console/sessions'))[0].id
  })
  test.each(closed.filter(({ path }) => path.includes('{id}')))(
    '$method $path behaves as with one that does not exist',
    async ({ method, path }) => {
      const kind = path.replace('/records', '').split('/')[2] as string
      expect(theirs[kind]).toBeDefined()
      const answers = await Promise.all(
        [theirs[kind], 999_999_999].map((id) =>
          admin.ask(method, path.replace('{id}', String(id)), method === 'GET' || method === 'DELETE' ? undefined : {}),
        ),
      )
      const [first, second] = answers.map(plain)
      expect(first?.status).toBe(404)
      expect({ ...first, detail: '' }).toEqual({ ...second, detail: '' })
    },
  )
})

test('what comes of a request is counted under its route, with no id in the name', async () => {
  await admin.get('/console/records/projects/999')
  const { text } = await stage.ask('GET', '/metrics')
  expect(text).toContain('route="console.projects.fetch",status="404"')
})
