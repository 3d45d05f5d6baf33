import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../stage/http.ts'
import { eventually } from '../stage/wait.ts'
import { expectWhole, metricOf, type Own, openOwn, postmasterOf, startLoad, untilBack } from './own-database.ts'

/** What becomes of several processes and services on one bundled PostgreSQL when one of them is killed, under load. */
let own: Own
beforeAll(async () => {
  own = await openOwn()
})
afterAll(() => own.stage.clear())

type Running = { pid: number; parent: number; words: string }

const processes = (): Running[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap((match) => (match ? [{ pid: Number(match[1]), parent: Number(match[2]), words: match[3] ?? '' }] : []))

const killPostmaster = async (cluster: string): Promise<void> =>
  void process.kill(await postmasterOf(cluster), 'SIGKILL')

test('A worker that is killed loses nothing, and after the primary was killed the next start finds all of it.', async () => {
  const served = await own.start({ PROCESSES: '2' })
  const to = { url: served.url, token: own.token }
  const load = startLoad(to, 'worker')
  await eventually(async () => expect(load.acknowledged.length).toBeGreaterThan(20))
  const [worker] = processes().filter(({ parent, words }) => parent === served.pid && /worker\.ts/.test(words))
  process.kill(worker?.pid as number, 'SIGKILL')
  await untilBack(to)
  await load.settle()
  await expectWhole(own, 'worker', load.names)

  const before = startLoad(to, 'primary')
  await eventually(async () => expect(before.acknowledged.length).toBeGreaterThan(20))
  await served.kill()
  const next = await own.start({ PORT: new URL(served.url).port })
  try {
    await before.settle()
    await expectWhole(own, 'primary', before.names)
  } finally {
    expect(await next.stop()).toBe(0)
  }
})

test('Two services on one folder start one server, and each goes on.', async () => {
  const [first, second] = await Promise.all([own.start(), own.start()])
  try {
    await killPostmaster(own.cluster)
    for (const { url } of [first, second]) await untilBack({ url, token: own.token })
    const starts = await Promise.all([first, second].map(({ url }) => metricOf(url, 'plumbline_database_starts_total')))
    expect(starts.toSorted()).toEqual([0, 1])
    expect(await first.stop()).toBe(0)
    // The other one still uses it.
    expect((await send(second.url, { method: 'GET', path: '/readyz' })).status).toBe(200)
  } finally {
    await first.stop()
    expect(await second.stop()).toBe(0)
  }
  expect(await own.stage.databaseRuns()).toBe(false)
})
