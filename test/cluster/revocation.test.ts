import { execFile } from 'node:child_process'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleStage, openConsole, password } from '../console/stage.ts'
import { send } from '../stage/http.ts'
import { urlOf } from '../stage/process.ts'
import type { Company } from '../stage/stage.ts'

/** Whoever holds a token and writes without a pause cannot put off the end of it. */
let stage: ConsoleStage
beforeAll(async () => {
  stage = await openConsole()
})
afterAll(() => stage.close())

const command = join(import.meta.dirname, '../../server/commands/main.ts')
const operations = Array.from({ length: 300 }, () => ({ op: 'create', records: 'clients', body: { name: 'Steady' } }))

/** Eighteen connections that write batches of 300 until they are refused. */
function writers(company: Company, count = 18): { arrived: () => number; over: Promise<string[]> } {
  let arrived = 0
  const one = async (): Promise<string> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (;;) {
      const { status, body } = await send(stage.url, {
        ...{ method: 'POST', path: '/v1/batch', agent },
        headers: [
          ['Authorization', `Bearer ${company.token}`],
          ['Content-Type', 'application/json'],
          ['Idempotency-Key', crypto.randomUUID()],
        ],
        body: JSON.stringify({ mode: 'all', operations }),
      })
      if (status === 200) arrived++
      else if (status !== 503) {
        agent.destroy()
        return body.code
      }
    }
  }
  return { arrived: () => arrived, over: Promise.all(Array.from({ length: count }, one)) }
}

const rotations: { by: string; rotate: (person: Awaited<ReturnType<ConsoleStage['admin']>>) => Promise<unknown> }[] = [
  {
    by: 'the command',
    rotate: async ({ company }) => {
      const environment = {
        DATABASE_URL: urlOf(stage.connection),
        PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
      }
      await promisify(execFile)(process.execPath, [command, 'token', 'rotate', '--company', String(company.id)], {
        env: { ...process.env, ...environment },
      })
    },
  },
  {
    by: 'the interface',
    rotate: async ({ ask }) => {
      const { status, text } = await ask('POST', '/console/token/rotate', { password })
      if (status !== 200) throw new Error(`${status} ${text}`)
    },
  },
]

test.each(rotations)(
  'A rotation by $by goes before writes without a pause, and none follows it.',
  async ({ by, rotate }) => {
    const person = await stage.admin()
    const { company } = person
    const writing = writers(company)
    await expect.poll(writing.arrived, { timeout: 30_000 }).toBeGreaterThan(5)
    const begun = performance.now()
    await rotate(person)
    const tookMs = performance.now() - begun
    const count = async () =>
      (await stage.sql<{ count: number }>('select count(*) from clients where company_id = $1', company.id))[0]?.count
    const then = await count()
    if (process.env.CONTENTION_SECONDS) console.log(`${by}: ${Math.round(tookMs)} ms`)
    expect(new Set(await writing.over)).toEqual(new Set(['unauthorized']))
    expect(await count()).toBe(then)
    expect(then).toBe(writing.arrived() * operations.length)
    // Twice the longest wait for an answer; it takes some hundred milliseconds where the machine is quiet.
    expect(tookMs).toBeLessThan(34_000)
  },
  60_000,
)
