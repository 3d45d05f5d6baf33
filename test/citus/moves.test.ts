import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { routes } from '#derive/routes.ts'
import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { handlers } from '#server/pipeline/handlers/index.ts'
import { createRecord } from '#server/records/write-record.ts'
import { hashToken } from '#server/service/token-text.ts'
import { type KeyPolicy, lockOf } from '#server/writes/idempotency.ts'
import { sendResponses } from '#server/writes/run-write.ts'
import { statement } from '#sql/statement.ts'
import { tokenSource } from '#sql/system/caller.ts'
import { answerOf, claimKeys, type StoredResponseRow } from '#sql/system/stored-responses.ts'
import type { TestResponse } from '../stage/http.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually, pause, untilTold } from '../stage/wait.ts'
import { companiesApart, move, placeOf, stop } from './servers.ts'

/** What a caller has of a server that goes away, and of a company that is taken to another one. */
let stage: Stage
/** What a create waits for once its key is claimed and its record was looked up. */
let gate: { reached(): void; opened: Promise<void> } | undefined
beforeAll(async () => {
  const paused: typeof handlers.create = (route) => {
    const bound = handlers.create(route)
    return (...asked) => {
      const { prefetch, execute, respond } = bound(...asked)
      return {
        prefetch,
        respond,
        execute: async (...work) => {
          const own = gate
          gate = undefined
          own?.reached()
          await own?.opened
          return execute(...work)
        },
      }
    }
  }
  stage = await openStage({}, { routes: routes(registry), handlers: { ...handlers, create: paused } })
})
afterAll(() => stage?.close())

const clients = definitionOf(registry, 'clients') as Definition

type ReceivedResponse = {
  at: number
  key: string
  status: number
  id: number | undefined
  retryAfter: string | undefined
}

/** Whatever becomes of a test, its callers end with it. */
const writers = new Set<() => Promise<void>>()
afterEach(async () => {
  for (const stopWriting of writers) await stopWriting()
  writers.clear()
})

/** Writes all the time, each with a key of its own; what was refused for now is tried again with the same one. */
function writing(company: Company): { heard: ReceivedResponse[]; stop(): Promise<void> } {
  const heard: ReceivedResponse[] = []
  let isOver = false
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; !isOver; ) {
      const key = `w${writer}-${n}`
      const { status, body, headers } = await company.call('POST', '/v1/clients', {
        body: { name: key },
        headers: { 'Idempotency-Key': key },
      })
      heard.push({ at: performance.now(), key, status, id: body?.data?.id, retryAfter: headers['retry-after'] })
      if (status === 201) n++
      else await pause(100)
    }
  }
  const all = [0, 1, 2].map(write)
  const stopWriting = async (): Promise<void> => {
    isOver = true
    await Promise.all(all)
  }
  writers.add(stopWriting)
  return { heard, stop: stopWriting }
}

/** Every key that was answered has one record, every record one key, and the feed tells each of them once. */
async function isWhole(company: Company, heard: readonly ReceivedResponse[]): Promise<void> {
  // What is prepared on a server that was stopped is committed there when the coordinator next settles it, once a minute;
  // until then it is not seen, and holds the log up.
  await stage.sql('select recover_prepared_transactions()')
  const made = heard.filter(({ status }) => status === 201)
  const rows = await stage.sql<{ id: number; name: string }>(
    'select id, name from clients where company_id = $1',
    company.id,
  )
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
  expect(made.filter(({ key, id }) => !rows.some((row) => row.name === key && row.id === id))).toEqual([])
  await untilTold(stage)
  expect((await follow(company, null)).toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
}

/** The records that the feed tells from a cursor on; `onPage` hears how far it has come. */
async function follow(
  company: Company,
  after: string | null,
  onPage: (next: string) => void = () => {},
): Promise<number[]> {
  const told: number[] = []
  for (let cursor = after; ; ) {
    const { status, body } = await company.get(`/v1/changes?limit=50${cursor === null ? '' : `&after=${cursor}`}`)
    if (status === 503) {
      await pause(100)
      continue
    }
    expect(status).toBe(200)
    told.push(...body.data.map(({ record_id }: { record_id: number }) => record_id))
    cursor = body.meta.next
    onPage(body.meta.next)
    if (!body.meta.more) return told
  }
}

test('a company is moved to another server while it is written to: no write is lost or doubled, 503 for seconds at most', async () => {
  const company = await stage.company()
  const before = await placeOf(stage, company.id)
  const { heard, stop } = writing(company)
  await eventually(async () => expect(heard.length).toBeGreaterThan(20))
  let cursor: string | null = null
  const told: number[] = await follow(company, null, (next) => {
    cursor = next
  })
  let isMoved = false
  const moving = move(stage, company.id).finally(() => {
    isMoved = true
  })
  while (!isMoved) {
    told.push(
      ...(await follow(company, cursor, (next) => {
        cursor = next
      })),
    )
    await pause(50)
  }
  await moving
  const movedAt = performance.now()
  await eventually(async () => expect(heard.filter(({ at }) => at > movedAt).length).toBeGreaterThan(20))
  await stop()
  expect((await placeOf(stage, company.id)).port).not.toBe(before.port)

  const statuses = [...new Set(heard.map(({ status }) => status))]
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([])
  const refused = heard.filter(({ status }) => status === 503)
  for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0)
  const answered = heard.filter(({ status }) => status === 201).map(({ at }) => at)
  expect(Math.max(...answered.slice(1).map((at, index) => at - (answered[index] as number)))).toBeLessThan(10_000)
  await isWhole(company, heard)
  // Who followed meanwhile has heard of every change once, in the epoch of the first server and in that of the second.
  told.push(...(await follow(company, cursor)))
  expect(new Set(told).size).toBe(told.length)
  expect(told.length).toBe(answered.length)
}, 120_000)

