import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { App } from '#server/http/app.ts'
import { answerFailures, type FailureLog, type FailureResponder, openFailureLog } from '#server/http/failure-log.ts'
import { Fault } from '#server/store/faults.ts'
import { send } from '../stage/http.ts'
import { startProcess } from '../stage/process.ts'
import { openProxy } from '../stage/proxy.ts'
import { openStage } from '../stage/stage.ts'

type Line = { level: string; message: string; [member: string]: unknown }

describe('The log of calls that failed', () => {
  let lines: Line[]
  let failures: FailureLog
  let failed: FailureResponder
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  beforeEach(() => {
    vi.useFakeTimers()
    lines = []
    const at = (level: string) => (members: object, message: string) => void lines.push({ ...members, level, message })
    const log = { error: at('error'), info: at('info') } as unknown as App['log']
    const clock = { now: () => new Date(), elapsed: () => Date.now() }
    failures = openFailureLog({ log, clock })
    failed = answerFailures({ log, config: { publicUrl: null } as App['config'] }, failures)
  })
  afterEach(() => {
    failures.close()
    vi.useRealTimers()
  })
  const fail = (count: number, route = 'clients.list', error: unknown = new Fault('unavailable', refused)) =>
    Array.from({ length: count }, (_, index) => failed(error, `request ${index}`, route))

  test('has the first of a cause in full, then a line each ten seconds with count and routes, then its end.', () => {
    expect(fail(1000).map(({ status }) => status)).toEqual(Array(1000).fill(503))
    fail(500, 'clients.create')
    expect(lines).toMatchObject([{ level: 'error', message: 'failed', request_id: 'request 0', error: refused }])
    vi.advanceTimersByTime(10_000)
    fail(3)
    vi.advanceTimersByTime(10_000)
    const cause = { code: 'unavailable', cause: 'ECONNREFUSED' }
    expect(lines.slice(1)).toEqual([
      {
        ...{ level: 'error', message: 'still failing', ...cause },
        ...{ calls: 1499, routes: { 'clients.list': 999, 'clients.create': 500 } },
      },
      { level: 'error', message: 'still failing', ...cause, calls: 3, routes: { 'clients.list': 3 } },
    ])
    vi.advanceTimersByTime(20_000)
    expect(lines.slice(3)).toEqual([
      { level: 'info', message: 'no longer failing', ...cause, calls: 1503, seconds: 30 },
    ])
    fail(1)
    expect(lines.at(-1)).toMatchObject({ message: 'failed', request_id: 'request 0' })
  })

  test('tells causes apart, names a bounded number of routes, and loses no count at the end.', () => {
    fail(2)
    fail(2, 'clients.list', new Fault('outcome_unknown', refused))
    fail(2, 'clients.list', new Fault('unavailable', Object.assign(new Error(), { code: '57014' })))
    expect(lines.map(({ message }) => message)).toEqual(['failed', 'failed', 'failed'])
    for (let path = 0; path < 1000; path++) fail(1, `/made/up/${path}`)
    failures.close()
    expect(lines).toHaveLength(6)
    expect(Object.keys(lines[3]?.routes as object)).toHaveLength(21)
    expect(lines[3]).toMatchObject({ calls: 1001, routes: { other: 981 } })
  })

  test('has every mistake of the service itself in full. [V16.3.4]', () => {
    fail(3, 'clients.list', new TypeError('x is not a function'))
    expect(lines.map(({ code }) => code)).toEqual(Array(3).fill('internal_error'))
  })
})

test('While the database is away the log grows with time and not with the calls that are refused.', async () => {
  const stage = await openStage()
  const proxy = await openProxy(stage.connection)
  const server = await startProcess({
    DATABASE_URL: proxy.url,
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
  })
  try {
    const { token } = await stage.company()
    await proxy.close()
    const call = () =>
      send(server.url, { method: 'GET', path: '/v1/clients', headers: [['Authorization', `Bearer ${token}`]] })
    await call()
    const before = server.log().length
    let answered = 0
    const caller = async (): Promise<void> => {
      for (let count = 0; count < callsEach; count++) if ((await call()).status === 503) answered++
    }
    const began = performance.now()
    await Promise.all(Array.from({ length: callers }, caller))
    expect(answered).toBe(callers * callsEach)
    // What looks after the database by itself says a line each second.
    const seconds = (performance.now() - began) / 1000
    expect(server.log().length - before).toBeLessThan(30_000 + 5000 * seconds)
    expect(server.log().match(/"msg":"failed"/g)?.length ?? 0).toBeLessThan(5)
  } finally {
    await server.stop()
    await stage.close()
  }
})

const callers = 16
const callsEach = 60
