import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Transaction } from '#server/store/database.ts'
import type { TestResponse } from '../stage/http.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

/** Creates and updates of one caller that share transactions: each is what it would be alone. Decisions, Groups. */

/** How often the races are run: `GROUP_ROUNDS=1000 npx vitest run test/http/groups.test.ts` for all of them. */
const rounds = Number(process.env.GROUP_ROUNDS ?? 5)

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const keyed = (key: string) => ({ 'Idempotency-Key': key })
const times = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

/** How many changes each transaction of a company has made. */
const perTransaction = async (own: Company): Promise<number[]> => {
  const rows = await stage.sql<{ changes: number }>(
    'select count(*)::int as changes from history where company_id = $1 and token_id is not null group by xmin::text',
    own.id,
  )
  return rows.map(({ changes }) => changes)
}

const codeOf = ({ status, body }: TestResponse) => [status, body.code ?? null]

describe('Creates of one caller at one moment', () => {
  let own: Company
  let answers: TestResponse[]
  beforeAll(async () => {
    own = await stage.company({ plan: 'ENTERPRISE' })
    answers = await times(64, (n) =>
      own.call('POST', '/v1/clients', { body: { name: `Client ${n}` }, headers: keyed(`create-${n}`) }),
    )
  })

  test('share transactions', async () => {
    const counts = await perTransaction(own)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(64)
    expect(counts.length).toBeLessThanOrEqual(20)
    expect(Math.max(...counts)).toBeLessThanOrEqual(32)
  })

  test('have each their own record, place, ETag and write', async () => {
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(new Set(answers.map(({ headers }) => headers['x-write-id'])).size).toBe(64)
    for (const [n, { body, headers }] of answers.entries()) {
      const read = await own.get(headers.location as string)
      expect(read.body.data).toMatchObject({ id: body.data.id, name: `Client ${n}` })
      expect(read.headers.etag).toBe(headers.etag)
    }
  })

  test('stand each in the history with the key, the write and the request of its call', async () => {
    const rows = await stage.sql(
      'select record_id, write_id::text, request_id, idempotency_key from history where company_id = $1 and token_id is not null order by record_id',
      own.id,
    )
    const expected = answers.map(({ body, headers }, n) => ({
      ...{ record_id: body.data.id, write_id: headers['x-write-id'] },
      ...{ request_id: headers['x-request-id'], idempotency_key: `create-${n}` },
    }))
    expect(rows).toEqual(expected.toSorted((one, other) => one.record_id - other.record_id))
  })

  test('are each a call in the log', async () => {
    const calls = (await own.calls()).filter(({ status }) => status === 201)
    expect(calls.map(({ status, counted, record_id }) => [status, counted, record_id]).toSorted()).toEqual(
      answers.map(({ body }) => [201, true, body.data.id]).toSorted(),
    )
  })

  test('are replayed each under its key, and make nothing more', async () => {
    const again = await times(64, (n) =>
      own.call('POST', '/v1/clients', { body: { name: `Client ${n}` }, headers: keyed(`create-${n}`) }),
    )
    for (const [n, { body, headers, status }] of again.entries()) {
      expect([status, body, headers.etag, headers['x-write-id'], headers['idempotency-replayed']]).toEqual([
        ...[201, answers[n]?.body, answers[n]?.headers.etag, answers[n]?.headers['x-write-id'], 'true'],
      ])
    }
    expect((await own.get('/v1/clients?limit=1')).body.meta.total).toBe(64)
  })

  test('are taken back one by one', async () => {
    const { body, headers } = answers[7] as TestResponse
    const undone = await own.call('POST', `/v1/writes/${headers['x-write-id']}/undo`)
    expect(undone.body.data).toMatchObject({ records: 1, remaining: 0 })
    expect((await own.get(`/v1/clients/${body.data.id}`)).status).toBe(404)
    expect((await own.get('/v1/clients?limit=1')).body.meta.total).toBe(63)
  })
})

