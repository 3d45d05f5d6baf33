import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '#registry/permissions.ts'
import { registry } from '#registry/resources/index.ts'
import { readConfig } from '#server/config/config.ts'
import { choresOf, sweep } from '#server/jobs/sweep.ts'
import type { CallOptions, Company } from '../stage/stage.ts'
import { type ConsoleStage, oneOfEach, openConsole, type Person } from './stage.ts'

/** What the log keeps of what calls said and were answered, and the same once more as a dry-run. */
let stage: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  stage = await openConsole()
  admin = await stage.admin()
})
afterAll(() => stage.close())

/** The last call as Settings shows it. */
async function lastCall(person: Person = admin, { company } = admin) {
  await company.calls()
  const [row] = await person.data('/console/calls?limit=1')
  return person.data(`/console/calls/${row.id}`)
}

async function called(method: string, path: string, options: CallOptions = {}) {
  await admin.company.call(method, path, options)
  return lastCall()
}

describe('A call', () => {
  test('is kept with method, path, query, the headers that matter, and both bodies', async () => {
    const headers = { 'Idempotency-Key': 'order-1', 'User-Agent': 'payroll/2', 'X-Other': 'no' }
    const call = await called('POST', '/v1/projects?dry_run=0', { body: { name: 'Quay' }, headers })
    expect(call).toMatchObject({ method: 'POST', path: '/v1/projects', hidden: null, problem: null })
    expect(call.details).toMatchObject({
      ...{ method: 'POST', path: '/v1/projects', query: 'dry_run=0' },
      request_headers: { 'idempotency-key': 'order-1', 'user-agent': 'payroll/2', 'content-type': 'application/json' },
      ...{ request_body: '{"name":"Quay"}', request_state: 'whole', request_bytes: 15, answer_state: 'whole' },
      answer_headers: { location: `/v1/projects/${call.record_id}`, etag: expect.any(String) },
    })
    expect(JSON.parse(call.details.answer_body)).toMatchObject({ data: { id: call.record_id, created: true } })
    expect(Object.keys(call.details.request_headers)).not.toContain('x-other')
  })

  test('that is refused says which fields are wrong, in the log and in full', async () => {
    const call = await called('POST', '/v1/clients', { body: { name: 'C', email: 'nobody', nope: 1 } })
    expect(call).toMatchObject({ code: 'validation_failed', about: ['email', 'nope'] })
    expect(call.problem.errors).toMatchObject([
      { field: 'email', code: 'wrong_format' },
      { field: 'nope', code: 'unknown_field' },
    ])
  })

  test('that lacks a right names it, and who lacks it now', async () => {
    const own = await stage.admin({ scopes: ['PROJECTS_VIEW'] })
    await own.company.call('POST', '/v1/projects', { body: { name: 'P' } })
    expect(await lastCall(own, own)).toMatchObject({
      about: ['PROJECTS_EDIT'],
      lacking: { scope: 'PROJECTS_EDIT', token: false, account: true },
    })
  })

  test('that is a replay keeps what it was answered', async () => {
    const again = await called('POST', '/v1/projects?dry_run=0', {
      body: { name: 'Quay' },
      headers: { 'Idempotency-Key': 'order-1' },
    })
    expect(again).toMatchObject({ replayed: true, details: { answer_headers: { 'idempotency-replayed': 'true' } } })
  })
})

