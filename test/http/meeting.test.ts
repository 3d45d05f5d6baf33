import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Transaction } from '#server/store/database.ts'
import type { TestResponse } from '../stage/http.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

/** Writes that meet others on the way: who waits, who does not, and what is left of those that come too late. */
let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const keyed = (key: string) => ({ 'Idempotency-Key': key })

const held = (transaction: Transaction, own: Company, table: string, id: number) =>
  transaction.run({ text: `select 1 from ${table} where company_id = $1 and id = $2 for update`, values: [own.id, id] })

/** Until a statement waits for a lock. */
const waiting = () => eventually(async () => expect(await stage.waiting()).toBe(1))

describe('A call that is not going to work holds nothing and waits for nobody', () => {
  type Row = { why: string; code?: string; prepare?: (own: Company, id: number) => Promise<unknown> }
  const rows: Row[] = [
    { why: 'one without the scope', code: 'insufficient_scope', prepare: (own) => own.setAccount({ permissions: [] }) },
    { why: 'one without the add-on', code: 'feature_off', prepare: (own) => own.set({ addOns: [] }) },
    { why: 'one from another address', code: 'ip_not_allowed', prepare: (own) => own.allow(['10.0.0.0/8']) },
    { why: 'one with a token that was rotated away', code: 'unauthorized', prepare: (own) => own.rotate() },
    {
      why: 'a replay',
      prepare: (own, id) => own.call('PATCH', `/v1/clients/${id}`, { body: { name: 'B' }, headers: keyed('k') }),
    },
    {
      why: 'a key that belongs to another request',
      code: 'idempotency_key_reuse',
      prepare: (own, id) => own.call('PATCH', `/v1/clients/${id}`, { body: { name: 'C' }, headers: keyed('k') }),
    },
  ]
  test.each(rows)('$why', async ({ code, prepare }) => {
    const own = await stage.company()
    const { token } = own
    const id = await own.create('clients', { name: 'A' })
    await prepare?.(own, id)
    await stage.inTransaction(async (transaction) => {
      await held(transaction, own, 'clients', id)
      const options = { body: { name: 'B' }, headers: keyed('k'), token }
      const answer = await own.call('PATCH', `/v1/clients/${id}`, options)
      if (code) expect(answer.body.code).toBe(code)
      else expect(answer).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } })
    })
  })

  test('one whose key is in flight, on the record that the first one waits for', async () => {
    const own = await stage.company()
    const id = await own.create('clients', { name: 'A' })
    const patch = () => own.call('PATCH', `/v1/clients/${id}`, { body: { name: 'B' }, headers: keyed('k') })
    let first: Promise<TestResponse> | undefined
    await stage.inTransaction(async (transaction) => {
      await held(transaction, own, 'clients', id)
      first = patch()
      await waiting()
      expect((await patch()).body.code).toBe('idempotency_in_progress')
    })
    expect(await first).toMatchObject({ status: 200, body: { data: { updated: true } } })
  })
})

describe('A unique value that somebody takes between the look and the write', () => {
  type Row = { why: string; call: (own: Company) => Promise<() => Promise<TestResponse>> }
  const rows: Row[] = [
    {
      why: 'create',
      call: async (own) => () =>
        own.call('POST', '/v1/projects', { body: { name: 'P', code: 'x-1' }, headers: keyed('k') }),
    },
    {
      why: 'update',
      call: async (own) => {
        const id = await own.create('projects', { name: 'P' })
        return () => own.call('PATCH', `/v1/projects/${id}`, { body: { code: 'x-1' }, headers: keyed('k') })
      },
    },
  ]
  test.each(rows)('$why: refused in the usual words, counted, and the key stays free', async ({ call }) => {
    const own = await stage.company({ plan: 'STARTER' })
    const late = await call(own)
    const before = await stage.sql('select used from plan_usage where company_id = $1 order by records', own.id)
    let answer: Promise<TestResponse> | undefined
    let rival = 0
    await stage.inTransaction(async (transaction) => {
      const [row] = await transaction.run<{ id: number }>({
        text: "insert into projects (company_id, name, status, code) values ($1, 'Rival', 'ACTIVE', 'X-1') returning id",
        values: [own.id],
      })
      rival = row?.id as number
      answer = late()
      await waiting()
    })
    expect(await answer).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ field: 'code', code: 'not_unique' }] },
    })
    expect((await own.calls()).at(-1)).toMatchObject({ status: 422, code: 'validation_failed', counted: true })
    expect(await stage.sql('select used from plan_usage where company_id = $1 order by records', own.id)).toEqual(
      before,
    )
    expect(
      await stage.sql("select 1 from history where company_id = $1 and changes::text like '%x-1%'", own.id),
    ).toEqual([])
    await stage.sql("update projects set code = 'other' where company_id = $1 and id = $2", own.id, rival)
    expect((await late()).body.data).toMatchObject({ dry_run: false })
  })

  test('of two creates with different keys one is made, and the other is refused', async () => {
    const own = await stage.company()
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        own.call('POST', '/v1/projects', { body: { name: 'P', code: 'same' }, headers: keyed(`k${index}`) }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(11).fill(422)])
    expect(await own.calls()).toHaveLength(12)
    expect((await own.get('/v1/projects')).body.meta.total).toBe(1)
  })
})

test('The last place of the plan goes to the real call, however many dry-runs try it at the same moment', async () => {
  const own = await stage.company({ plan: 'STARTER' })
  for (let count = 0; count < 24; count++) await own.create('projects', { name: `P${count}` })
  const create = (path: string) => own.call('POST', path, { body: { name: 'Last' } })
  const dry = Array.from({ length: 20 }, () => create('/v1/projects?dry_run=1'))
  const [real, ...previews] = await Promise.all([create('/v1/projects'), ...dry])
  expect(real?.status).toBe(201)
  expect(previews.every(({ status }) => status === 200 || status === 402)).toBe(true)
  expect((await own.calls()).filter(({ dry_run, counted }) => dry_run && counted)).toHaveLength(20)
  expect((await own.get('/v1/projects')).body.meta.total).toBe(25)
})
