import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

type Call = { method: string; path: string; body?: JsonObject }

const inQuotes = (hash: string) => ({ 'If-Plan': `"${hash}"` })
const dry = { 'X-Dry-Run': '1' }

const planned = async (own: Company, { method, path, body }: Call, headers: Record<string, string> = {}) =>
  (await own.call(method, path, { body, headers: { ...headers, ...dry } })).body.plan
const applied = (own: Company, { method, path, body }: Call, hash: string, headers: Record<string, string> = {}) =>
  own.call(method, path, { body, headers: { ...headers, ...inQuotes(hash) } })

const writeIdForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('Every write has a name', () => {
  test('which stands in its answer, in the history and in the feed', async () => {
    const created = await company.call('POST', '/v1/clients', { body: { name: 'Named' } })
    const writeId = created.headers['x-write-id']
    expect(writeId).toMatch(writeIdForm)
    const { data } = (await company.get(`/v1/clients/${created.body.data.id}/history`)).body
    expect(data.map((change: { write_id: string }) => change.write_id)).toEqual([writeId])
  })

  test('a replay tells that of the first answer', async () => {
    const call = () =>
      company.call('POST', '/v1/clients', { body: { name: 'Once' }, headers: { 'Idempotency-Key': 'w1' } })
    const [first, second] = [await call(), await call()]
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.headers['x-write-id']).toBe(first.headers['x-write-id'])
  })

  test('of two writes each has its own, in the order of time', async () => {
    const ids = []
    for (const name of ['A', 'B', 'C']) {
      const { headers } = await company.call('POST', '/v1/clients', { body: { name } })
      ids.push(headers['x-write-id'])
    }
    expect(new Set(ids).size).toBe(3)
    expect(ids.toSorted()).toEqual(ids)
  })

  const unwritten: { why: string; call: Call; headers?: Record<string, string>; status: number }[] = [
    { why: 'a dry-run', call: { method: 'POST', path: '/v1/clients', body: { name: 'D' } }, headers: dry, status: 200 },
    { why: 'a refusal', call: { method: 'POST', path: '/v1/clients', body: {} }, status: 422 },
    {
      why: 'a stored refusal',
      call: { method: 'DELETE', path: '/v1/clients/999999999' },
      headers: { 'Idempotency-Key': 'w2' },
      status: 404,
    },
    { why: 'a read', call: { method: 'GET', path: '/v1/clients' }, status: 200 },
  ]
  test.each(unwritten)('$why has none', async ({ call: { method, path, body }, headers = {}, status }) => {
    for (let times = 0; times < 2; times++) {
      const answer = await company.call(method, path, { body, headers })
      expect([answer.status, answer.headers['x-write-id']]).toEqual([status, undefined])
    }
  })
})

