import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const used = async (own: Company, records: string): Promise<number> =>
  (
    await stage.sql<{ used: number }>(
      'select used from plan_usage where company_id = $1 and records = $2',
      own.id,
      records,
    )
  )[0]?.used ?? 0

async function filled(own: Company, left: number): Promise<number[]> {
  return Promise.all(Array.from({ length: 25 - left }, (_, index) => own.create('projects', { name: `P${index}` })))
}

describe('The plan limit', () => {
  test('of a hundred concurrent creates at one place left, one gets 201 and the rest 402 [V2.3.2] [V2.3.4]', async () => {
    const own = await stage.company({ plan: 'STARTER' })
    await filled(own, 1)
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => own.call('POST', '/v1/projects', { body: { name: `Q${index}` } })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'plan_limit_reached')).toHaveLength(99)
    expect((await own.get('/v1/projects')).body.meta.total).toBe(25)
  })

  test('says the limit and what is used', async () => {
    const own = await stage.company({ plan: 'STARTER' })
    await filled(own, 0)
    const { status, body } = await own.call('POST', '/v1/projects', { body: { name: 'Q' } })
    expect({ status, ...body }).toMatchObject({ status: 402, code: 'plan_limit_reached', limit: 25, used: 25 })
  })

  test('a create that fails gives its place back, and a deletion frees one', async () => {
    const own = await stage.company({ plan: 'STARTER' })
    const ids = await filled(own, 1)
    await own.create('projects', { name: 'Last', code: 'X' })
    await own.call('DELETE', `/v1/projects/${ids[0]}`)
    expect((await own.call('POST', '/v1/projects', { body: { name: 'Bad', code: 'x' } })).status).toBe(422)
    expect(await used(own, 'projects')).toBe(24)
    expect((await own.call('POST', '/v1/projects', { body: { name: 'Good' } })).status).toBe(201)
  })

  test('workers are counted apart from projects, and other kinds are not counted', async () => {
    const own = await stage.company({ plan: 'STARTER' })
    await filled(own, 0)
    expect((await own.call('POST', '/v1/workers', { body: { name: 'W' } })).status).toBe(201)
    expect((await own.call('POST', '/v1/clients', { body: { name: 'C' } })).status).toBe(201)
    expect([await used(own, 'projects'), await used(own, 'workers')]).toEqual([25, 1])
  })

  test('lowering the plan keeps what exists and takes no more; raising it takes more', async () => {
    const own = await stage.company({ plan: 'ENTERPRISE' })
    await Promise.all(Array.from({ length: 30 }, (_, index) => own.create('projects', { name: `P${index}` })))
    await own.set({ plan: 'STARTER' })
    expect((await own.get('/v1/projects')).body.meta.total).toBe(30)
    expect((await own.call('POST', '/v1/projects', { body: { name: 'Q' } })).body).toMatchObject({
      limit: 25,
      used: 30,
    })
    await own.set({ plan: 'PRO' })
    expect((await own.call('POST', '/v1/projects', { body: { name: 'Q' } })).status).toBe(201)
  })

  test('a plan lowered while records are created counts every one of them', async () => {
    const own = await stage.company({ plan: 'ENTERPRISE' })
    const creates = Array.from({ length: 40 }, (_, index) =>
      own.call('POST', '/v1/projects', { body: { name: `P${index}` } }),
    )
    const [answers] = await Promise.all([Promise.all(creates), own.set({ plan: 'PRO' })])
    const made = answers.filter(({ status }) => status === 201).length
    expect(await used(own, 'projects')).toBe(made)
  })

  test('another company never waits', async () => {
    const [own, other] = [await stage.company({ plan: 'STARTER' }), await stage.company({ plan: 'STARTER' })]
    await stage.inTransaction(async (transaction) => {
      await transaction.run({ text: 'select 1 from plan_usage where company_id = $1 for update', values: [own.id] })
      expect((await other.call('POST', '/v1/projects', { body: { name: 'Free' } })).status).toBe(201)
    })
  })
})

