import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
let id: number
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company({ plan: 'STARTER' })
  id = await company.create('clients', { name: 'Dry' })
})
afterAll(() => stage.close())

/** Everything the company holds, but for the calls that it made. */
async function everything(own: Company): Promise<string> {
  const tables = [
    'projects',
    'workers',
    'clients',
    'estimates',
    'tasks',
    'contacts',
    'history',
    'removals',
    'answers',
    'numbers',
    'plan_usage',
  ]
  const rows = await Promise.all(
    tables.map((name) =>
      stage.sql(`select '${name}' as name, t::text from ${name} t where company_id = $1 order by 2`, own.id),
    ),
  )
  return JSON.stringify(rows)
}

describe('1 and true are a dry-run, 0, false and absence a real call, anything else is refused and nothing runs', () => {
  const rows: { header?: string; query?: string; dryRun?: boolean }[] = [
    { header: '1', dryRun: true },
    { header: 'true', dryRun: true },
    { query: '1', dryRun: true },
    { query: 'true', dryRun: true },
    { header: '0', dryRun: false },
    { header: 'false', dryRun: false },
    { query: '0', dryRun: false },
    { query: 'false', dryRun: false },
    { header: '0', query: '1', dryRun: true },
    { header: '1', query: '0', dryRun: true },
    { header: 'yes' },
    { header: 'TRUE' },
    { header: '' },
    { query: '' },
    { query: 'on' },
    { query: '2' },
    { header: '1', query: 'maybe' },
    { header: 'maybe', query: '1' },
  ]
  test.each(rows)('X-Dry-Run $header, ?dry_run= $query', async ({ header, query, dryRun }) => {
    const own = await stage.company()
    const path = `/v1/clients${query === undefined ? '' : `?dry_run=${query}`}`
    const headers: Record<string, string> = header === undefined ? {} : { 'X-Dry-Run': header }
    const { status, body } = await own.call('POST', path, { body: { name: 'Maybe' }, headers })
    const total = (await own.get('/v1/clients')).body.meta.total
    if (dryRun === undefined)
      expect({ status, code: body.code, total }).toEqual({ status: 400, code: 'invalid_dry_run', total: 0 })
    else
      expect({ status, dry: body.data.dry_run, total }).toEqual({
        status: dryRun ? 200 : 201,
        dry: dryRun,
        total: dryRun ? 0 : 1,
      })
  })

  test('the header given twice is refused', async () => {
    const answer = await stage.send({
      method: 'POST',
      path: '/v1/clients',
      headers: [
        ['Authorization', `Bearer ${company.token}`],
        ['Content-Type', 'application/json'],
        ['X-Dry-Run', '1'],
        ['X-Dry-Run', '1'],
      ],
      body: '{"name":"X"}',
    })
    expect(answer.body.code).toBe('invalid_dry_run')
  })

  test('on a read the header is ignored and the parameter refused', async () => {
    expect((await company.get('/v1/clients', { 'X-Dry-Run': 'whatever' })).status).toBe(200)
    expect((await company.get('/v1/clients?dry_run=1')).body.code).toBe('unknown_parameter')
  })
})

describe('A dry-run answers as the real call would and leaves nothing behind', () => {
  test('create', async () => {
    const before = await everything(company)
    const answer = await company.call('POST', '/v1/projects', {
      body: { name: 'P', client_id: id },
      headers: { 'X-Dry-Run': '1' },
    })
    expect(answer).toMatchObject({ status: 200, body: { data: { id: null, created: false, dry_run: true } } })
    expect(answer.headers.location).toBeUndefined()
    expect(await everything(company)).toBe(before)
  })

  test('create, with every check of the real one', async () => {
    const body = { name: '', client_id: 999999999 }
    const [dry, real] = await Promise.all([
      company.call('POST', '/v1/projects?dry_run=1', { body }),
      company.call('POST', '/v1/projects', { body }),
    ])
    expect(dry.body.errors).toEqual(real.body.errors)
    expect(dry.body.errors).toHaveLength(2)
  })

  test('create, with the plan limit', async () => {
    const own = await stage.company({ plan: 'STARTER' })
    for (let count = 0; count < 25; count++) await own.create('projects', { name: `P${count}` })
    const before = await everything(own)
    const answer = await own.call('POST', '/v1/projects?dry_run=1', { body: { name: 'Too many' } })
    expect(answer).toMatchObject({ status: 402, body: { code: 'plan_limit_reached', limit: 25, used: 25 } })
    expect(await everything(own)).toBe(before)
  })

  test('update: what would change, and the record as it was', async () => {
    const before = await everything(company)
    const answer = await company.call('PATCH', `/v1/clients/${id}?dry_run=true`, { body: { name: 'New', notes: null } })
    expect(answer.body.data).toEqual({ id, updated: false, dry_run: true, changed: ['name'] })
    expect(await everything(company)).toBe(before)
  })

  test('delete: the preview envelope', async () => {
    const own = await company.create('clients', { name: 'With contacts' })
    const contact = await company.record('contacts', { client_id: own, name: 'Ines' })
    const project = await company.create('projects', { name: 'Done', client_id: own, status: 'CANCELLED' })
    const before = await everything(company)
    const { status, body } = await company.call('DELETE', `/v1/clients/${own}`, { headers: { 'X-Dry-Run': '1' } })
    expect(status).toBe(200)
    expect(body.data).toEqual({
      id: own,
      deleted: false,
      dry_run: true,
      mode: 'soft',
      would_delete: [{ records: 'contacts', count: 1, ids: [contact] }],
      would_keep: [{ records: 'projects', count: 1, ids: [project], effect: 'unlinked' }],
    })
    expect(await everything(company)).toBe(before)
    const real = await company.call('DELETE', `/v1/clients/${own}`)
    expect(real.body.data).toEqual({
      id: own,
      deleted: true,
      dry_run: false,
      mode: 'soft',
      deleted_with: body.data.would_delete,
      kept: body.data.would_keep,
    })
  })

  test('it is authenticated and metered', async () => {
    const own = await stage.company()
    expect((await own.call('POST', '/v1/clients?dry_run=1', { body: { name: 'X' }, token: null })).status).toBe(401)
    await own.call('POST', '/v1/clients?dry_run=1', { body: { name: 'X' } })
    expect(await own.calls()).toMatchObject([{ route: 'clients.create', status: 200, dry_run: true, counted: true }])
  })

  test('it gives back no number', async () => {
    const own = await stage.company()
    await own.call('POST', '/v1/estimates?dry_run=1', { body: { title: 'E' } })
    const real = await own.create('estimates', { title: 'E' })
    expect((await own.get(`/v1/estimates/${real}`)).body.data.number).toBe('EST-000001')
  })
})
