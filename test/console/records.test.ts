import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import type { Company } from '../stage/stage.ts'

import { type ConsoleStage, oneOfEach, openConsole, type Person } from './stage.ts'

let stage: ConsoleStage
let admin: Person & { company: Company }
let ids: { [kind: string]: number }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin({ addOns: [] })
  ids = await oneOfEach(admin.company)
})
afterAll(() => stage.close())

const served = registry.filter((definition) => definition.served)
const titles = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map(({ name }) => name)

describe.each(registry)('$name', ({ name, title, fields }) => {
  test('is listed and fetched, whatever the add-ons', async () => {
    const { body } = await admin.get(`/console/records/${name}?limit=1&id_in=${ids[name]}`)
    expect(body.meta).toEqual({ total: 1, limit: 1, offset: 0 })
    const one = await admin.get(`/console/records/${name}/${ids[name]}`)
    expect(one.body.data).toEqual(body.data[0])
    expect(Object.keys(one.body.data)).toEqual(Object.keys(fields))
    expect(one.headers.etag).toMatch(/^"1-[\w-]{22}"$/)
    const again = await admin.get(`/console/records/${name}/${ids[name]}`, { 'If-None-Match': one.headers.etag ?? '' })
    expect(again).toMatchObject({ status: 200, text: one.text, headers: { 'cache-control': 'no-store' } })
    expect((await admin.get(`/console/records/${name}/${ids[name]}?fields=${title}`)).body.data).toHaveProperty(title)
  })

  test('takes each of its references, choices, flags and days as a filter', async () => {
    const record = await admin.data(`/console/records/${name}/${ids[name]}`)
    const filters = Object.entries(fields).flatMap(([field, { kind }]) => {
      const value = record[field] ?? (kind === 'reference' ? 999_999 : kind === 'choice' ? undefined : '2020-01-01')
      if (['reference', 'choice', 'flag'].includes(kind) && value !== undefined) return [`${field}=${value}`]
      return kind === 'date' ? [`${field}_from=${value}&${field}_to=${value}`] : []
    })
    for (const filter of filters) {
      const answer = await admin.get(`/console/records/${name}?${filter}&id_in=${ids[name]}`)
      expect(answer.status, filter).toBe(200)
      const [field] = filter.split(/_from=|=/, 1) as [string]
      expect(answer.body.meta.total, filter).toBe(record[field] === null ? 0 : 1)
    }
  })

  test('has the history of its creation', async () => {
    const { body } = await admin.get(`/console/records/${name}/${ids[name]}/history`)
    expect(body.data.at(-1)).toMatchObject({
      who: null,
      door: 'command',
      token_label: null,
      action: 'created',
      changes: null,
    })
    expect(body.data.at(-1).at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })
})

describe('Lists', () => {
  let own: Person & { company: Company }
  beforeAll(async () => {
    own = await stage.admin()
    for (const [name, status, start] of [
      ['Alpha', 'ACTIVE', '2026-01-01'],
      ['Beta', 'ON_HOLD', '2026-02-01'],
      ['Gamma', 'BIDDING', '2026-03-01'],
      ['Delta', 'ACTIVE', null],
    ] as const) {
      await own.company.record('projects', { name, status, start_date: start })
    }
  })
  const list = (query: string) => own.get(`/console/records/projects?${query}`)

  test.each([
    ['sort=name', ['Alpha', 'Beta', 'Delta', 'Gamma']],
    ['sort=-name&limit=2&offset=1', ['Delta', 'Beta']],
    ['q=alp', ['Alpha']],
    ['status=ACTIVE', ['Alpha', 'Delta']],
    ['status=ACTIVE,BIDDING', ['Alpha', 'Gamma', 'Delta']],
    ['start_date_from=2026-02-01', ['Beta', 'Gamma']],
    ['start_date_to=2026-02-01', ['Alpha', 'Beta']],
    ['start_date_from=2026-01-15&start_date_to=2026-02-15&status=ON_HOLD', ['Beta']],
    ['updated_since=2100-01-01T00:00:00Z', []],
  ])('%s', async (query, names) => {
    expect(titles(await list(query))).toEqual(names)
  })

  test('id_in fetches several at once, in one request', async () => {
    const all = await own.data('/console/records/projects')
    const [first, , third] = all.map(({ id }: { id: number }) => id)
    expect(titles(await list(`id_in=${third},${first},${ids.projects}`))).toEqual(['Alpha', 'Gamma'])
  })

  test.each([
    ['id_in=', 'id_in'],
    ['id_in=1,x', 'id_in'],
    [`id_in=${Array.from({ length: 101 }, () => 1).join(',')}`, 'id_in'],
    ['status=ACTIVE,NOPE', 'status_in'],
    ['status=NOPE', 'status'],
    ['start_date_from=2026-02-30', 'start_date_from'],
    ['limit=0', 'limit'],
    ['client_id=x', 'client_id'],
  ])('%s is refused', async (query, name) => {
    const { status, body } = await list(query)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_parameter' })
    expect(body.detail).toMatch(new RegExp(`^${name} `))
  })
})

describe('Writes', () => {
  test('create, update, lost race, preview and delete have the envelopes of /v1', async () => {
    const create = await admin.ask('POST', '/console/records/clients', { name: 'Ada' })
    const id = create.body.data.id
    expect(create).toMatchObject({ status: 201, body: { data: { created: true, dry_run: false } } })
    expect(create.headers.location).toBe(`/console/records/clients/${id}`)
    const at = `/console/records/clients/${id}`
    const tag = { 'If-Match': create.headers.etag ?? '' }

    const update = await admin.ask('PATCH', at, { notes: 'x' }, tag)
    expect(update.body.data).toEqual({ id, updated: true, dry_run: false, changed: ['notes'] })
    const lost = await admin.ask('PATCH', at, { notes: 'y' }, tag)
    expect(lost).toMatchObject({ status: 412, body: { code: 'precondition_failed' } })
    expect((await admin.data(at)).notes).toBe('x')
    const unreadable = await admin.ask('PATCH', at, { notes: 'y' }, { 'If-Match': 'unquoted' })
    expect(unreadable.body.code).toBe('invalid_header')

    const preview = await admin.ask('DELETE', `${at}?dry_run=1`)
    expect(preview.body.data).toEqual({
      id,
      deleted: false,
      dry_run: true,
      mode: 'soft',
      would_delete: [],
      would_keep: [],
    })
    const removal = await admin.ask('DELETE', at)
    expect(removal.body.data).toEqual({ id, deleted: true, dry_run: false, mode: 'soft', deleted_with: [], kept: [] })
    expect((await admin.get(at)).status).toBe(404)
    expect((await admin.get(`${at}/history`)).body.data).toMatchObject([
      { action: 'deleted', who: { account_id: admin.id, name: 'Femi' }, door: 'web' },
      { action: 'changed', changes: { notes: [null, 'x'] }, door: 'web' },
      { action: 'created', door: 'web', token_label: null },
    ])
  })

  test('history tells a token from a person', async () => {
    const own = await stage.admin()
    const id = await own.company.create('clients', { name: 'By token' })
    const [line] = (await own.get(`/console/records/clients/${id}/history`)).body.data
    expect(line).toMatchObject({
      who: { account_id: own.company.accountId, name: 'Ada' },
      door: 'api',
      token_label: 'Test',
    })
  })

  test('a protected record is refused with what blocks it and what to do instead', async () => {
    await stage.sql("update invoices set status = 'ISSUED' where id = $1", ids.invoices)
    const { status, body } = await admin.ask('DELETE', `/console/records/projects/${ids.projects}?dry_run=1`)
    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'delete_blocked',
      blocked_by: [{ records: 'invoices', count: 1, ids: [ids.invoices] }],
    })
    await stage.sql("update invoices set status = 'DRAFT' where id = $1", ids.invoices)
  })

  test('the plan holds for the console too', async () => {
    const own = await stage.admin({ plan: 'STARTER' })
    await stage.sql("update plan_usage set used = 25 where company_id = $1 and records = 'projects'", own.company.id)
    const answer = await own.ask('POST', '/console/records/projects', { name: 'One more' })
    expect(answer).toMatchObject({ status: 402, body: { code: 'plan_limit_reached', limit: 25, used: 25 } })
    expect((await own.get('/console/records/projects')).body.meta.total).toBe(0)
  })

  test('are not metered', async () => {
    expect(await admin.company.calls()).toEqual([])
  })
})

