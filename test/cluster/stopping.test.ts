import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../stage/http.ts'
import { startProcess, urlOf } from '../stage/process.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually, pause } from '../stage/wait.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

const start = (processes = '1', more: { [name: string]: string } = {}) =>
  startProcess({
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
    PROCESSES: processes,
    ...more,
  })

describe.each(['1', '2'])('SIGTERM under load, with %s at work', (processes) => {
  test('answers every accepted request, and exits with 0 within ten seconds', async () => {
    const server = await start(processes)
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    const headers: [string, string][] = [
      ['Authorization', `Bearer ${company.token}`],
      ['Content-Type', 'application/json'],
    ]
    const seen = { answered: 0, refused: 0, failed: [] as string[] }
    let stopping = false
    const caller = async (): Promise<void> => {
      for (let count = 0; ; count++) {
        try {
          const write = count % 4 === 0
          const answer = await send(server.url, {
            method: write ? 'POST' : 'GET',
            path: '/v1/clients',
            headers,
            body: write ? '{"name":"Under load"}' : undefined,
            agent,
          })
          if (answer.status >= 500) seen.failed.push(`${answer.status} ${answer.text}`)
          seen.answered++
        } catch (error) {
          // A new connection that nobody accepts is not an accepted request.
          if (stopping && (error as NodeJS.ErrnoException).code === 'ECONNREFUSED') {
            seen.refused++
            return
          }
          seen.failed.push(String(error))
          return
        }
      }
    }
    const callers = Array.from({ length: 16 }, caller)
    await pause(700)
    stopping = true
    const since = performance.now()
    const code = await server.stop()
    await Promise.all(callers)
    agent.destroy()
    expect(seen.failed).toEqual([])
    expect(seen.refused).toBe(16)
    expect(seen.answered).toBeGreaterThan(50)
    expect(code).toBe(0)
    expect(performance.now() - since).toBeLessThan(10_000)
  })

  test('the calls that were answered are all noted', async () => {
    const own = await stage.company()
    const server = await start(processes)
    for (let count = 0; count < 30; count++) {
      await send(server.url, {
        method: 'GET',
        path: '/v1/clients',
        headers: [['Authorization', `Bearer ${own.token}`]],
      })
    }
    await server.stop()
    expect(await own.calls()).toHaveLength(30)
  })

  test('says so to anyone who balances the load: /readyz is 503 while it drains', async () => {
    const server = await start(processes)
    const stopped = server.stop()
    await pause(60)
    const ready = await send(server.url, { method: 'GET', path: '/readyz' })
    expect(ready).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(await stopped).toBe(0)
  })
})

test.each(['1', '2'])(
  'SIGHUP drains too, with %s at work: the port stays open for DRAIN_NOTICE_MS, whatever the time to drain.',
  async (processes) => {
    const noticeMs = 1500
    const server = await start(processes, { DRAIN_NOTICE_MS: String(noticeMs), DRAIN_TIMEOUT_MS: '100' })
    const since = performance.now()
    process.kill(server.pid, 'SIGHUP')
    await eventually(async () => expect((await send(server.url, { method: 'GET', path: '/readyz' })).status).toBe(503))
    const headers: [string, string][] = [['Authorization', `Bearer ${company.token}`]]
    const fetched = await send(server.url, { method: 'GET', path: '/v1/clients', headers, agent: new Agent() })
    expect(fetched.status).toBe(200)
    expect(await server.exited).toBe(0)
    expect(performance.now() - since).toBeGreaterThan(noticeMs - 50)
  },
)

test('The log has one JSON object a line, with request ids and without a token', async () => {
  const server = await start()
  const headers: [string, string][] = [['Authorization', `Bearer ${company.token}`]]
  const answer = await send(server.url, { method: 'GET', path: '/v1/clients?limit=x', headers })
  await server.stop()
  const lines = server
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  expect(lines.map(({ request_id }) => request_id)).toContain(answer.headers['x-request-id'])
  expect(server.log()).not.toContain(company.token.slice(11, 40))
})
