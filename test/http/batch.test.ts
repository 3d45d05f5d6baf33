import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchBytesMax, batchOperationsMax, batchProblemsMax } from '#registry/limits.ts'
import { lockOfBatch } from '#server/writes/idempotency.ts'
import { billed, type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

type Row = { [member: string]: unknown }

const post = (company: Company, mode: string, operations: unknown, headers: { [name: string]: string } = {}) =>
  company.call('POST', '/v1/batch', { body: { mode, operations }, headers })
const creating = (records: string, body: Row, more: Row = {}): Row => ({ op: 'create', records, body, ...more })
const client = (name: string, more: Row = {}) => creating('clients', { name, ...more })
const totalOf = async (company: Company, records = 'clients'): Promise<number> =>
  (await company.get(`/v1/${records}`)).body.meta.total
const keyed = () => ({ 'Idempotency-Key': crypto.randomUUID() })

/** What is refused, as the number of the operation, its code, and where in it something is wrong. */
// biome-ignore lint/suspicious/noExplicitAny: answers are read as they come
const refusedOf = (rows: any[]) =>
  rows.flatMap(({ n, problem }) =>
    // biome-ignore lint/suspicious/noExplicitAny: answers are read as they come
    problem ? [[n, problem.code, ...(problem.errors ?? []).map(({ field, code }: any) => `${field} ${code}`)]] : [],
  )

describe.each(['all', 'each'])('A batch with the mode %s', (mode) => {
  test('does its operations in their order, and answers each as the call of its own would', async () => {
    const company = await stage.company()
    const old = await company.create('clients', { name: 'Old', external_ref: 'CRM-1' })
    const { body, status } = await post(company, mode, [
      { ...client('New', { tax_id: 'T1' }), as: 'new' },
      creating('projects', { name: 'One', client_id: { $ref: 'new' } }),
      creating('projects', { name: 'Two', client_id: { $ref: 'new' } }),
      creating('estimates', { title: 'Offer', client_id: { $ref: 'new' } }),
      { op: 'update', records: 'clients', external_ref: 'crm-1', body: { name: 'Older', notes: 'n' } },
      { op: 'update', records: 'clients', id: old, body: { name: 'Older' } },
      creating('workers', { name: 'Ada' }, { as: 'ada' }),
      creating('workers', { name: 'Bo', supervisor_id: { $ref: 'ada' } }),
      { op: 'delete', records: 'clients', id: old },
    ])
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ mode, dry_run: false, done: 9, refused: 0 })
    const rows = body.data.operations
    expect(rows.map((row: Row) => [row.n, row.status])).toEqual(
      [201, 201, 201, 201, 200, 200, 201, 201, 200].map((of, n) => [n, of]),
    )
    expect(rows[0].as).toBe('new')
    expect(rows[4].data).toEqual({ id: old, updated: true, dry_run: false, changed: ['name', 'notes'] })
    expect(rows[5].data).toEqual({ id: old, updated: false, dry_run: false, changed: [] })
    expect(rows[8].data).toMatchObject({ id: old, deleted: true, mode: 'soft' })
    const project = await company.get(`/v1/projects/${rows[1].data.id}`)
    expect(project.headers.etag).toBe(rows[1].etag)
    expect(project.body.data).toMatchObject({ name: 'One', client_id: rows[0].data.id })
    const worker = await company.get(`/v1/workers/${rows[7].data.id}`)
    expect(worker.body.data.supervisor_id).toBe(rows[6].data.id)
    expect((await company.get('/v1/clients')).body.meta.total).toBe(1)
  })

  test('is one write in the log of changes, with its key', async () => {
    const company = await stage.company()
    const headers = keyed()
    await post(company, mode, [client('A'), creating('workers', { name: 'B' }), client('C')], headers)
    const rows = await stage.sql<{ writes: number; keys: string[] }>(
      'select count(distinct write_id) as writes, array_agg(distinct idempotency_key) as keys from history where company_id = $1 and records in ($2, $3)',
      ...[company.id, 'clients', 'workers'],
    )
    expect(rows).toEqual([{ writes: 1, keys: [headers['Idempotency-Key']] }])
  })

  test('is one call in the log of calls, with the number of its operations; a replay is not counted', async () => {
    const company = await stage.company()
    const headers = keyed()
    const first = await post(company, mode, [client('A'), client('B')], headers)
    const second = await post(company, mode, [client('A'), client('B')], headers)
    expect([second.status, second.body]).toEqual([200, first.body])
    expect(second.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'idempotency-original-request-id': first.headers['x-request-id'],
    })
    expect(await totalOf(company)).toBe(2)
    const calls = await stage.sql(
      'select route, rows, status, counted, replayed from calls where company_id = $1 and route = $2 order by id',
      ...[company.id, 'batch'],
    )
    expect(calls).toEqual([
      { route: 'batch', rows: 2, status: 200, counted: true, replayed: false },
      { route: 'batch', rows: 2, status: 200, counted: false, replayed: true },
    ])
  })

  test('creates or updates by external reference, and later operations refer to the record', async () => {
    const company = await stage.company()
    const old = await company.create('clients', { name: 'Old', external_ref: 'CRM-1' })
    const upsert = (reference: string, body: Row, more: Row = {}) => ({
      ...{ op: 'upsert', records: 'clients', external_ref: reference, body, ...more },
    })
    const { body, status } = await post(company, mode, [
      upsert('crm-1', { name: 'Older' }),
      upsert('CRM-2', { name: 'New' }, { as: 'new' }),
      upsert('crm-2', { notes: 'there by now' }),
      creating('projects', { name: 'One', client_id: { $ref: 'new' } }),
    ])
    expect(status).toBe(200)
    const rows = body.data.operations
    expect(rows.map((row: Row) => row.status)).toEqual([200, 201, 200, 201])
    const { id } = rows[1].data
    expect(rows[0].data).toEqual({ id: old, created: false, updated: true, dry_run: false, changed: ['name'] })
    expect(rows[1].data).toEqual({ id, created: true, updated: false, dry_run: false, changed: [] })
    expect(rows[2].data).toEqual({ id, created: false, updated: true, dry_run: false, changed: ['notes'] })
    expect((await company.get(`/v1/projects/${rows[3].data.id}`)).body.data.client_id).toBe(id)
    expect((await company.get(`/v1/clients/${id}`)).headers.etag).toBe(rows[2].etag)
  })

  test('an upsert keeps to its condition and its reference, and is refused in its place', async () => {
    const company = await stage.company()
    const upsert = (more: Row) => ({
      op: 'upsert',
      records: 'clients',
      external_ref: 'A',
      body: { name: 'A' },
      ...more,
    })
    const operations = [
      upsert({ if_match: '*' }),
      upsert({ body: { name: 'A', external_ref: 'B' } }),
      upsert({ id: 1 }),
    ]
    const answer = await post(company, mode, [...operations, { ...upsert({}), external_ref: undefined }])
    const refused = mode === 'all' ? answer.body.refused : answer.body.data.operations
    expect(refusedOf(refused)).toEqual([
      [0, 'precondition_failed'],
      [1, 'validation_failed', 'body.external_ref not_allowed'],
      [2, 'validation_failed', 'id not_allowed'],
      [3, 'validation_failed', 'external_ref required'],
    ])
    expect(await totalOf(company)).toBe(0)
  })

  test('is taken back as a whole by the id of its write', async () => {
    const company = await stage.company()
    const kept = await company.create('clients', { name: 'Kept' })
    const gone = await company.create('clients', { name: 'Gone' })
    const written = await post(company, mode, [
      creating('workers', { name: 'Ada' }, { as: 'ada' }),
      creating('projects', { name: 'One', manager_id: { $ref: 'ada' } }),
      { op: 'update', records: 'clients', id: kept, body: { name: 'Other' } },
      { op: 'upsert', records: 'clients', external_ref: 'NEW', body: { name: 'New' } },
      { op: 'delete', records: 'clients', id: gone },
    ])
    const undone = await company.call('POST', `/v1/writes/${written.headers['x-write-id']}/undo`)
    expect(undone).toMatchObject({ status: 200, body: { data: { undone: true, records: 5, remaining: 0 } } })
    const { body } = await company.get('/v1/clients?fields=name')
    expect(body.data).toEqual([
      { id: kept, name: 'Kept' },
      { id: gone, name: 'Gone' },
    ])
    expect([await totalOf(company, 'workers'), await totalOf(company, 'projects')]).toEqual([0, 0])
  })

  test('shows in a dry-run what all operations would do together', async () => {
    const company = await stage.company()
    const id = await company.create('clients', { name: 'Old', external_ref: 'A' })
    const operations = [
      { ...client('New'), as: 'new' },
      creating('estimates', { title: 'Offer', client_id: { $ref: 'new' } }),
      { op: 'upsert', records: 'clients', external_ref: 'a', body: { name: 'Older' } },
    ]
    const { body } = await post(company, mode, operations, { 'X-Dry-Run': '1' })
    expect(body.plan).toMatchObject({ total: 3, would_delete: [], would_keep: [] })
    expect(body.plan.changes).toMatchObject([
      { records: 'clients', id, action: 'updated', fields: { name: ['Old', 'Older'] } },
      { records: 'clients', id: null, action: 'created', fields: { name: [null, 'New'] } },
      { records: 'estimates', id: null, action: 'created', fields: { client_id: [null, { made: 0 }] } },
    ])
    expect(body.plan.changes[2].fields).not.toHaveProperty('number')
    expect(await totalOf(company)).toBe(1)
  })

  test('binds its key to its body, to the mode and to the path', async () => {
    const company = await stage.company()
    const headers = keyed()
    await post(company, mode, [client('A')], headers)
    const reuse = { status: 409, body: { code: 'idempotency_key_reuse' } }
    expect(await post(company, mode, [client('B')], headers)).toMatchObject(reuse)
    expect(await post(company, mode === 'all' ? 'each' : 'all', [client('A')], headers)).toMatchObject(reuse)
    expect(await company.call('POST', '/v1/clients', { body: { name: 'A' }, headers })).toMatchObject(reuse)
    expect(await totalOf(company)).toBe(1)
  })

  test('needs every scope and add-on of its operations, before anything is done', async () => {
    const operations = [client('A'), creating('equipment', { name: 'B' }), { op: 'delete', records: 'workers', id: 1 }]
    const company = await stage.company({ scopes: ['CLIENTS_EDIT', 'EQUIPMENT_EDIT', 'WORKERS_EDIT'] })
    const refused = await post(company, mode, operations)
    expect(refused).toMatchObject({ status: 403, body: { required_scope: 'WORKERS_DELETE' } })
    const bare = await stage.company({ addOns: ['api'] })
    expect(await post(bare, mode, operations)).toMatchObject({ status: 402, body: { feature: 'equipment' } })
    for (const each of [company, bare]) expect(await totalOf(await seeing(each))).toBe(0)
  })

  test('needs its scopes for a replay too', async () => {
    const company = await stage.company()
    const headers = keyed()
    expect((await post(company, mode, [client('A')], headers)).status).toBe(200)
    await company.setAccount({ permissions: ['WORKERS_EDIT'] })
    const refused = await post(company, mode, [client('A')], headers)
    expect(refused).toMatchObject({ status: 403, body: { required_scope: 'CLIENTS_EDIT' } })
  })

  test('in a dry-run answers what it would do, later operations on earlier ones, and changes no row of any table but the calls', async () => {
    const company = await stage.company()
    const old = await company.create('clients', { name: 'Old' })
    const before = await everyRow()
    const { body, status } = await post(
      company,
      mode,
      [
        { ...client('New'), as: 'new' },
        creating('projects', { name: 'P', client_id: { $ref: 'new' } }),
        { op: 'update', records: 'clients', id: old, body: { name: 'Older' } },
        { op: 'delete', records: 'clients', id: old },
      ],
      { 'X-Dry-Run': '1', ...keyed() },
    )
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ mode, dry_run: true, done: 4, refused: 0 })
    expect(body.data.operations).toMatchObject([
      { n: 0, as: 'new', status: 200, data: { id: null, created: false, dry_run: true } },
      { n: 1, status: 200, data: { id: null, created: false, dry_run: true } },
      { n: 2, status: 200, data: { id: old, updated: false, dry_run: true, changed: ['name'] } },
      { n: 3, status: 200, data: { id: old, deleted: false, dry_run: true, would_delete: [], would_keep: [] } },
    ])
    expect(await everyRow()).toEqual(before)
  })

  test('treats ids of another company as ids that do not exist', async () => {
    const [mine, theirs] = [await stage.company(), await stage.company()]
    const id = await theirs.create('clients', { name: 'Theirs', external_ref: 'T-1' })
    const about = (id: number) => [
      { op: 'update', records: 'clients', id, body: { name: 'Mine' } },
      { op: 'update', records: 'clients', external_ref: 'T-1', body: { name: 'Mine' } },
      { op: 'delete', records: 'clients', id },
      creating('projects', { name: 'P', client_id: id }),
    ]
    const rowsOf = async (id: number) => {
      const { body } = await post(mine, mode, about(id))
      return refusedOf(mode === 'all' ? body.refused : body.data.operations)
    }
    expect(await rowsOf(id)).toEqual([
      [0, 'not_found'],
      [1, 'not_found'],
      [2, 'not_found'],
      [3, 'validation_failed', 'body.client_id not_found'],
    ])
    expect(await rowsOf(id)).toEqual(await rowsOf(999_999_999))
    expect((await theirs.get(`/v1/clients/${id}`)).body.data.name).toBe('Theirs')
  })

  test('keeps the conditions of its operations', async () => {
    const company = await stage.company()
    const created = await company.call('POST', '/v1/clients', { body: { name: 'A' } })
    const { id } = created.body.data
    const change = (ifMatch: string, name: string): Row => ({
      ...{ op: 'update', records: 'clients', id, if_match: ifMatch, body: { name } },
    })
    const { etag } = created.headers as { etag: string }
    expect((await post(company, mode, [change(etag, 'B'), change('*', 'C')])).body.data.done).toBe(2)
    const { body } = await post(company, mode, [change(etag, 'D'), change('no tag', 'E'), change('*', 'F')])
    const refused = refusedOf(mode === 'all' ? body.refused : body.data.operations)
    expect(refused).toEqual([
      [0, 'precondition_failed'],
      [1, 'validation_failed', 'if_match wrong_format'],
    ])
    expect((await company.get(`/v1/clients/${id}`)).body.data.name).toBe(mode === 'all' ? 'C' : 'F')
  })

  test('has a place of the plan for each new record, and names those for which there is none', async () => {
    const company = await stage.company({ plan: 'STARTER' })
    await stage.sql('update plan_usage set used = 23 where company_id = $1 and records = $2', company.id, 'projects')
    const projects = ['a', 'b', 'c', 'd'].map((name) => creating('projects', { name }))
    const { body } = await post(company, mode, projects)
    const refused = mode === 'all' ? body.refused : body.data.operations.slice(2)
    expect(refusedOf(refused)).toEqual([
      [2, 'plan_limit_reached'],
      [3, 'plan_limit_reached'],
    ])
    expect(refused[0].problem).toMatchObject({ limit: 25, used: 25 })
    expect(await totalOf(company, 'projects')).toBe(mode === 'all' ? 0 : 2)
  })
})