describe('A call goes by itself', () => {
  type Row = { why: string; call: (own: Company, n: number) => Promise<TestResponse> }
  const rows: Row[] = [
    {
      why: 'that asks for the whole record',
      call: (own, n) =>
        own.call('POST', '/v1/clients', { body: { name: `${n}` }, headers: { Prefer: 'return=representation' } }),
    },
    {
      why: 'with a body over 64 KiB',
      call: (own, n) =>
        own.call('POST', '/v1/clients', { raw: `${JSON.stringify({ name: `${n}` })}${' '.repeat(65 * 1024)}` }),
    },
    {
      why: 'that is an upsert',
      call: (own, n) => own.call('PUT', `/v1/clients/by/external_ref/${n}`, { body: { name: `${n}` } }),
    },
  ]
  test.each(rows)('$why', async ({ call }) => {
    const own = await stage.company()
    const answers = await times(24, (n) => call(own, n))
    expect(answers.every(({ status }) => status === 201)).toBe(true)
    expect(await perTransaction(own)).toEqual(Array.from({ length: 24 }, () => 1))
  })
})

test('Calls of two kinds never share a transaction, nor do those of two companies', async () => {
  const [one, other] = [await stage.company(), await stage.company()]
  await times(60, (n) =>
    (n % 3 === 0 ? other : one).call('POST', n % 3 === 1 ? '/v1/clients' : '/v1/workers', { body: { name: `${n}` } }),
  )
  const rows = await stage.sql<{ kinds: number; companies: number }>(
    `select count(distinct records)::int as kinds, count(distinct company_id)::int as companies
     from history where company_id in ($1, $2) and records in ('clients', 'workers') group by xmin::text`,
    ...[one.id, other.id],
  )
  expect(rows.length).toBeLessThan(60)
  expect(rows.every(({ kinds, companies }) => kinds === 1 && companies === 1)).toBe(true)
})

test('Good and bad rows of one moment have each the answer that it has alone', async () => {
  const calls = async (own: Company): Promise<(() => Promise<TestResponse>)[]> => {
    const client = await own.create('clients', { name: 'There', tax_id: 'TAKEN' })
    for (const key of Array.from({ length: 16 }, (_, n) => `used-${n}`))
      await own.call('POST', '/v1/clients', { body: { name: 'First' }, headers: keyed(key) })
    const create =
      (body: object, headers = {}) =>
      () =>
        own.call('POST', '/v1/clients', { body, headers })
    const update =
      (id: number, body: object, headers = {}) =>
      () =>
        own.call('PATCH', `/v1/clients/${id}`, { body, headers })
    return Array.from({ length: 8 }, (_, n) => [
      create({ name: `Good ${n}` }, keyed(`good-${n}`)),
      create({ name: `Good too ${n}` }),
      create({ nom: 'unknown field' }),
      create({ name: '' }, keyed(`empty-${n}`)),
      create({ name: 'Taken', tax_id: 'taken' }),
      create({ name: 'First' }, keyed(`used-${n}`)),
      create({ name: 'Another' }, keyed(`used-${n + 8}`)),
      update(client, { name: 'Stale' }, { 'If-Match': '"old"' }),
      update(999_999, { name: 'Nobody' }),
    ]).flat()
  }
  const seen = (answers: TestResponse[]) =>
    answers.map(({ status, body, headers }) => [
      status,
      body.code ?? null,
      body.errors ?? null,
      'idempotency-replayed' in headers,
    ])
  const [together, oneByOne] = [await stage.company(), await stage.company()]
  const atOnce = await Promise.all((await calls(together)).map((call) => call()))
  const inTurn: TestResponse[] = []
  for (const call of await calls(oneByOne)) inTurn.push(await call())
  expect(seen(atOnce)).toEqual(seen(inTurn))
  expect((await together.calls()).length).toBe((await oneByOne.calls()).length)
  expect((await together.get('/v1/clients?limit=1')).body.meta.total).toBe(
    (await oneByOne.get('/v1/clients?limit=1')).body.meta.total,
  )
})