test('a move waits for a write whose key is claimed, and the key stays claimed meanwhile', async () => {
  const company = await stage.company()
  const create = (): Promise<TestResponse> =>
    company.call('POST', '/v1/clients', { body: { name: 'Once' }, headers: { 'Idempotency-Key': 'moved' } })
  let open = (): void => {}
  const reached = new Promise<void>((resolve) => {
    gate = { reached: resolve, opened: new Promise((opened) => (open = opened)) }
  })
  const first = create()
  await reached
  const moving = move(stage, company.id)
  await pause(1000)
  expect(await create()).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } })
  open()
  const answer = await first
  expect(answer).toMatchObject({ status: 201 })
  await moving
  expect(await create()).toMatchObject({ status: 201, text: answer.text, headers: { 'idempotency-replayed': 'true' } })
  expect(await stage.sql('select 1 from clients where company_id = $1', company.id)).toHaveLength(1)
}, 120_000)

test('a key that is claimed on the new server too is done once: who comes second is undone and hears the first answer', async () => {
  const company = await stage.company()
  const [key, route] = ['claimed-twice', '/v1/clients']
  const create = () => company.call('POST', route, { body: { name: 'Once' }, headers: { 'Idempotency-Key': key } })
  const ask = { companyId: company.id, tokenHash: hashToken(company.token), scopes: '', addOns: '', peer: null }
  let done: TestResponse | undefined
  const heard = await stage.inTransaction(async (transaction) => {
    // A claim by itself holds nothing that a move waits for.
    await transaction.run(claimKeys([{ key, lock: lockOf(company.id, key) }], tokenSource(ask)))
    const [earlier] = await transaction.run<StoredResponseRow>(statement(answerOf(company.id, key)))
    if (earlier) return earlier
    await move(stage, company.id)
    done = await create()
    await createRecord(transaction, company.actor, clients, { name: 'Twice' })
    const keys: KeyPolicy<undefined> = {
      ...{ key, lock: lockOf(company.id, key), fingerprints: [Buffer.from('00', 'hex')] },
      keep: () => ({ status: 201, body: '{}', location: null, etag: null, request_id: null, write_id: null }),
      replay: () => undefined,
    }
    const response = { write: { keys }, who: undefined, response: undefined, unread: undefined, isOver: false }
    const { tags } = await sendResponses(transaction, company.id, [response])
    await tags
    throw new Error('it was done twice')
  })
  expect(done).toMatchObject({ status: 201, text: heard.body })
  expect(await stage.sql('select name from clients where company_id = $1', company.id)).toEqual([{ name: 'Once' }])
}, 120_000)

test('a server is stopped and started: its companies get 503 with Retry-After and go on by themselves, others hear nothing of it', async () => {
  const [hit, spared] = await companiesApart(stage)
  const { host, port } = await placeOf(stage, hit.id)
  const loads = [writing(hit), writing(spared)] as const
  const count = (heard: readonly ReceivedResponse[], status: number, since: number) =>
    heard.filter((one) => one.at > since && one.status === status).length
  await eventually(async () => {
    for (const { heard } of loads) expect(count(heard, 201, 0)).toBeGreaterThan(10)
  })
  const stoppedAt = performance.now()
  const start = await stop({ ...stage.connection, host, port })
  try {
    await eventually(async () => {
      expect(count(loads[0].heard, 503, stoppedAt)).toBeGreaterThan(5)
      expect(count(loads[1].heard, 201, stoppedAt)).toBeGreaterThan(20)
    })
    const reads = await Promise.all([hit, spared].map((company) => company.get('/v1/clients?limit=1')))
    expect(reads.map(({ status }) => status)).toEqual([503, 200])
  } finally {
    await start()
  }
  const startedAt = performance.now()
  await eventually(async () => expect(count(loads[0].heard, 201, startedAt)).toBeGreaterThan(20))
  await Promise.all(loads.map((load) => load.stop()))

  for (const { status, retryAfter } of loads[0].heard)
    if (status !== 201) expect([status, Number(retryAfter) > 0]).toEqual([503, true])
  expect(new Set(loads[1].heard.map(({ status }) => status))).toEqual(new Set([201]))
  await isWhole(hit, loads[0].heard)
  await isWhole(spared, loads[1].heard)
}, 120_000)
