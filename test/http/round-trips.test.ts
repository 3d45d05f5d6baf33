import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { planLimit, planNames } from '#registry/subscription.ts'
import { type ConsoleStage, openConsole, type Person } from '../console/stage.ts'
import type { Company } from '../stage/stage.ts'

/** How often a write waits for PostgreSQL, and what it asks each time. */
let stage: ConsoleStage
let own: Company
let admin: Person
/** Statements by message, of the transactions that pass the gate of a company, and of the look-up of a session. */
let messages: string[][] = []
beforeAll(async () => {
  stage = await openConsole()
  own = await stage.company()
  admin = await stage.person(own)
  const asked = new WeakMap<object, string[]>()
  const isWriting = new WeakSet<object>()
  const { bind, sync } = pg.Connection.prototype as unknown as Wire
  vi.spyOn(pg.Connection.prototype as unknown as Wire, 'bind').mockImplementation(function (this: object, config) {
    asked.set(this, [...(asked.get(this) ?? []), config.statement])
    return bind.call(this, config)
  })
  vi.spyOn(pg.Connection.prototype as unknown as Wire, 'sync').mockImplementation(function (this: object) {
    const names = asked.get(this) ?? []
    asked.delete(this)
    if (names.includes('gate.pass')) isWriting.add(this)
    if (isWriting.has(this) || names.includes('session')) messages.push(names)
    if (names.includes('commit')) isWriting.delete(this)
    return sync.call(this)
  })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await stage.close()
})

type Wire = { bind(config: { statement: string }): void; sync(): void }

const keyed = (key: string) => ({ 'Idempotency-Key': key })
const create = (headers = {}, body: object = { name: 'Quay “ä” \u2028 \\ 🏗' }) =>
  own.call('POST', '/v1/projects', { body, headers })
const update = (id: number, headers = {}) =>
  own.call('PATCH', `/v1/projects/${id}`, { body: { notes: `“ä” \u2028 \\ 🏗 ${crypto.randomUUID()}` }, headers })

type Row = { what: string; call: (id: number) => ReturnType<typeof create>; asks: string[][] }
const rows: Row[] = [
  {
    what: 'A create with a key',
    call: () => create(keyed('c')),
    asks: [
      ['begin', 'gate.pass', 'keys.claim', 'projects.create:0.begin-keyed'],
      ['projects.insert', 'log.append', 'row-counts.change', 'projects.answers.keep', 'calls.insert', 'commit'],
    ],
  },
  {
    what: 'A create without one',
    call: () => create(),
    asks: [
      ['begin', 'gate.pass', 'projects.create:0.begin'],
      ['projects.insert', 'log.append', 'row-counts.change', 'projects.tags', 'calls.insert', 'commit'],
    ],
  },
  {
    what: 'An update with a key',
    call: (id) => update(id, keyed('u')),
    asks: [
      ['begin', 'gate.pass', 'keys.claim', 'projects.update:0.begin-keyed'],
      [expect.stringContaining('projects.update:'), 'log.append', 'projects.answers.keep', 'calls.insert', 'commit'],
    ],
  },
  {
    what: 'A create that shows its record',
    call: () => create({ ...keyed('p'), Prefer: 'return=representation' }),
    asks: [
      ['begin', 'gate.pass', 'keys.claim', 'projects.create:0.begin-keyed'],
      ['projects.insert-shown', 'log.append', 'row-counts.change'],
      ['answers.keep', 'calls.insert', 'commit'],
    ],
  },
]

test.each(rows)('$what asks $asks.length times, and answers with the tag of its record', async ({ call, asks }) => {
  // Once before, so that every statement is prepared.
  const id = await own.create('projects', { name: 'First' })
  messages = []
  const answer = await call(id)
  expect(messages).toEqual(asks)
  const fetched = await own.get(`/v1/projects/${answer.body.data.id}`)
  expect(answer.headers.etag).toBe(fetched.headers.etag)
})

test.each(planNames)('A create of a company with the plan %s asks twice, and counts its record', async (plan) => {
  const company = await stage.company({ plan })
  const take = planLimit(plan, 'projects') === null ? [] : ['plan.take-or-fail']
  const call = (key: string) => company.call('POST', '/v1/projects', { body: { name: 'Quay' }, headers: keyed(key) })
  await call('first')
  messages = []
  const answer = await call('second')
  expect(messages).toEqual([
    ['begin', 'gate.pass', 'keys.claim', 'projects.create:0.begin-keyed'],
    [...take, 'projects.insert', 'log.append', 'row-counts.change', 'projects.answers.keep', 'calls.insert', 'commit'],
  ])
  const fetched = await company.get(`/v1/projects/${answer.body.data.id}`)
  expect(answer.headers.etag).toBe(fetched.headers.etag)
})