describe('Metering: every call that passed address, scope and add-on is one row, and counts unless it is a replay', () => {
  type Row = { why: string; call: (own: Company) => Promise<unknown>; note: object }
  const rows: Row[] = [
    {
      why: 'a list',
      call: (own) => own.get('/v1/clients'),
      note: { route: 'clients.list', status: 200, counted: true },
    },
    {
      why: 'a fetch that finds nothing',
      call: (own) => own.get('/v1/clients/77'),
      note: { route: 'clients.fetch', status: 404, code: 'not_found', record_id: 77, counted: true },
    },
    {
      why: 'a 304',
      call: (own) => own.get('/v1/clients', { 'If-None-Match': '*' }),
      note: { status: 304, counted: true },
    },
    {
      why: 'a parameter that is wrong',
      call: (own) => own.get('/v1/clients?limit=x'),
      note: { status: 400, code: 'invalid_parameter', counted: true },
    },
    {
      why: 'a create',
      call: (own) => own.call('POST', '/v1/clients', { body: { name: 'X' } }),
      note: { route: 'clients.create', status: 201, counted: true, dry_run: false },
    },
    {
      why: 'a create that is refused',
      call: (own) => own.call('POST', '/v1/clients', { body: {} }),
      note: { status: 422, code: 'validation_failed', counted: true },
    },
    {
      why: 'a body that cannot be read',
      call: (own) => own.call('POST', '/v1/clients', { raw: '{' }),
      note: { status: 400, code: 'malformed_json', counted: true },
    },
    {
      why: 'a dry-run',
      call: (own) => own.call('POST', '/v1/clients?dry_run=1', { body: { name: 'X' } }),
      note: { status: 200, dry_run: true, counted: true },
    },
    {
      why: 'a scope that is missing',
      call: async (own) => {
        await own.setAccount({ permissions: [] })
        await own.get('/v1/clients')
      },
      note: { status: 403, code: 'insufficient_scope', counted: false },
    },
    {
      why: 'an add-on that is off',
      call: async (own) => {
        await own.set({ addOns: ['api'] })
        await own.call('POST', '/v1/equipment', { body: { name: 'X' } })
      },
      note: { status: 402, code: 'feature_off', counted: false },
    },
    {
      why: 'an address that is not allowed',
      call: async (own) => {
        await own.allow(['10.0.0.0/8'])
        await own.get('/v1/clients')
      },
      note: { status: 403, code: 'ip_not_allowed', counted: false },
    },
    {
      why: 'a token that was rotated away',
      call: async (own) => {
        await own.rotate()
        await own.get('/v1/clients')
      },
      note: { status: 401, code: 'unauthorized', counted: false },
    },
  ]
  test.each(rows)('$why', async ({ call, note }) => {
    const own = await stage.company()
    await call(own)
    expect(await own.calls()).toMatchObject([note])
  })

  test('a replay is noted and does not count', async () => {
    const own = await stage.company()
    const options = { body: { name: 'X' }, headers: { 'Idempotency-Key': 'k' } }
    await own.call('POST', '/v1/clients', options)
    await own.call('POST', '/v1/clients', options)
    expect(await own.calls()).toMatchObject([
      { status: 201, replayed: false, counted: true },
      { status: 201, replayed: true, counted: false },
    ])
  })

  test('the public documents are not metered, token or not', async () => {
    const own = await stage.company()
    for (const path of ['/v1/openapi.json', '/v1/docs', '/v1/postman.json', '/llms.txt'])
      expect((await own.get(path)).status).toBe(200)
    expect(await own.calls()).toEqual([])
  })

  test('a call without a known token is nobody’s', async () => {
    const before = await stage.sql('select count(*) from calls')
    await stage.send({ method: 'GET', path: '/v1/clients' })
    await stage.app.meter.flush()
    expect(await stage.sql('select count(*) from calls')).toEqual(before)
  })
})