describe('What must not be kept is not kept', () => {
  const withRight = registry.flatMap(({ name, served, fields }) =>
    served ? Object.entries(fields).flatMap(([field, { right }]) => (right ? [[name, field] as const] : [])) : [],
  )
  const served = registry.filter((definition) => definition.served)
  const isWithheld = new Set(withRight.map(([, field]) => field))
  test.each(withRight)('%s.%s is masked in request and answer, and in the feed', async (resource, field) => {
    const value = field.endsWith('_minor') ? 987123 : `S${Date.now()}X`
    const created = await called('POST', `/v1/${resource}`, { body: { name: 'N', [field]: value } })
    expect(created).toMatchObject({ status: 201, repeatable: 'not_whole' })
    expect(created.details).toMatchObject({
      request_body: `{"name":"N","${field}":"[masked]"}`,
      request_state: 'masked',
    })
    const reads = [
      `/v1/${resource}/${created.record_id}`,
      `/v1/${resource}`,
      `/v1/${resource}/${created.record_id}/history`,
    ]
    for (const path of [...reads, '/v1/changes?limit=100']) {
      const read = await called('GET', path)
      expect(read.details.answer_body, path).not.toContain(String(value))
    }
  })

  const secret = 'plumb_live_00ff'
  const hostile: {
    what: string
    path?: string
    raw: string | Buffer
    headers?: { [name: string]: string }
    state: string
  }[] = [
    { what: 'a token in a value', raw: `{"name":"${secret}"}`, state: 'masked' },
    { what: 'a token that is escaped', raw: '{"name":"plumb\\u005flive\\u005f00ff"}', state: 'masked' },
    { what: 'a token in the name of a member', raw: `{"${secret}":1}`, state: 'masked' },
    { what: 'a token in the query', path: `/v1/projects?x=${secret}`, raw: '{}', state: 'masked' },
    { what: 'a token that is percent-encoded', path: '/v1/projects?x=%70lumb_live_00ff', raw: '{}', state: 'masked' },
    { what: 'a token as a key', raw: '{}', headers: { 'Idempotency-Key': secret }, state: 'whole' },
    { what: 'a password', raw: '{"name":"x","password":"plumb_live_00ff"}', state: 'masked' },
    { what: 'a password in the query', path: '/v1/projects?password=plumb_live_00ff', raw: '{}', state: 'masked' },
    { what: 'a password in what is no JSON', raw: 'name=x&Password=plumb_live_00ff', state: 'left_out' },
    {
      what: 'a masked field in what is no JSON',
      path: '/v1/clients',
      raw: "{'tax_id': 'plumb_live_00ff'}",
      state: 'left_out',
    },
    {
      what: 'one that is escaped there',
      path: '/v1/clients',
      raw: '{"t\\u0061x_id": plumb_live_00ff',
      state: 'left_out',
    },
    { what: 'UTF-16', raw: Buffer.from('{"name":"plumb_live_00ff"}', 'utf16le'), state: 'left_out' },
    { what: 'invalid UTF-8', raw: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), state: 'left_out' },
    { what: 'a field of another resource', raw: '{"name":"x","hourly_cost_minor":"S00ff"}', state: 'masked' },
    { what: 'a field in another spelling', path: '/v1/clients', raw: '{"name":"x","taxId":"S00ff"}', state: 'masked' },
    { what: 'one in capitals', path: '/v1/clients', raw: '{"name":"x","Tax_Id":{"is":["S00ff"]}}', state: 'masked' },
    { what: 'what stands inside a value', raw: '{"name":"x","address":{"city":{"pin":"S00ff"}}}', state: 'masked' },
    {
      what: 'a field in an operation of a batch',
      path: '/v1/batch',
      raw: '{"mode":"all","operations":[{"op":"create","records":"clients","body":{"name":"x","tax_id":"S00ff"}}]}',
      state: 'masked',
    },
    { what: 'a parameter that there is not', path: '/v1/projects?taxId=S00ff', raw: '{}', state: 'masked' },
    { what: 'a NUL that is written out', raw: '{"name":"a\\u0000b"}', state: 'whole' },
    { what: 'half of a surrogate pair', raw: '{"name":"\\ud800"}', state: 'whole' },
    { what: 'what is no JSON', raw: '{"name":', state: 'left_out' },
    { what: 'lists thirty thousand deep', raw: '['.repeat(30_000) + ']'.repeat(30_000), state: 'left_out' },
    { what: 'a megabyte', raw: JSON.stringify({ name: 'x', notes: 'ü'.repeat(400_000) }), state: 'cut' },
    {
      what: 'a batch of more than a megabyte',
      path: '/v1/batch',
      raw: JSON.stringify({ mode: 'all', operations: [{ body: { notes: 'ü'.repeat(600_000) } }] }),
      state: 'left_out',
    },
    { what: 'a megabyte that is no JSON', raw: 'x'.repeat(900_000), state: 'left_out' },
    { what: 'more than is received', raw: 'x'.repeat(1_100_000), state: 'left_out' },
    { what: 'names of a megabyte', raw: `{"${'n'.repeat(500_000)}":1}`, state: 'cut' },
  ]
  test.each(hostile)('$what', async ({ path = '/v1/projects', raw, headers = {}, state }) => {
    const call = await called('POST', path, { raw, headers })
    expect(call.details.request_state).toBe(state)
    expect(JSON.stringify(call)).not.toContain('00ff')
    for (const body of [call.details.request_body, call.details.answer_body])
      expect(Buffer.byteLength(body ?? '')).toBeLessThanOrEqual(16 * 1024)
    expect(call.about?.join('').length ?? 0).toBeLessThan(1000)
  })

  test('an unknown member leaves its name, so that a mistake in it is seen, and what is known leaves its value', async () => {
    const call = await called('POST', '/v1/clients', {
      body: { name: 'Known', taxId: 'S00ff', notes: null, billing_address: { city: 'Hull', Street: 'S00ff' } },
    })
    expect(JSON.parse(call.details.request_body)).toEqual({
      ...{ name: 'Known', taxId: '[masked]', notes: null, billing_address: { city: 'Hull', Street: '[masked]' } },
    })
    const batch = {
      mode: 'all',
      operations: [{ op: 'create', records: 'projects', body: { client_id: { $ref: 'a' } } }],
    }
    const whole = await called('POST', '/v1/batch', { body: batch })
    expect(whole.details).toMatchObject({ request_state: 'whole', request_body: JSON.stringify(batch) })
  })

  test.each(served)('a search of $name is kept where it finds nothing by a field with a right', async (definition) => {
    const { name, search, fields } = definition
    const isOpen = search.every((field) => !fields[field]?.right)
    const { details } = await called('GET', `/v1/${name}?limit=5&q=S00ff`)
    expect(details).toMatchObject({ query: `limit=5&q=${isOpen ? 'S00ff' : '[masked]'}` })
  })

  test.each(served)(
    'what the service itself answers of $name is known, but for fields with a right',
    async ({ name }) => {
      const company = await stage.admin()
      const ids = await oneOfEach(company.company)
      await company.company.call('PATCH', `/v1/${name}/${ids[name]}`, { body: { notes: 'Changed' } })
      for (const path of [`/v1/${name}`, `/v1/${name}/${ids[name]}`, `/v1/${name}/${ids[name]}/history`, '/v1/me']) {
        await company.company.get(path)
        const { details } = await lastCall(company, company)
        const masked = [...details.answer_body.matchAll(/"(\w+)":"\[masked\]"/g)].map(([, field]) => field)
        expect(
          masked.filter((field) => !isWithheld.has(field)),
          path,
        ).toEqual([])
      }
    },
  )

  test('whoever is not let in leaves neither body nor query', async () => {
    const old = admin.company.token
    const own = await stage.admin()
    const before = own.company.token
    own.company.token = await own.company.rotate()
    await own.company.call('POST', '/v1/projects?fields=name', { body: { name: 'Stranger' }, token: before })
    const call = await lastCall(own, own)
    expect(call).toMatchObject({
      code: 'unauthorized',
      details: { request_body: null, query: '', request_state: 'left_out' },
    })
    expect(JSON.stringify(call)).not.toContain('Stranger')
    expect(admin.company.token).toBe(old)
  })

  test('a list that is long keeps its beginning', async () => {
    const own = await stage.admin()
    for (let index = 0; index < 4; index++)
      await own.company.create('projects', { name: `P${index}`, description: 'd'.repeat(5000) })
    await own.company.get('/v1/projects')
    const { details } = await lastCall(own, own)
    expect(details).toMatchObject({ answer_state: 'cut' })
    expect(details.answer_body.length).toBe(16 * 1024)
  })
})