test('A create at the limit of the plan is refused by what it has looked up, and one that is late starts anew', async () => {
  const company = await stage.company({ plan: 'STARTER' })
  const create = () => company.call('POST', '/v1/projects', { body: { name: 'Quay' } })
  await create()
  const limit = planLimit('STARTER', 'projects')
  const use = (used: number | null) =>
    stage.sql("update plan_usage set used = $2 where company_id = $1 and records = 'projects'", company.id, used)
  await use(limit)
  messages = []
  expect(await create()).toMatchObject({ body: { code: 'plan_limit_reached' } })
  expect(messages).toHaveLength(4)
  // The last slot goes to somebody else after the look-up.
  await use((limit as number) - 1)
  let late: ReturnType<typeof create> | undefined
  await stage.inTransaction(async (transaction) => {
    const text = "update plan_usage set used = used + 1 where company_id = $1 and records = 'projects'"
    await transaction.run({ text, values: [company.id] })
    late = create()
    await vi.waitFor(async () => expect(await stage.waiting()).toBe(1))
  })
  expect(await late).toMatchObject({ body: { code: 'plan_limit_reached' } })
})

type ConsoleRow = { what: string; ask: (id: number) => ReturnType<Person['ask']>; asks: string[][] }
const console: ConsoleRow[] = [
  {
    what: 'A create',
    ask: () => admin.ask('POST', '/console/records/projects', { name: 'Quay' }),
    asks: [
      ['session'],
      ['begin', 'gate.pass', 'session.projects.create:0.begin'],
      ['projects.insert', 'log.append', 'row-counts.change', 'projects.tags', 'commit'],
    ],
  },
  {
    what: 'A create with a key',
    ask: () => admin.ask('POST', '/console/records/projects', { name: 'Quay' }, keyed(crypto.randomUUID())),
    asks: [
      ['session'],
      ['begin', 'gate.pass', 'session.keys.claim', 'session.projects.create:0.begin-keyed'],
      ['projects.insert', 'log.append', 'row-counts.change', 'projects.answers.keep', 'commit'],
    ],
  },
  {
    what: 'An update',
    ask: (id) => admin.ask('PATCH', `/console/records/projects/${id}`, { notes: crypto.randomUUID() }),
    asks: [
      ['session'],
      ['begin', 'gate.pass', 'session.projects.update:0.begin'],
      [expect.stringContaining('projects.update:'), 'log.append', 'projects.tags', 'commit'],
    ],
  },
]

test.each(console)(
  '$what in the console asks three times, the session first, and has the tag of its record',
  async (row) => {
    const id = await own.create('projects', { name: 'First' })
    await row.ask(id)
    messages = []
    const answer = await row.ask(id)
    expect(messages).toEqual(row.asks)
    const fetched = await admin.get(`/console/records/projects/${answer.body.data.id}`)
    expect(answer.headers.etag).toBe(fetched.headers.etag)
  },
)

test('A refused write asks twice, and so does a replay', async () => {
  await create(keyed('again'))
  for (const call of [() => create({}, { name: '' }), () => create(keyed('again'))]) {
    messages = []
    await call()
    expect(messages).toHaveLength(2)
  }
})

test('An answer that is past its window makes way for the next one under its key, in the same message', async () => {
  await create(keyed('old'))
  await stage.sql("update answers set completed_at = completed_at - interval '25 hours' where company_id = $1", own.id)
  messages = []
  const again = await create(keyed('old'))
  expect(again.status).toBe(201)
  expect(messages.at(-1)).toContain('answers.forget')
  expect(messages).toHaveLength(2)
  expect(await create(keyed('old'))).toMatchObject({
    text: again.text,
    headers: { etag: again.headers.etag, 'idempotency-replayed': 'true' },
  })
})

test('An answer that came under the key meanwhile is heard, and nothing is done a second time', async () => {
  const body = { name: 'Met' }
  const first = await own.call('POST', '/v1/projects', { body, headers: keyed('met') })
  const [kept] = await stage.sql<{ fingerprint: Buffer }>(
    "delete from answers where company_id = $1 and key = 'met' returning *",
    own.id,
  )
  // As where another call has claimed the key on another server: its answer commits while this one is under way.
  const columns = Object.keys(kept as object)
  let second: ReturnType<typeof create> | undefined
  await stage.inTransaction(async (transaction) => {
    await transaction.run({
      text: `insert into answers (${columns.join()}) values (${columns.map((_, index) => `$${index + 1}`).join()})`,
      values: Object.values(kept as object),
    })
    second = own.call('POST', '/v1/projects', { body, headers: keyed('met') })
    await vi.waitFor(async () => expect(await stage.waiting()).toBe(1))
  })
  expect(await second).toMatchObject({ text: first.text, headers: { 'idempotency-replayed': 'true' } })
  expect((await own.get('/v1/projects?q=Met')).body.meta.total).toBe(1)
})