describe('With the mode all', () => {
  test('a refusal undoes everything, and every bad operation is named with its fields', async () => {
    const company = await stage.company()
    const held = await company.create('clients', { name: 'Held', tax_id: 'TAKEN' })
    await company.record('invoices', { client_id: held, status: 'ISSUED', ...billed })
    const answer = await post(company, 'all', [
      client('Good'),
      client('', { status: 'NOPE' }),
      { ...client('Twin', { tax_id: 'x-1' }), as: 'twin' },
      client('Twin', { tax_id: 'X-1' }),
      client('Taken', { tax_id: 'taken' }),
      { op: 'update', records: 'clients', id: held, body: { nope: 1 } },
      { op: 'delete', records: 'clients', id: held },
      { op: 'update', records: 'workers', id: 4711, body: {} },
      { op: 'fly', records: 'birds', body: {}, wings: 2 },
      17,
      { ...client('Again'), as: 'twin' },
      creating('projects', { name: 'P', client_id: { $ref: 'later' } }),
      { ...client('Later'), as: 'later' },
      creating('projects', { name: 'P', client_id: { $ref: 'lost' } }, { as: 'p' }),
      creating('workers', { name: 'W', supervisor_id: { $ref: 'p' } }),
      { ...client('', {}), as: 'bad' },
      creating('projects', { name: 'Q', client_id: { $ref: 'bad' }, percent_complete: 200 }),
    ])
    expect(answer).toMatchObject({ status: 422, body: { code: 'batch_refused' } })
    expect(refusedOf(answer.body.refused)).toEqual([
      [1, 'validation_failed', 'body.name too_short', 'body.status not_allowed'],
      [3, 'validation_failed', 'body.tax_id not_unique'],
      [4, 'validation_failed', 'body.tax_id not_unique'],
      [5, 'validation_failed', 'body.nope unknown_field'],
      [6, 'delete_blocked'],
      [7, 'not_found'],
      [8, 'validation_failed', 'wings unknown_field', 'op not_allowed', 'records not_allowed'],
      [9, 'validation_failed', ' wrong_type'],
      [10, 'validation_failed', 'as not_unique'],
      [11, 'validation_failed', 'body.client_id not_found'],
      [13, 'validation_failed', 'body.client_id not_found'],
      [14, 'validation_failed', 'body.supervisor_id not_found'],
      [15, 'validation_failed', 'body.name too_short'],
      [16, 'validation_failed', 'body.percent_complete out_of_range', 'body.client_id not_found'],
    ])
    expect(answer.body.detail).toContain('14 of 17')
    expect(await totalOf(company)).toBe(1)
    expect(
      await stage.sql(
        'select 1 from calls where company_id = $1 and code = $2 and rows = 17',
        company.id,
        'batch_refused',
      ),
    ).toHaveLength(1)
  })

  test('a refused batch leaves its key free', async () => {
    const company = await stage.company()
    const headers = keyed()
    expect((await post(company, 'all', [client('')], headers)).status).toBe(422)
    expect((await post(company, 'all', [client('A')], headers)).status).toBe(200)
  })

  test('a value that one operation lets go of is free for the next', async () => {
    const company = await stage.company()
    const [one, other] = [
      await company.create('projects', { name: 'A', code: 'K-1' }),
      await company.create('projects', { name: 'B', code: 'K-2' }),
    ]
    const change = (id: number, code: string): Row => ({ op: 'update', records: 'projects', id, body: { code } })
    const { status } = await post(company, 'all', [
      change(one, 'K-3'),
      change(other, 'k-1'),
      change(one, 'K-2'),
      creating('projects', { name: 'C', code: 'K-3' }),
    ])
    expect(status).toBe(200)
    const { body } = await company.get('/v1/projects?fields=code&sort=name')
    expect(body.data.map(({ code }: { code: string }) => code)).toEqual(['K-2', 'k-1', 'K-3'])
  })

  test('running numbers pass over what was given by hand, before and in the batch', async () => {
    const company = await stage.company()
    await company.create('estimates', { title: 'z', number: 'est-000002' })
    const { body } = await post(company, 'all', [
      creating('estimates', { title: 'a' }),
      creating('estimates', { title: 'b', number: 'EST-000003' }),
      creating('estimates', { title: 'c' }),
      creating('estimates', { title: 'd' }),
    ])
    expect(body.data.done).toBe(4)
    const listed = await company.get('/v1/estimates?fields=number&sort=title')
    expect(listed.body.data.map(({ number }: { number: string }) => number)).toEqual([
      ...['EST-000001', 'EST-000003', 'EST-000004', 'EST-000005', 'est-000002'],
    ])
  })

  test('a circle of a tree is found, also one that the batch itself would close', async () => {
    const company = await stage.company()
    const [one, other] = [
      await company.create('workers', { name: 'A' }),
      await company.create('workers', { name: 'B' }),
    ]
    const hang = (id: number, supervisor: number): Row => ({
      ...{ op: 'update', records: 'workers', id, body: { supervisor_id: supervisor } },
    })
    const { body } = await post(company, 'all', [hang(one, other), hang(other, one)])
    expect(refusedOf(body.refused)).toEqual([[1, 'validation_failed', 'body.supervisor_id cycle']])
  })

  test('a value that somebody else takes in the moment before the write is looked for once more, and named', async () => {
    const company = await stage.company()
    const answer = await stage.inTransaction(async (transaction) => {
      await transaction.run({
        text: "insert into clients (company_id, name, status, tax_id) values ($1, 'Other', 'ACTIVE', 'late')",
        values: [company.id],
      })
      const waiting = post(company, 'all', [client('A'), client('B', { tax_id: 'LATE' }), client('C')])
      // The batch has looked, and waits at the index for what this transaction does.
      await expect.poll(waitingStatements).toBeGreaterThan(0)
      return { waiting }
    })
    const { status, body } = await answer.waiting
    expect(status).toBe(422)
    expect(refusedOf(body.refused)).toEqual([[1, 'validation_failed', 'body.tax_id not_unique']])
    expect(await totalOf(company)).toBe(0)
  })

  test('batches that want the same records in another order do not deadlock, and no caller sees it if they do', async () => {
    const company = await stage.company()
    const ids = await Promise.all([...'abcdef'].map((name) => company.create('clients', { name })))
    const changes = (order: readonly number[], notes: string) =>
      order.map((id) => ({ op: 'update', records: 'clients', id, body: { notes } }))
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, round) =>
        post(company, 'all', changes(round % 2 ? ids : ids.toReversed(), `round ${round}`)),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const { body } = await company.get('/v1/clients?fields=notes')
    expect(new Set(body.data.map(({ notes }: { notes: string }) => notes)).size).toBe(1)
  })
})