describe('Who sees it', () => {
  test('only those who may see the records', async () => {
    await admin.company.call('POST', '/v1/clients', { body: { name: 'Quay Trust' } })
    const clerk = await stage.person(admin.company, ['API_MANAGE', 'PROJECTS_VIEW'])
    const call = await lastCall(clerk)
    expect(call).toMatchObject({
      details: null,
      problem: null,
      hidden: { needs: 'CLIENTS_VIEW' },
      repeatable: 'not_whole',
    })
    expect((await clerk.ask('POST', `/console/calls/${call.id}/dry-run`)).body.required_scope).toBe('CLIENTS_VIEW')
  })

  test('of the feed only those who may see all records', async () => {
    await admin.company.get('/v1/changes')
    const clerk = await stage.person(admin.company, ['API_MANAGE', 'PROJECTS_VIEW', 'CLIENTS_VIEW'])
    expect(await lastCall(clerk)).toMatchObject({ details: null, hidden: { needs: 'WORKERS_VIEW' } })
  })
})

describe('The switch', () => {
  test('is the company’s own: what is kept is not shown any more, removed, and nothing is added', async () => {
    const own = await stage.admin()
    await own.company.get('/v1/projects')
    expect((await lastCall(own, own)).details).not.toBeNull()
    const off = await own.ask('PUT', '/console/calls/details-switch', { keeps: false })
    expect(off.body.data).toEqual({ keeps: false, kept_days: 7 })
    expect(await lastCall(own, own)).toMatchObject({ details: null, hidden: 'not_kept' })
    await own.company.get('/v1/projects')
    await own.company.calls()
    const rows = () => stage.sql('select 1 from call_details where company_id = $1', own.company.id)
    expect(await rows()).toHaveLength(1)
    await sweep(stage.app.database, choresOf(readConfig({})).unwantedDetails, () => false)
    expect(await rows()).toHaveLength(0)
    await own.ask('PUT', '/console/calls/details-switch', { keeps: true })
    await own.ask('PUT', '/console/calls/details-switch', { keeps: true })
    await own.company.get('/v1/projects')
    expect((await lastCall(own, own)).details).not.toBeNull()
    const history = await own.data('/console/settings/history')
    expect(history.filter(({ records }: { records: string }) => records === 'calls')).toMatchObject([
      { action: 'changed', changes: { keeps_details: [false, true] }, who: { account_id: own.id } },
      { action: 'changed', changes: { keeps_details: [true, false] } },
    ])
  })

  test('what is older than it is kept goes', async () => {
    const own = await stage.admin()
    await own.company.get('/v1/projects')
    await own.company.get('/v1/clients')
    await own.company.calls()
    await stage.sql(
      "update call_details set at = now() - interval '8 days' where company_id = $1 and path = '/v1/clients'",
      own.company.id,
    )
    await sweep(stage.app.database, choresOf(readConfig({})).callDetails, () => false)
    expect(await stage.sql('select path from call_details where company_id = $1', own.company.id)).toEqual([
      { path: '/v1/projects' },
    ])
  })

  test('with CALL_DETAILS_KEPT_DAYS=0 nothing is kept of anybody', async () => {
    const none = await openConsole({ CALL_DETAILS_KEPT_DAYS: '0' })
    try {
      const own = await none.admin()
      await own.company.get('/v1/projects')
      await own.company.calls()
      expect(await none.sql('select 1 from call_details')).toEqual([])
      expect(await own.data('/console/calls/details-switch')).toEqual({ keeps: true, kept_days: 0 })
    } finally {
      await none.close()
    }
  })
})