describe('Who come at one moment', () => {
  test('thirty who want one code: one has it', async () => {
    const own = await stage.company({ plan: 'ENTERPRISE' })
    for (let round = 0; round < rounds; round++) {
      const code = `C-${round}`
      const answers = await times(30, (n) => own.call('POST', '/v1/projects', { body: { name: `${n}`, code } }))
      expect(answers.map(codeOf).toSorted()).toEqual([[201, null], ...Array(29).fill([422, 'validation_failed'])])
    }
  })

  test('thirty who send one key: one effect, and the others hear that it is in flight, or its answer', async () => {
    const own = await stage.company({ plan: 'ENTERPRISE' })
    for (let round = 0; round < rounds; round++) {
      const answers = await times(30, () =>
        own.call('POST', '/v1/projects', { body: { name: `Round ${round}` }, headers: keyed(`round-${round}`) }),
      )
      const done = answers.filter(({ status }) => status === 201)
      expect(new Set(done.map(({ body }) => body.data.id)).size).toBe(1)
      expect(done.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
      for (const answer of answers)
        if (answer.status !== 201) expect(codeOf(answer)).toEqual([409, 'idempotency_in_progress'])
    }
    expect((await own.get('/v1/projects?limit=1')).body.meta.total).toBe(rounds)
  })

  test('sixty who change one record: each makes a version, in the order of the log', async () => {
    const own = await stage.company()
    for (let round = 0; round < rounds; round++) {
      const id = await own.create('clients', { name: 'Contested' })
      const answers = await times(60, (n) => own.call('PATCH', `/v1/clients/${id}`, { body: { notes: `${n}` } }))
      expect(answers.filter(({ status, body }) => status !== 200 || !body.data.updated)).toEqual([])
      const log = await stage.sql<{ version: number }>(
        "select version from history where company_id = $1 and records = 'clients' and record_id = $2 order by epoch, pos, id",
        ...[own.id, id],
      )
      expect(log.map(({ version }) => version)).toEqual(Array.from({ length: 61 }, (_, n) => n + 1))
    }
  })

  test('more than the plan has room for: the last slot is filled, and no more', async () => {
    for (let round = 0; round < rounds; round++) {
      const own = await stage.company({ plan: 'STARTER' })
      const answers = await times(40, (n) =>
        own.call('POST', '/v1/projects', { body: { name: `${n}` }, headers: keyed(`${n}`) }),
      )
      expect(answers.map(codeOf).toSorted()).toEqual([
        ...Array(25).fill([201, null]),
        ...Array(15).fill([402, 'plan_limit_reached']),
      ])
      expect((await own.get('/v1/projects?limit=1')).body.meta.total).toBe(25)
    }
  })
})

describe('A record that another transaction holds', () => {
  const hold = (transaction: Transaction, own: Company, id: number) =>
    transaction.run({
      text: 'select 1 from clients where company_id = $1 and id = $2 for update',
      values: [own.id, id],
    })

  test('keeps its own call waiting, and nobody else of the company', async () => {
    const own = await stage.company()
    const [id, ...others] = await times(30, (n) => own.create('clients', { name: `${n}` }))
    let waiting: Promise<TestResponse> | undefined
    await stage.inTransaction(async (transaction) => {
      await hold(transaction, own, id as number)
      waiting = own.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Held' } })
      const rest = await Promise.all([
        ...others.map((other) => own.call('PATCH', `/v1/clients/${other}`, { body: { name: 'Free' } })),
        ...others.map((_, n) =>
          own.call('POST', '/v1/clients', { body: { name: `New ${n}` }, headers: keyed(`${n}`) }),
        ),
      ])
      expect(new Set(rest.map(({ status }) => status))).toEqual(new Set([200, 201]))
      await eventually(async () => expect(await stage.waiting()).toBe(1))
    })
    expect((await waiting)?.body.data).toMatchObject({ id, updated: true })
  })
})

test('A token that is revoked while its calls are in groups writes nothing after the answer', async () => {
  for (let round = 0; round < rounds; round++) {
    const own = await stage.company({ plan: 'ENTERPRISE' })
    const { token } = own
    let isOver = false
    const writers = times(32, async (writer) => {
      let last: TestResponse | undefined
      for (let n = 0; !isOver; n++)
        last = await own.call('POST', '/v1/clients', { body: { name: `${writer} ${n}` }, token })
      return last
    })
    await eventually(async () => expect((await perTransaction(own)).some((count) => count > 1)).toBe(true))
    await own.rotate()
    const [then] = await stage.sql<{ total: number }>(
      'select count(*)::int as total from clients where company_id = $1',
      own.id,
    )
    await times(32, async (n) => {
      const answer = await own.call('POST', '/v1/clients', { body: { name: `Late ${n}` }, token })
      expect(codeOf(answer)).toEqual([401, 'unauthorized'])
    })
    isOver = true
    for (const last of await writers) expect([201, 401]).toContain(last?.status)
    const [now] = await stage.sql<{ total: number }>(
      'select count(*)::int as total from clients where company_id = $1',
      own.id,
    )
    expect(now?.total).toBe(then?.total)
  }
})

test('Any mix of calls at one moment gives the records that they give one after the other in the order of the log', async () => {
  const text = fc.constantFrom('A', 'B', 'C', 'D', null)
  const operation = fc.oneof(
    fc.record({ does: fc.constant('make' as const), tax_id: text, notes: text, keyed: fc.boolean() }),
    fc.record({
      does: fc.constant('change' as const),
      target: fc.nat(3),
      notes: text,
      name: fc.constantFrom('X', 'Y'),
      keyed: fc.boolean(),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 12, maxLength: 40 }), async (operations) => {
      const [own, twin] = [await stage.company(), await stage.company()]
      const base = await inTurn(4, (n) => own.create('clients', { name: `Base ${n}` }))
      const twins = await inTurn(4, (n) => twin.create('clients', { name: `Base ${n}` }))
      const send = (company: Company, ids: number[], n: number): Promise<TestResponse> => {
        const one = operations[n] as (typeof operations)[number]
        const headers = one.keyed ? keyed(`op-${n}`) : {}
        const { does, keyed: _, ...fields } = one
        if (does === 'make') return company.call('POST', '/v1/clients', { body: { name: 'New', ...fields }, headers })
        const { target, ...body } = fields as { target: number }
        return company.call('PATCH', `/v1/clients/${ids[target]}`, { body, headers })
      }
      const answers = await times(operations.length, (n) => send(own, base, n))
      // What changed something stands in the log; what changed nothing, or was refused, may stand anywhere behind it.
      const log = await stage.sql<{ write_id: string }>(
        'select write_id::text from history where company_id = $1 order by epoch, pos, id',
        own.id,
      )
      const placeOf = (n: number): number => {
        const place = log.findIndex(({ write_id }) => write_id === answers[n]?.headers['x-write-id'])
        return place < 0 ? log.length : place
      }
      const changing = operations.map((_, n) => n).filter((n) => placeOf(n) < log.length)
      for (const n of changing.toSorted((one, other) => placeOf(one) - placeOf(other))) {
        const alone = await send(twin, twins, n)
        expect([alone.status, alone.body.data.changed]).toEqual([answers[n]?.status, answers[n]?.body.data.changed])
      }
      expect(await shown(own)).toEqual(await shown(twin))
      for (const [n, answer] of answers.entries()) {
        if (answer.status < 400) continue
        expect([n, codeOf(answer), answer.body.errors]).toEqual([n, ...refusedLike(await send(twin, twins, n))])
      }
    }),
    { numRuns: 3 * rounds },
  )
})

const refusedLike = (answer: TestResponse) => [codeOf(answer), answer.body.errors]

async function inTurn<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (let n = 0; n < count; n++) done.push(await work(n))
  return done
}

/** The records without what differs from one company to another, sorted. */
async function shown(own: Company): Promise<string[]> {
  const { body } = await own.get('/v1/clients?limit=200')
  return body.data
    .map(({ name, tax_id, notes, version }: { [field: string]: unknown }) =>
      JSON.stringify({ name, tax_id, notes, version }),
    )
    .toSorted()
}