describe('The same body meets the same validation through both channels [V2.2.2]', () => {
  test.each(served)('$name', async ({ name, title, fields }) => {
    const own = await stage.admin()
    const { currency: _, ...known } = fields
    const bodies: unknown[] = [
      {},
      [],
      'text',
      { nope: 1 },
      Object.fromEntries(Object.keys(known).map((field) => [field, null])),
      Object.fromEntries(Object.keys(known).map((field) => [field, { wrong: true }])),
      Object.fromEntries(Object.keys(known).map((field) => [field, ''])),
      Object.fromEntries(Object.keys(known).map((field) => [field, 'x'.repeat(20_000)])),
      Object.fromEntries(Object.keys(known).map((field) => [field, -1])),
      Object.fromEntries(
        Object.entries(known).map(([field, { kind }]) => [field, kind === 'reference' ? 999_999 : 'A']),
      ),
      { [title]: 'T', status: 'LEFT' },
      { [title]: 'T', status: 'SENT' },
      { [title]: 'T', status: 'IN_USE' },
    ]
    const errorsOf = ({ status, body }: { status: number; body: { errors?: unknown } }) => ({
      status,
      errors: body.errors,
    })
    const id = await own.company.create(name, { [title]: 'Target' })
    for (const body of bodies) {
      const pairs = [
        [
          own.company.call('POST', `/v1/${name}?dry_run=1`, { body }),
          own.ask('POST', `/console/records/${name}?dry_run=1`, body),
        ],
        [
          own.company.call('PATCH', `/v1/${name}/${id}?dry_run=1`, { body }),
          own.ask('PATCH', `/console/records/${name}/${id}?dry_run=1`, body),
        ],
      ]
      for (const pair of pairs) {
        const [api, web] = (await Promise.all(pair)).map(errorsOf)
        expect(web).toEqual(api)
      }
    }
    for (const raw of ['', '{', '{"a":1,"a":2}', '{"a":1e400}', '{"a":"\\ud800"}']) {
      const api = await own.company.call('POST', `/v1/${name}`, { raw })
      const web = await stage.ask('POST', `/console/records/${name}`, {
        raw,
        cookie: own.cookie,
        headers: { 'Content-Type': 'application/json' },
      })
      expect({ ...web.body, request_id: '' }).toEqual({ ...api.body, request_id: '' })
    }
  })
})