describe('A write once more, as a dry-run', () => {
  const again = (person: Person, { id }: { id: number }) => person.ask('POST', `/console/calls/${id}/dry-run`)

  test.each(['PUT', 'DELETE'] as const)('is not made of a %s by a reference, whose path is another', async (method) => {
    const body = method === 'PUT' ? { body: { name: 'By reference' } } : {}
    const call = await called(method, '/v1/clients/by/external_ref/A-1', body)
    expect(call).toMatchObject({ repeatable: 'read' })
    expect((await again(admin, call)).status).toBe(404)
  })

  test('says what it would come to now, writes nothing and is no call', async () => {
    const client = await admin.company.record('clients', { name: 'Old Client' })
    await admin.company.call('DELETE', `/v1/clients/${client}`)
    const failed = await called('POST', '/v1/projects', { body: { name: 'Again', client_id: client } })
    expect(failed).toMatchObject({ status: 422, repeatable: 'yes' })
    const still = await again(admin, failed)
    expect(still.body.data.status).toBe(422)
    const [removal] = await admin.data('/console/removals')
    await admin.ask('POST', `/console/removals/${removal.id}/restore`)
    const calls = (await admin.company.calls()).length
    const now = await again(admin, failed)
    expect(now.body.data).toMatchObject({ status: 200 })
    expect(JSON.parse(now.body.data.body)).toEqual({ data: { id: null, created: false, dry_run: true } })
    expect(await stage.sql("select 1 from projects where name = 'Again'")).toEqual([])
    expect(await admin.company.calls()).toHaveLength(calls)
  })

  test('keeps to its condition, its path and its query', async () => {
    const id = await admin.company.create('projects', { name: 'Tagged' })
    const { headers } = await admin.company.get(`/v1/projects/${id}`)
    const change = { body: { name: 'Other' }, headers: { 'If-Match': headers.etag as string } }
    const first = await called('PATCH', `/v1/projects/${id}`, change)
    expect((await again(admin, first)).body.data.status).toBe(412)
    const deleted = await called('DELETE', `/v1/projects/${id}?dry_run=maybe`)
    expect((await again(admin, deleted)).body.data.status).toBe(400)
  })

  test('is refused to somebody without the right, and where the request is not whole', async () => {
    const created = await called('POST', '/v1/clients', { body: { name: 'C' } })
    const clerk = await stage.person(admin.company, ['API_MANAGE', 'CLIENTS_VIEW'])
    expect(await again(clerk, created)).toMatchObject({ status: 403, body: { required_scope: 'CLIENTS_EDIT' } })
    const masked = await called('POST', '/v1/clients', { body: { name: 'C', tax_id: 'T1' } })
    expect((await again(admin, masked)).status).toBe(404)
    const read = await called('GET', '/v1/clients')
    expect(read.repeatable).toBe('read')
    expect((await again(admin, read)).status).toBe(404)
    expect(permissions).toContain('CLIENTS_EDIT')
  })
})