describe('With the mode each', () => {
  test('what is refused leaves the others done, and what stands for it is refused too', async () => {
    const company = await stage.company()
    const { status, body } = await post(company, 'each', [
      client('A', { tax_id: 'T' }),
      { ...client('B', { tax_id: 't' }), as: 'twin' },
      creating('projects', { name: 'P', client_id: { $ref: 'twin' } }),
      { op: 'fly' },
      client('C'),
    ])
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ done: 2, refused: 3 })
    expect(refusedOf(body.data.operations)).toEqual([
      [1, 'validation_failed', 'body.tax_id not_unique'],
      [2, 'validation_failed', 'body.client_id not_found'],
      [3, 'validation_failed', 'op not_allowed', 'records required'],
    ])
    expect(await totalOf(company)).toBe(2)
  })

  test('a retry of one that broke off does what is left and nothing twice, and answers the whole', async () => {
    const company = await stage.company()
    const headers = keyed()
    const operations = [client('A'), client('B'), { op: 'delete', records: 'clients', id: 1 }, client('C')]
    const first = await post(company, 'each', operations, headers)
    // As after a crash behind the second operation.
    await stage.sql('delete from batch_answers where company_id = $1 and n >= 2', company.id)
    await stage.sql("update clients set deleted_at = now() where company_id = $1 and name = 'C'", company.id)
    const second = await post(company, 'each', operations, headers)
    expect(second.status).toBe(200)
    expect(second.headers['idempotency-replayed']).toBeUndefined()
    expect(second.body.data.operations.slice(0, 2)).toEqual(first.body.data.operations.slice(0, 2))
    expect(second.body.data.operations[3].data.id).toBeGreaterThan(first.body.data.operations[3].data.id)
    const names = (await company.get('/v1/clients?fields=name')).body.data.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['A', 'B', 'C'])
    const writes = await stage.sql(
      "select distinct write_id from history where company_id = $1 and records = 'clients'",
      company.id,
    )
    expect(writes).toHaveLength(1)
  })

  test('is logged as one whose outcome is not known until its last operation is done.', async () => {
    const company = await stage.company()
    const headers = keyed()
    const logged = () =>
      stage.sql("select status, code, counted from calls where company_id = $1 and route = 'batch'", company.id)
    const { waiting } = await stage.inTransaction(async (transaction) => {
      await transaction.run({
        text: 'select pg_advisory_xact_lock($1::bigint)',
        values: [lockOfBatch(company.id, headers['Idempotency-Key'])],
      })
      const waiting = post(company, 'each', [client('A'), client('B')], headers)
      await expect.poll(logged).toEqual([{ status: 503, code: 'outcome_unknown', counted: true }])
      return { waiting }
    })
    expect((await waiting).status).toBe(200)
    expect(await logged()).toEqual([{ status: 200, code: null, counted: true }])
  })

  test('what it keeps is swept with its key, a day after the last completion', async () => {
    const company = await stage.company()
    const headers = keyed()
    await post(company, 'each', [client('A')], headers)
    await stage.sql("update answers set completed_at = now() - interval '25 hours' where company_id = $1", company.id)
    const again = await post(company, 'each', [client('A'), client('B')], headers)
    expect(again.body.data.done).toBe(2)
    expect(await totalOf(company)).toBe(3)
    await stage.sql('delete from answers where company_id = $1', company.id)
    expect(await stage.sql('select 1 from batch_answers where company_id = $1', company.id)).toEqual([])
  })

  test('two calls with one key do each operation once', async () => {
    const company = await stage.company()
    const headers = keyed()
    const operations = Array.from({ length: 20 }, (_, n) => client(`C${n}`, { external_ref: `R-${n}` }))
    const answers = await Promise.all(Array.from({ length: 4 }, () => post(company, 'each', operations, headers)))
    const done = answers.filter(({ status }) => status === 200)
    expect(done.length).toBeGreaterThan(0)
    for (const { body } of done) expect(body).toEqual(done[0]?.body)
    for (const { status, body } of answers) if (status !== 200) expect(body.code).toBe('idempotency_in_progress')
    expect(done[0]?.body.data).toMatchObject({ done: 20, refused: 0 })
    expect(await totalOf(company)).toBe(20)
  })

  test('a token that is revoked in the middle does no more', async () => {
    const company = await stage.company()
    const headers = keyed()
    const lock = lockOfBatch(company.id, headers['Idempotency-Key'])
    const { waiting, revoked } = await stage.inTransaction(async (transaction) => {
      await transaction.run({ text: 'select pg_advisory_xact_lock($1::bigint)', values: [lock] })
      const waiting = post(company, 'each', [client('A'), client('B')], headers)
      await expect.poll(waitingStatements).toBe(1)
      const revoked = company.revoke()
      await expect.poll(waitingStatements).toBe(2)
      return { waiting, revoked }
    })
    await revoked
    expect(await waiting).toMatchObject({ status: 401 })
    const calls = await stage.sql(
      "select status, code from calls where company_id = $1 and route = 'batch'",
      company.id,
    )
    expect(calls).toEqual([{ status: 401, code: 'unauthorized' }])
    expect(await stage.sql('select name from clients where company_id = $1', company.id)).toEqual([{ name: 'A' }])
  })
})

