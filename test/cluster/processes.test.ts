import { execFileSync } from 'node:child_process'
import { Agent } from 'node:http'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send, type TestResponse } from '../stage/http.ts'
import { isRunning, type Process, startProcess, urlOf } from '../stage/process.ts'
import { type Company, openStage, patience, type Stage } from '../stage/stage.ts'
import { eventually, pause } from '../stage/wait.ts'

/** `serve` with PROCESSES=2: one command, one port, two real processes behind it. */
let stage: Stage
let served: Process
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  served = await start()
})
afterAll(async () => {
  await served.stop()
  await stage.close()
})

const start = (more: { [name: string]: string } = {}) =>
  startProcess({
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
    PROCESSES: '2',
    ...patience,
    ...more,
  })

type Options = { body?: unknown; key?: string; agent?: Agent; own?: Company }

function call(base: string, method: string, path: string, options: Options = {}): Promise<TestResponse> {
  const { body, key, agent, own = company } = options
  return send(base, {
    method,
    path,
    headers: [
      ['Authorization', `Bearer ${own.token}`],
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
      ...(key === undefined ? [] : [['Idempotency-Key', key] as [string, string]]),
    ],
    body: body === undefined ? undefined : JSON.stringify(body),
    ...(agent ? { agent } : {}),
  })
}

/** As many connections, which are passed round: each process has its share of them. */
const connections = (count: number): Agent[] =>
  Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }))

const shown = (metrics: string, name: string): number =>
  Number(new RegExp(`^${name.replace(/[{}"]/g, '\\$&')} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0)

const metricsOf = async (url: string): Promise<string> => (await send(url, { method: 'GET', path: '/metrics' })).text

/** The log's lines of this message. */
const logged = ({ log }: Process, message: string): { [member: string]: unknown }[] =>
  log()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}`))
    .map((line) => JSON.parse(line))

describe('Several processes behind one port', () => {
  test('One key fifty times at once has one effect.', async () => {
    const agents = connections(10)
    for (let round = 0; round < 4; round++) {
      const own = await stage.company()
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const agent = agents[index % 10] as Agent
          const send = () =>
            call(served.url, 'POST', '/v1/clients', { own, body: { name: 'Once' }, key: 'the-one-key', agent })
          let answer = await send()
          // On a busy machine some are asked to come again, as Retry-After says; a client sends the same once more.
          while (answer.status === 503) answer = await send()
          return answer
        }),
      )
      const done = answers.filter(({ status }) => status === 201)
      const waited = answers.filter(({ body }) => body?.code === 'idempotency_in_progress')
      expect(answers.filter((answer) => !done.includes(answer) && !waited.includes(answer))).toEqual([])
      expect(new Set(done.map(({ text }) => text)).size).toBe(1)
      expect(done.filter(({ headers }) => !headers['idempotency-replayed'])).toHaveLength(1)
      expect((await own.get('/v1/clients')).body.meta.total).toBe(1)
    }
    for (const agent of agents) agent.destroy()
  })

  test('A revocation is seen by the next request on every connection.', async () => {
    const own = await stage.company()
    const agents = connections(6)
    const everywhere = () =>
      Promise.all(agents.map((agent) => call(served.url, 'GET', '/v1/clients', { own, agent }))).then((answers) =>
        answers.map(({ status }) => status),
      )
    expect(new Set(await everywhere())).toEqual(new Set([200]))
    await own.revoke()
    expect(new Set(await everywhere())).toEqual(new Set([401]))
    for (const agent of agents) agent.destroy()
  })

  test('/metrics is about all of them, whichever is asked.', async () => {
    const agents = connections(6)
    const name = 'plumbline_request_seconds_count{route="subcontractors.list",status="200"}'
    for (let round = 1; round <= 5; round++) {
      await Promise.all(agents.map((agent) => call(served.url, 'GET', '/v1/subcontractors', { agent })))
      for (const agent of agents) {
        const { text } = await send(served.url, { method: 'GET', path: '/metrics', agent })
        expect(shown(text, name)).toBe(6 * round)
        expect(shown(text, 'plumbline_processes')).toBe(2)
      }
    }
    for (const agent of agents) agent.destroy()
  })
})

test('A process that is killed under load takes nobody along, is started again, and what it counted stays counted.', async () => {
  const server = await start()
  try {
    const agents = connections(8)
    const name = 'plumbline_request_seconds_count{route="clients.list",status="200"}'
    for (const agent of agents) expect((await call(server.url, 'GET', '/v1/clients', { agent })).status).toBe(200)
    expect(shown(await metricsOf(server.url), name)).toBe(8)
    const pids = workersOf(server)
    expect(pids).toHaveLength(2)

    let loading = true
    const outcomes = agents.map(async (agent) => {
      const seen = { answered: 0, cut: 0, other: [] as string[] }
      while (loading) {
        try {
          const { status, text } = await call(server.url, 'GET', '/v1/workers', { agent })
          if (status === 200) seen.answered++
          else seen.other.push(`${status} ${text}`)
        } catch {
          // Those that the killed process was answering; the next request finds another.
          seen.cut++
        }
      }
      return seen
    })
    await eventually(async () => expect(shown(await metricsOf(server.url), 'plumbline_processes')).toBe(2))
    process.kill(pids[0] as number, 'SIGKILL')
    await eventually(async () => expect(logged(server, 'serving again')).toHaveLength(1))
    await pause(100)
    loading = false
    const seen = await Promise.all(outcomes)
    expect(seen.flatMap(({ other }) => other)).toEqual([])
    // Each connection is cut once at most, but for the one that was being handed over, and half were with the other process.
    expect(seen.filter(({ cut }) => cut > 1).length).toBeLessThanOrEqual(1)
    expect(Math.max(...seen.map(({ cut }) => cut))).toBeLessThanOrEqual(2)
    expect(seen.filter(({ cut }) => cut === 0).length).toBeGreaterThanOrEqual(3)
    for (const { answered } of seen) expect(answered).toBeGreaterThan(0)

    expect(logged(server, 'a process ended')).toMatchObject([{ process: pids[0], signal: 'SIGKILL' }])
    const text = await metricsOf(server.url)
    expect(shown(text, name)).toBe(8)
    expect(shown(text, 'plumbline_processes')).toBe(2)
    for (const agent of agents) agent.destroy()
  } finally {
    expect(await server.stop()).toBe(0)
  }
})

test('When the primary is killed nobody goes on serving.', async () => {
  const server = await start()
  const pids = workersOf(server)
  await server.kill()
  await eventually(async () => expect(pids.filter(isRunning)).toEqual([]))
  await expect(send(server.url, { method: 'GET', path: '/healthz' })).rejects.toThrow(/ECONNREFUSED/)
})

test('A start that fails says so once, and leaves no process behind.', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  const failed = await start({ PORT: String(port) }).catch((error: Error) => error.message)
  expect(failed).toMatch(/^exit 1: /)
  expect(String(failed).match(/is taken by another program/g)).toHaveLength(1)
  expect(String(failed)).not.toMatch(/"level":[56]0/)
  taken.close()
})

function workersOf(server: Process): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...args]) => Number(parent) === server.pid && args.some((word) => word.endsWith('worker.ts')))
    .map(([pid]) => Number(pid))
}