describe('The plan of a dry-run says what the call would do', () => {
  test('of a create: all that the record would have but what is drawn anew each time', async () => {
    const client = await company.create('clients', { name: 'C' })
    const plan = await planned(company, {
      method: 'POST',
      path: '/v1/estimates',
      body: { title: 'E', client_id: client, lines: [{ description: 'Wall', unit_price_minor: 100 }] },
    })
    expect(plan).toMatchObject({ total: 1, would_delete: [], would_keep: [] })
    const [{ records, id, action, fields }] = plan.changes
    expect({ records, id, action }).toEqual({ records: 'estimates', id: null, action: 'created' })
    expect(fields).toMatchObject({
      title: [null, 'E'],
      client_id: [null, client],
      status: [null, 'DRAFT'],
      total_minor: [null, 100],
    })
    for (const name of ['id', 'number', 'created_at', 'updated_at', 'currency', 'notes'])
      expect(fields).not.toHaveProperty(name)
  })

  test('a number that was sent is part of it', async () => {
    const plan = await planned(company, { method: 'POST', path: '/v1/estimates', body: { title: 'E', number: 'X-1' } })
    expect(plan.changes[0].fields.number).toEqual([null, 'X-1'])
  })

  test('of an update: the old and the new value of what would change', async () => {
    const id = await company.create('clients', { name: 'Old', notes: 'n' })
    const plan = await planned(company, {
      method: 'PATCH',
      path: `/v1/clients/${id}`,
      body: { name: 'New', notes: 'n' },
    })
    expect(plan.changes).toEqual([{ records: 'clients', id, action: 'updated', fields: { name: ['Old', 'New'] } }])
  })

  test('of an update that changes nothing: nothing', async () => {
    const id = await company.create('clients', { name: 'Same' })
    const plan = await planned(company, { method: 'PATCH', path: `/v1/clients/${id}`, body: { name: 'Same' } })
    expect(plan).toMatchObject({ total: 0, changes: [] })
  })

  test('of a delete: what goes along, what stays, and each record that would change', async () => {
    const id = await company.create('clients', { name: 'Gone' })
    const contact = await company.record('contacts', { client_id: id, name: 'Ines' })
    const project = await company.create('projects', { name: 'P', client_id: id, status: 'CANCELLED' })
    const { body } = await company.call('DELETE', `/v1/clients/${id}`, { headers: dry })
    expect(body.plan).toMatchObject({
      would_delete: body.data.would_delete,
      would_keep: body.data.would_keep,
      total: 3,
    })
    expect(body.plan.changes).toEqual([
      { records: 'clients', id, action: 'deleted', fields: {} },
      // Contacts are not served, so no token may see them.
      { records: 'contacts', id: contact, action: 'deleted' },
      { records: 'projects', id: project, action: 'updated', fields: { client_id: [id, null] } },
    ])
  })

  const hidden: { why: string; scopes?: string[]; addOns?: string[] }[] = [
    { why: 'the scope', scopes: ['CLIENTS_DELETE', 'CLIENTS_VIEW'] },
    { why: 'the add-on', addOns: ['api'] },
  ]
  test.each(hidden)('fields are shown only to who has $why', async ({ scopes, addOns }) => {
    const own = await stage.company(scopes ? { scopes } : {})
    const client = await own.record('clients', { name: 'C' })
    const estimate = await own.record('estimates', {
      title: 'Secret',
      client_id: client,
      status: 'SENT',
      lines: [{ description: 'L' }],
    })
    if (addOns) await own.set({ addOns })
    const { changes } = await planned(own, { method: 'DELETE', path: `/v1/clients/${client}` })
    const of = (records: string) => changes.find((change: { records: string }) => change.records === records)
    expect(of('clients')).toHaveProperty('fields')
    expect(of('estimates')).toEqual({ records: 'estimates', id: estimate, action: 'updated' })
  })

  test('the same twice has one hash; more records than are shown are counted and part of it', async () => {
    const own = await stage.company()
    const id = await own.create('projects', { name: 'Full' })
    await stage.sql(
      `insert into tasks (company_id, project_id, title, done) select $1, $2, 'T' || n, false from generate_series(1, 1200) n`,
      own.id,
      id,
    )
    const call = { method: 'DELETE', path: `/v1/projects/${id}` }
    const [one, two] = [await planned(own, call), await planned(own, call)]
    expect(one.hash).toBe(two.hash)
    expect([one.total, one.changes.length, one.would_delete[0].count, one.would_delete[0].ids.length]).toEqual([
      1201, 1000, 1200, 20,
    ])
    await stage.sql(`delete from tasks where company_id = $1 and title = 'T1150'`, own.id)
    await stage.sql(
      `insert into tasks (company_id, project_id, title, done) values ($1, $2, 'Other', false)`,
      own.id,
      id,
    )
    expect((await planned(own, call)).hash).not.toBe(one.hash)
  })
})