describe('Every limit and every odd body has a clear answer', () => {
  const rows: { what: string; body: unknown; status: number; code: string; fields?: string[] }[] = [
    { what: 'no object', body: [], status: 422, code: 'validation_failed', fields: [' wrong_type'] },
    {
      ...{ what: 'nothing', body: {}, status: 422, code: 'validation_failed' },
      fields: ['mode required', 'operations required'],
    },
    {
      ...{ what: 'no operations', body: { mode: 'all', operations: [] }, status: 422, code: 'validation_failed' },
      fields: ['operations wrong_type'],
    },
    {
      what: 'an unknown mode and member',
      body: { mode: 'some', operations: [client('A')], more: 1 },
      ...{ status: 422, code: 'validation_failed', fields: ['more unknown_field', 'mode not_allowed'] },
    },
    {
      what: 'too many operations',
      body: { mode: 'all', operations: Array.from({ length: batchOperationsMax + 1 }, () => client('A')) },
      ...{ status: 413, code: 'payload_too_large' },
    },
  ]
  test.each(rows)('$what', async ({ body, status, code, fields }) => {
    const company = await stage.company()
    const answer = await company.call('POST', '/v1/batch', { body })
    expect(answer).toMatchObject({ status, body: { code } })
    // biome-ignore lint/suspicious/noExplicitAny: answers are read as they come
    if (fields) expect(answer.body.errors.map((each: any) => `${each.field} ${each.code}`)).toEqual(fields)
    expect(await totalOf(company)).toBe(0)
  })

  const wrong: { what: string; row: Row; fields: string[] }[] = [
    { what: 'a create with an id', row: { ...client('A'), id: 1 }, fields: ['id unknown_field'] },
    { what: 'an update of nothing', row: { op: 'update', records: 'clients', body: {} }, fields: ['id required'] },
    {
      what: 'an update of two',
      row: { op: 'update', records: 'clients', id: 1, external_ref: 'A', body: {} },
      fields: ['external_ref not_allowed'],
    },
    { what: 'an id of text', row: { op: 'delete', records: 'clients', id: '1' }, fields: ['id wrong_type'] },
    {
      what: 'a delete with a body',
      row: { op: 'delete', records: 'clients', id: 1, body: {} },
      fields: ['body unknown_field'],
    },
    { what: 'a create without a body', row: { op: 'create', records: 'clients' }, fields: ['body required'] },
    { what: 'a body that is a list', row: { op: 'create', records: 'clients', body: [] }, fields: ['body wrong_type'] },
    { what: 'a name with a blank', row: { ...client('A'), as: 'a b' }, fields: ['as wrong_format'] },
    { what: 'records of the office', row: creating('trades', { name: 'T' }), fields: ['records not_allowed'] },
    {
      what: 'a reference to itself',
      row: creating('workers', { name: 'W', supervisor_id: { $ref: 'me' } }, { as: 'me' }),
      fields: ['body.supervisor_id not_found'],
    },
    {
      what: 'a reference where there is none',
      row: client('A', { notes: { $ref: 'x' } }),
      fields: ['body.notes wrong_type'],
    },
  ]
  test.each(wrong)('an operation with $what', async ({ row, fields }) => {
    const company = await stage.company()
    const { body } = await post(company, 'all', [row])
    expect(refusedOf(body.refused)).toEqual([[0, 'validation_failed', ...fields]])
  })

  test('a body of as many bytes as are taken is taken, one more is not', async () => {
    const company = await stage.company()
    const text = JSON.stringify({ mode: 'all', operations: [client('A')] })
    const padded = (bytes: number) => text + ' '.repeat(bytes - text.length)
    expect(await company.call('POST', '/v1/batch', { raw: padded(batchBytesMax) })).toMatchObject({ status: 200 })
    expect(await company.call('POST', '/v1/batch', { raw: padded(batchBytesMax + 1) })).toMatchObject({ status: 413 })
    expect(await totalOf(company)).toBe(1)
  })

  test('a thousand operations are done, and a thousand with a hundred mistakes each are answered in bounds', async () => {
    const company = await stage.company()
    const good = Array.from({ length: batchOperationsMax }, (_, n) => client(`C${n}`, { external_ref: `R-${n}` }))
    expect((await post(company, 'all', good)).body.data.done).toBe(batchOperationsMax)
    expect(await totalOf(company)).toBe(batchOperationsMax)
    const members = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`m${n}`, 1]))
    const bad = Array.from({ length: batchOperationsMax }, () => client('A', members))
    const answer = await post(company, 'all', bad)
    expect(answer.body.refused).toHaveLength(batchOperationsMax)
    expect(answer.body.refused[999].problem.errors).toHaveLength(batchProblemsMax + 1)
    expect(answer.text.length).toBeLessThan(12 * 1024 * 1024)
  })

  test('odd names and texts are kept as they are or refused by name', async () => {
    const company = await stage.company()
    const odd = ['名前 \u{1f3d7}', "O'Hara; drop table clients", '{"$ref":"x"}', '$1', '\\', '"\'%_']
    const { body } = await post(
      company,
      'all',
      odd.map((name) => client(name, { notes: name })),
    )
    expect(body.data.done).toBe(odd.length)
    const listed = await company.get('/v1/clients?fields=name,notes')
    expect(listed.body.data.map(({ name, notes }: Row) => [name, notes])).toEqual(odd.map((name) => [name, name]))
    const raw = '{"mode":"all","operations":[{"op":"create","records":"clients","body":{"name":"a","name":"b"}}]}'
    expect(await company.call('POST', '/v1/batch', { raw })).toMatchObject({ status: 400 })
    const proto = '{"mode":"all","operations":[{"op":"create","records":"constructor","body":{"toString":1}}]}'
    const refused = await company.call('POST', '/v1/batch', { raw: proto })
    expect(refusedOf(refused.body.refused)).toEqual([[0, 'validation_failed', 'records not_allowed']])
  })
})

