import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchTimeoutMs } from '#server/store/bounds.ts'
import { send, type TestResponse } from '../stage/http.ts'
import { type Process, startProcess } from '../stage/process.ts'
import { type Network, type NetworkFault, openProxy } from '../stage/proxy.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually, pause } from '../stage/wait.ts'

/** The bounds of docs/reliability/liveness.md, of a service whose statements may run for half a second. */
const connectTimeout = 800
const statementTimeout = 500
const B = batchTimeoutMs({ statementTimeout })
const D = connectTimeout + B
/** Time that a process may wait for a processor which other tests use. */
const slack = 1500

let stage: Stage
let network: Network
let service: Process
beforeAll(async () => {
  stage = await openStage()
  network = await openProxy(stage.connection)
  service = await startProcess({
    DATABASE_URL: network.url,
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
    STATEMENT_TIMEOUT_MS: String(statementTimeout),
    CONNECT_TIMEOUT_MS: String(connectTimeout),
  })
})
afterAll(async () => {
  await service?.stop()
  await network?.close()
  await stage?.close()
})

type Timed = TestResponse & { ms: number }
type CallParts = { body?: string; key?: string }

async function call(own: Company, method: string, path: string, { body, key }: CallParts = {}): Promise<Timed> {
  const since = performance.now()
  const headers: [string, string][] = [['Authorization', `Bearer ${own.token}`]]
  if (body !== undefined) headers.push(['Content-Type', 'application/json'])
  if (key !== undefined) headers.push(['Idempotency-Key', key])
  const answer = await send(service.url, { method, path, headers, body })
  return { ...answer, ms: performance.now() - since }
}

const create = (own: Company, key: string) => call(own, 'POST', '/v1/clients', { body: '{"name":"Perhaps"}', key })
/** A read that has a connection for itself. */
const search = (own: Company) => call(own, 'GET', '/v1/clients?q=perhaps')
/** A read that shares a connection with others. */
const list = (own: Company) => call(own, 'GET', '/v1/clients')
const total = async (own: Company): Promise<number> => (await own.get('/v1/clients')).body.meta.total

/** The sessions that have written something and not committed it. */
const writing = () =>
  stage.sql<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and backend_xid is not null',
  )

const isServed = (own: Company): Promise<void> =>
  eventually(async () => {
    for (const { status } of await Promise.all([list(own), search(own)])) expect(status).toBe(200)
  }, D + slack)

/** A company that the service answers, over a network without a fault. */
async function served(): Promise<Company> {
  await network.heal()
  const own = await stage.company()
  await isServed(own)
  return own
}

/** Until a retry gets the stored answer or runs. */
const settled = (own: Company, key: string): Promise<Timed> =>
  eventually(async () => {
    const answer = await create(own, key)
    expect(answer.status, answer.text).toBe(201)
    return answer
  }, D + slack)

describe('A write whose connection fails', () => {
  test.each<[NetworkFault, string, string, 'is stored' | 'is not stored']>([
    ['silent', 'begin\0', 'unavailable', 'is not stored'],
    ['silent to the service', 'begin\0', 'unavailable', 'is not stored'],
    // The record travels with the commit.
    ['silent to the database', 'Perhaps', 'outcome_unknown', 'is not stored'],
    ['silent', 'commit\0', 'outcome_unknown', 'is not stored'],
    ['silent to the database', 'commit\0', 'outcome_unknown', 'is not stored'],
    ['silent to the service', 'commit\0', 'outcome_unknown', 'is stored'],
    ['reset', 'commit\0', 'outcome_unknown', 'is not stored'],
  ])('(%s, as it sends %j) is %s within D, %s, and its key is settled', async (fault, sends, code, outcome) => {
    const own = await served()
    const key = crypto.randomUUID()
    network.fail(fault, { mark: key, sends })
    const answer = await create(own, key)
    expect(answer).toMatchObject({ status: 503, body: { code } })
    expect(answer.ms).toBeLessThan(D + slack)
    const retry = await settled(own, key)
    expect(retry.headers['idempotency-replayed']).toBe(outcome === 'is stored' ? 'true' : undefined)
    // What the network held back until now comes too late to do anything.
    await network.heal()
    expect((await settled(own, key)).headers['idempotency-replayed']).toBe('true')
    expect(await total(own)).toBe(1)
  })

  test('holds the feed of others and its own token for D at most, and its session is ended', async () => {
    const own = await served()
    const other = await served()
    const { next } = (await other.get('/v1/changes')).body.meta
    const changes = async (): Promise<number[]> =>
      (await call(other, 'GET', `/v1/changes?after=${next}`)).body.data.map(
        (change: { record_id: number }) => change.record_id,
      )
    const key = crypto.randomUUID()
    network.fail('silent', { mark: key, sends: 'commit\0' })
    const since = performance.now()
    const write = create(own, key)
    const [session] = await eventually(async () => {
      const sessions = await writing()
      expect(sessions).toHaveLength(1)
      return sessions
    })
    const rotated = own.rotate().then(() => performance.now() - since)
    const clientId = await other.create('clients', { name: 'Later' })
    // Where companies are distributed, the two may be on different servers.
    if (!stage.connection.workers) expect(await changes()).toEqual([])
    await eventually(async () => expect(await changes()).toEqual([clientId]), D + slack)
    expect(performance.now() - since).toBeLessThan(D + slack)
    expect((await write).status).toBe(503)
    expect(await rotated).toBeLessThan(2 * D)
    // Its locks go a moment before it does.
    await eventually(async () =>
      expect(await stage.sql('select from pg_stat_activity where pid = $1', session?.pid)).toEqual([]),
    )
    const line = new RegExp(`"database_pid":${session?.pid},.*a database session that did not answer was ended`)
    await eventually(async () => expect(service.log()).toMatch(line))
  })
})

test('All open connections that fall silent cost one deadline together', async () => {
  const own = await served()
  const many = () => [
    ...Array.from({ length: 12 }, () => create(own, crypto.randomUUID())),
    ...[search(own), list(own)],
  ]
  await Promise.all(many())
  network.fail('silent', 'open')
  expect(await search(own)).toMatchObject({ status: 503 })
  const since = performance.now()
  const answers = await Promise.all(many())
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]))
  expect(performance.now() - since).toBeLessThan(B)
})

test('A process that was paused does not take its connections for dead', async () => {
  const own = await served()
  const write = await stage.inTransaction(async (transaction) => {
    await transaction.run({ text: 'select 1 from tokens where company_id = $1 for update', values: [own.id] })
    const answer = create(own, crypto.randomUUID())
    await eventually(async () => expect(await stage.waiting()).toBe(1))
    process.kill(service.pid, 'SIGSTOP')
    return () => answer
  })
  try {
    // Longer than a batch may take; what the write waits for lies in the socket meanwhile.
    await pause(B + 1500)
  } finally {
    process.kill(service.pid, 'SIGCONT')
  }
  expect((await write()).status).toBe(201)
  expect((await search(own)).status).toBe(200)
})
