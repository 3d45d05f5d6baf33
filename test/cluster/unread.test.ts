import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../stage/http.ts'
import { type Process, startProcess, urlOf } from '../stage/process.ts'
import { head, openRaw, type Raw } from '../stage/raw.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually, pause } from '../stage/wait.ts'

/** A real process whose memory is looked at while callers send and read as little as they can. */
let stage: Stage
let company: Company
let served: Process
let raws: Raw[] = []
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  const lines = Array.from({ length: 100 }, (_, at) => ({ description: `${at} `.padEnd(450, 'é'), quantity: 1 }))
  for (let count = 0; count < 100; count++) await company.create('estimates', { title: `Estimate ${count}`, lines })
  served = await start({ BUFFER_MB: '32' })
  // What a process has once it has served everything once.
  for (const path of ['/v1/docs/scalar.js', '/v1/openapi.json', '/v1/clients'])
    expect((await ask(path)).status).toBe(200)
})
afterAll(async () => {
  await served.stop()
  await stage.close()
})

const start = (more: { [name: string]: string }) =>
  startProcess({
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
    ...more,
  })

/** From an address of his own: a caller beside the attacker. */
const ask = (path: string) =>
  send(served.url, {
    method: 'GET',
    path,
    headers: [['Authorization', `Bearer ${company.token}`]],
    from: '127.0.0.3',
  })

const heard = async (path: string): Promise<string> => {
  const { status, body } = await ask(path)
  return `${status}${status === 200 ? '' : ` ${body?.code}`}`
}

/** The peak of the process's memory since the last look, in bytes. */
function peak(): number {
  const status = readFileSync(`/proc/${served.pid}/status`, 'utf8')
  writeFileSync(`/proc/${served.pid}/clear_refs`, '5')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

const megabyte = 1024 * 1024
const estimates = () => head('GET', '/v1/estimates?limit=100', { Authorization: `Bearer ${company.token}` })
const json = { 'Content-Type': 'application/json' }

const data = ['/v1/clients', '/healthz']

type Attack = { why: string; count: number; reads: boolean; sent: () => string; asks?: string[]; atOnce?: number }

/** Each of these took hundreds of megabytes more, the first of them thousands. Only the last needs a token. */
const attacks: Attack[] = [
  {
    why: '600 that ask for the script and read nothing',
    count: 600,
    reads: false,
    sent: () => head('GET', '/v1/docs/scalar.js'),
  },
  {
    why: '400 that send a body of a megabyte to its last byte, without a token',
    count: 400,
    reads: true,
    sent: () => head('POST', '/v1/clients', { ...json, 'Content-Length': String(megabyte) }) + 'x'.repeat(megabyte - 1),
  },
  {
    why: '60 that ask for a page of 100, 10 MB each, and read nothing',
    count: 60,
    reads: false,
    sent: estimates,
    // Its pages keep the database busy, which is another matter.
    asks: ['/v1/openapi.json', '/healthz'],
    atOnce: 5,
  },
]

describe.skipIf(process.platform !== 'linux')('What callers send and do not read is bounded', () => {
  test.each(attacks)(
    '$why: everybody else is answered, and memory is bounded',
    async ({ count, reads, sent, asks = data, atOnce = 50 }) => {
      peak()
      const before = peak()
      const others: string[] = []
      for (let from = 0; from < count; from += atOnce) {
        const some = await Promise.all(Array.from({ length: atOnce }, () => openRaw(served.url, { reads })))
        for (const raw of some) raw.write(sent())
        raws.push(...some)
        // The next come when the answers of these have begun and lie there.
        if (!reads) await Promise.all(some.map(({ socket }) => Promise.race([once(socket, 'readable'), pause(5000)])))
        for (const path of asks) others.push(await heard(path))
      }
      for (let more = 0; more < 20; more++) for (const path of asks) others.push(await heard(path))
      expect(new Set(others)).toEqual(new Set(['200']))
      const more = (peak() - before) / megabyte
      expect(more).toBeLessThan(250)
      for (const { socket } of raws) socket.destroy()
      raws = []
      await eventually(async () => {
        const { text } = await send(served.url, { method: 'GET', path: '/metrics' })
        expect(Number(/^plumbline_connections (\d+)$/m.exec(text)?.[1])).toBeLessThan(20)
      })
    },
    60_000,
  )
})

test('METRICS_ADDRESS serves /metrics of all processes, alone; the port of the service has none', async () => {
  const port = await freePort()
  const own = await start({ METRICS_ADDRESS: `127.0.0.1:${port}`, PROCESSES: '2' })
  const address = `http://127.0.0.1:${port}`
  try {
    const shown = await send(address, { method: 'GET', path: '/metrics' })
    expect(shown.status).toBe(200)
    expect(shown.text).toMatch(/^plumbline_processes 2$/m)
    for (const path of ['/', '/v1/openapi.json', '/healthz'])
      expect((await send(address, { method: 'GET', path })).status, path).toBe(404)
    expect((await send(address, { method: 'POST', path: '/metrics' })).status).toBe(405)
    expect((await send(own.url, { method: 'GET', path: '/metrics' })).status).toBe(404)
    for (const path of ['/healthz', '/readyz']) expect((await send(own.url, { method: 'GET', path })).status).toBe(200)
    const second = start({ METRICS_ADDRESS: `127.0.0.1:${port}` })
    await expect(second).rejects.toThrow(`METRICS_ADDRESS: 127.0.0.1:${port} cannot be listened on (EADDRINUSE)`)
  } finally {
    await own.stop()
  }
  await expect(send(address, { method: 'GET', path: '/metrics' })).rejects.toThrow()
})

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
