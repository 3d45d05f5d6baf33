import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../stage/http.ts'
import { type Process, startProcess, urlOf } from '../stage/process.ts'
import { openStage, patience, type Stage } from '../stage/stage.ts'
import { contend } from './contention.ts'

/** `CONTENTION_SECONDS=60 npx vitest run test/cluster/contention.test.ts` contends for longer and prints its figures. */
const seconds = Number(process.env.CONTENTION_SECONDS ?? 4)
// A machine that is busy with other tests opens connections slowly; that is no conflict.
const environment = { LOCK_TIMEOUT_MS: '1500', CONNECT_TIMEOUT_MS: '5000' }

let stage: Stage
let processes: Process[]
beforeAll(async () => {
  stage = await openStage(environment)
  const shared = {
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
  }
  processes = await Promise.all([0, 1].map(() => startProcess({ ...shared, ...patience, ...environment })))
})
afterAll(async () => {
  await Promise.all((processes ?? []).map((one) => one.stop()))
  await stage?.close()
})

/** How often transactions of a process met, but for those that had looked at what was changed since. */
async function conflictsOf(url: string): Promise<string[]> {
  const { text } = await send(url, { method: 'GET', path: '/metrics' })
  return text.split('\n').filter((line) => line.startsWith('plumbline_conflicts_total{'))
}

test('Fourteen connections that write the same few records in every way never deadlock.', {
  timeout: (seconds + 60) * 1000,
}, async () => {
  const companies = [await stage.company({ plan: 'STARTER' }), await stage.company()]
  const urls = [stage.url, ...processes.map(({ url }) => url)]
  const seen = await contend(stage, { urls, companies, connections: 14, durationMs: seconds * 1000 })
  const conflicts = (await Promise.all(urls.map(conflictsOf))).flat()
  if (process.env.CONTENTION_SECONDS)
    console.log(
      JSON.stringify({ ...seen, failures: seen.failures.length, conflicts }, null, 1),
      seen.failures.slice(0, 5),
    )
  expect(seen.failures).toEqual([])
  expect(seen.deadlocks).toBe(0)
  expect(conflicts.filter((line) => !line.includes('"stale"'))).toEqual([])
  expect(seen.rotations).toBeGreaterThan(1)
})