describe('If-Plan: the call does what was planned, or nothing', () => {
  test('it does it where nothing came between', async () => {
    const own = await stage.company()
    const client = await own.create('clients', { name: 'C' })
    const calls: Call[] = [
      { method: 'POST', path: '/v1/estimates', body: { title: 'E', client_id: client } },
      { method: 'PATCH', path: `/v1/clients/${client}`, body: { name: 'D' } },
      { method: 'DELETE', path: `/v1/clients/${client}` },
    ]
    for (const call of calls) {
      const { hash } = await planned(own, call)
      const answer = await applied(own, call, hash)
      expect([200, 201]).toContain(answer.status)
      expect(answer.body.plan).toBeUndefined()
    }
  })

  const between: { what: string; call: (ids: Ids) => Call; change: (own: Company, ids: Ids) => Promise<unknown> }[] = [
    {
      what: 'the record has changed',
      call: ({ client }) => ({ method: 'PATCH', path: `/v1/clients/${client}`, body: { name: 'Mine' } }),
      change: (own, { client }) => own.call('PATCH', `/v1/clients/${client}`, { body: { notes: 'Yours' } }),
    },
    {
      what: 'the record has been changed to the same',
      call: ({ client }) => ({ method: 'PATCH', path: `/v1/clients/${client}`, body: { name: 'Mine' } }),
      change: (own, { client }) => own.call('PATCH', `/v1/clients/${client}`, { body: { name: 'Mine' } }),
    },
    {
      what: 'a column that a rule reads of another record has changed',
      call: ({ project }) => ({ method: 'POST', path: '/v1/estimates', body: { title: 'E', project_id: project } }),
      change: (own, { other, project }) => own.call('PATCH', `/v1/projects/${project}`, { body: { client_id: other } }),
    },
    {
      what: 'something more would go along',
      call: ({ client }) => ({ method: 'DELETE', path: `/v1/clients/${client}` }),
      change: (own, { client }) => own.record('contacts', { client_id: client, name: 'New' }),
    },
    {
      what: 'something else refers to it and would stay',
      call: ({ client }) => ({ method: 'DELETE', path: `/v1/clients/${client}` }),
      change: (own, { client }) => own.create('projects', { name: 'P', client_id: client, status: 'CANCELLED' }),
    },
  ]
  type Ids = { client: number; other: number; project: number }
  test.each(between)('not where $what', async ({ call, change }) => {
    const own = await stage.company()
    const client = await own.create('clients', { name: 'C' })
    const other = await own.create('clients', { name: 'O' })
    const project = await own.create('projects', { name: 'P', status: 'CANCELLED', client_id: client })
    const ids = { client, other, project }
    const wanted = call(ids)
    const plan = await planned(own, wanted)
    await change(own, ids)
    const before = await historyOf(own)
    const refused = await applied(own, wanted, plan.hash)
    expect(refused).toMatchObject({ status: 412, body: { code: 'plan_changed' } })
    expect(refused.body.plan.hash).not.toBe(plan.hash)
    expect(await historyOf(own)).toEqual(before)
    expect((await applied(own, wanted, refused.body.plan.hash)).status).toBeLessThan(300)
  })

  test('a column that no rule reads may change', async () => {
    const own = await stage.company()
    const client = await own.create('clients', { name: 'C' })
    const call = { method: 'POST', path: '/v1/projects', body: { name: 'P', client_id: client } }
    const { hash } = await planned(own, call)
    await own.call('PATCH', `/v1/clients/${client}`, { body: { name: 'Renamed' } })
    expect((await applied(own, call, hash)).status).toBe(201)
  })

  test('neither what is drawn anew nor who else wrote the same changes a plan', async () => {
    const own = await stage.company()
    const call = { method: 'POST', path: '/v1/estimates', body: { title: 'E' } }
    const { hash } = await planned(own, call)
    await own.create('estimates', { title: 'Between' })
    expect((await applied(own, call, hash)).status).toBe(201)
    expect((await applied(own, call, hash)).status).toBe(201)
  })

  const others: { what: string; other: (call: Call) => { call: Call; headers?: Record<string, string> } }[] = [
    { what: 'another body', other: (call) => ({ call: { ...call, body: { name: 'Other' } } }) },
    {
      what: 'another record',
      other: (call) => ({ call: { ...call, path: call.path.replace('clients', 'projects') } }),
    },
    { what: 'a condition', other: (call) => ({ call, headers: { 'If-Match': '*' } }) },
  ]
  test.each(others)('a plan is not that of $what', async ({ other }) => {
    const own = await stage.company()
    const id = await own.create('clients', { name: 'C' })
    await stage.sql(`insert into projects (company_id, id, name, status) values ($1, $2, 'C', 'ACTIVE')`, own.id, id)
    const call = { method: 'PATCH', path: `/v1/clients/${id}`, body: { name: 'D' } }
    const { hash } = await planned(own, call)
    const { call: another, headers } = other(call)
    expect((await applied(own, another, hash, headers)).body.code).toBe('plan_changed')
  })

  test('nor that of another company', async () => {
    const [one, two] = [await stage.company(), await stage.company()]
    const call = { method: 'POST', path: '/v1/clients', body: { name: 'C' } }
    const { hash } = await planned(one, call)
    expect((await applied(two, call, hash)).body.code).toBe('plan_changed')
  })

  test('with a dry-run it says whether the plan is still true', async () => {
    const own = await stage.company()
    const id = await own.create('clients', { name: 'C' })
    const call = { method: 'PATCH', path: `/v1/clients/${id}`, body: { name: 'D' } }
    const { hash } = await planned(own, call)
    expect((await applied(own, call, hash, dry)).status).toBe(200)
    await own.call('PATCH', `/v1/clients/${id}`, { body: { notes: 'n' } })
    expect((await applied(own, call, hash, dry)).body.code).toBe('plan_changed')
  })

  test('with a key: a refusal uses up nothing, a stored success is replayed whatever If-Plan says', async () => {
    const own = await stage.company()
    const call = { method: 'POST', path: '/v1/clients', body: { name: 'C' } }
    const key = { 'Idempotency-Key': 'planned' }
    const refused = await applied(own, call, `sha256-${'A'.repeat(43)}`, key)
    expect(refused.body.code).toBe('plan_changed')
    const done = await applied(own, call, refused.body.plan.hash, key)
    expect(done.status).toBe(201)
    const again = await applied(own, call, `sha256-${'B'.repeat(43)}`, key)
    expect([again.status, again.headers['idempotency-replayed'], again.text]).toEqual([201, 'true', done.text])
    expect((await own.call('POST', '/v1/clients', { body: call.body, headers: key })).text).toBe(done.text)
    const calls = await own.calls()
    expect(calls.map(({ status, code, counted }) => ({ status, code, counted }))).toEqual([
      { status: 412, code: 'plan_changed', counted: true },
      { status: 201, code: null, counted: true },
      { status: 201, code: null, counted: false },
      { status: 201, code: null, counted: false },
    ])
  })

  const bad = [
    '',
    'sha256-x',
    `sha256-${'A'.repeat(43)}`,
    `"sha256-${'A'.repeat(42)}"`,
    `"sha256-${'A'.repeat(44)}"`,
    `W/"sha256-${'A'.repeat(43)}"`,
    '*',
    `"sha256-${'A'.repeat(43)}", "b"`,
    `"sha256-${'A'.repeat(900)}"`,
  ]
  test.each(bad)('%s is refused before anything is asked', async (value) => {
    const answer = await company.call('POST', '/v1/clients', { body: { name: 'Never' }, headers: { 'If-Plan': value } })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_header' } })
    expect(answer.body.detail).toContain('if-plan')
  })

  test('twice it is refused, on a read it means nothing', async () => {
    const hash = `"sha256-${'A'.repeat(43)}"`
    const twice = await stage.send({
      method: 'DELETE',
      path: '/v1/clients/1',
      headers: [
        ['Authorization', `Bearer ${company.token}`],
        ['If-Plan', hash],
        ['If-Plan', hash],
      ],
    })
    expect(twice).toMatchObject({ status: 400, body: { code: 'invalid_header' } })
    expect((await company.get('/v1/clients', { 'If-Plan': 'whatever' })).status).toBe(200)
  })

  test('of two who apply plans made before each other’s change, one succeeds', async () => {
    const own = await stage.company()
    const id = await own.create('clients', { name: 'C' })
    const calls = ['A', 'B'].map((name) => ({ method: 'PATCH', path: `/v1/clients/${id}`, body: { name } }))
    const plans = await Promise.all(calls.map((call) => planned(own, call)))
    const answers = await Promise.all(calls.map((call, index) => applied(own, call, plans[index].hash)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412])
  })
})

const historyOf = (own: Company) =>
  stage.sql('select id, records, record_id, action from history where company_id = $1 order by id', own.id)