async function seeing(company: Company): Promise<Company> {
  const [row] = await stage.sql<{ total: number }>(
    'select count(*) as total from clients where company_id = $1',
    company.id,
  )
  return { ...company, get: async () => ({ body: { meta: { total: row?.total } } }) as never }
}

const waitingStatements = (): Promise<number> => stage.waiting()

describe('A batch that keeps to a plan', () => {
  const operations = (id: number) => [
    creating('clients', { name: 'New', external_ref: 'N' }, { as: 'new' }),
    creating('projects', { name: 'P', client_id: { $ref: 'new' } }, { as: 'project' }),
    creating('estimates', {
      title: 'E',
      external_ref: 'E',
      client_id: { $ref: 'new' },
      project_id: { $ref: 'project' },
    }),
    { op: 'update', records: 'clients', external_ref: 'N', body: { notes: 'n' } },
    { op: 'delete', records: 'estimates', external_ref: 'E' },
    { op: 'upsert', records: 'projects', external_ref: 'U', body: { name: 'U', client_id: id } },
  ]

  test('does what its dry-run showed, though ids and numbers are drawn anew', async () => {
    const company = await stage.company()
    const id = await company.create('clients', { name: 'There' })
    const { body } = await post(company, 'all', operations(id), { 'X-Dry-Run': '1' })
    const again = await post(company, 'all', operations(id), { 'X-Dry-Run': '1' })
    expect(again.body.plan.hash).toBe(body.plan.hash)
    const done = await post(company, 'all', operations(id), { 'If-Plan': `"${body.plan.hash}"` })
    expect(done).toMatchObject({ status: 200, body: { data: { done: 6 } } })
  })

  test('is refused whole where what it rests on has changed', async () => {
    const company = await stage.company()
    const id = await company.create('clients', { name: 'There' })
    const plan = (await post(company, 'all', operations(id), { 'X-Dry-Run': '1' })).body.plan
    await company.create('projects', { name: 'Meanwhile', external_ref: 'U' })
    const refused = await post(company, 'all', operations(id), { 'If-Plan': `"${plan.hash}"` })
    expect(refused).toMatchObject({ status: 412, body: { code: 'plan_changed' } })
    expect([await totalOf(company), await totalOf(company, 'projects')]).toEqual([1, 1])
  })

  test('is of the mode all: each operation by itself cannot be undone any more', async () => {
    const company = await stage.company()
    const headers = { 'If-Plan': `"sha256-${'A'.repeat(43)}"` }
    const refused = await post(company, 'each', [client('A')], headers)
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_header' } })
    expect(await totalOf(company)).toBe(0)
  })
})

/** All rows of all tables but those that note calls, and places of the log. */
async function everyRow(): Promise<unknown> {
  const tables = await stage.sql<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('calls', 'call_details', 'log_marks', 'company_marks') order by 1",
  )
  return Promise.all(
    tables.map(async ({ name }) => [name, await stage.sql(`select t::text as row from ${name} t order by 1`)]),
  )
}