describe('What the interface shows before it writes, and takes back', () => {
  test('a deletion does what its preview said, or is told what it would do now', async () => {
    const own = await stage.admin()
    const id = await own.company.create('clients', { name: 'C' })
    const path = `/console/records/clients/${id}`
    const { plan } = (await own.ask('DELETE', `${path}?dry_run=1`)).body
    await own.company.record('contacts', { client_id: id, name: 'Ines' })
    const refused = await own.ask('DELETE', path, undefined, { 'If-Plan': `"${plan.hash}"` })
    expect(refused).toMatchObject({ status: 412, body: { code: 'plan_changed' } })
    // Anyone who sees the resource sees its fields; no add-on closes the interface.
    expect(refused.body.plan.changes).toMatchObject([
      { records: 'clients', fields: {} },
      { records: 'contacts', fields: {} },
    ])
    expect((await own.ask('DELETE', path, undefined, { 'If-Plan': `"${refused.body.plan.hash}"` })).status).toBe(200)
  })

  test('every write has a name in its answer and in the history, by which anybody with the right takes it back', async () => {
    const own = await stage.admin()
    const { data } = (await own.ask('POST', '/console/records/trades', { name: 'Mason' })).body
    const written = await own.ask('DELETE', `/console/records/trades/${data.id}`)
    const [line] = await own.data(`/console/records/trades/${data.id}/history`)
    expect(line).toMatchObject({ action: 'deleted', write_id: written.headers['x-write-id'] })

    const lacking = await stage.person(
      own.company,
      permissions.filter((code) => code !== 'TRADES_EDIT'),
    )
    const path = `/console/writes/${line.write_id}/undo`
    expect(await lacking.ask('POST', path)).toMatchObject({ status: 403, body: { required_scope: 'TRADES_EDIT' } })
    expect((await own.ask('POST', `${path}?dry_run=1`)).body).toMatchObject({ data: { undone: false, records: 1 } })
    const undone = await own.ask('POST', path)
    expect(undone.body.data).toMatchObject({ undone: true, records: 1, remaining: 0 })
    expect((await own.get(`/console/records/trades/${data.id}`)).status).toBe(200)
    // A token takes back what tokens wrote.
    expect((await own.company.call('POST', `/v1/writes/${undone.headers['x-write-id']}/undo`)).status).toBe(404)
  })

  test('what a token wrote is taken back too', async () => {
    const own = await stage.admin()
    const created = await own.company.call('POST', '/v1/clients', { body: { name: 'By a token' } })
    expect((await own.ask('POST', `/console/writes/${created.headers['x-write-id']}/undo`)).status).toBe(200)
    expect((await own.get(`/console/records/clients/${created.body.data.id}`)).status).toBe(404)
  })
})
