import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

/**
 * An update that changes no indexed column writes no index (a heap-only tuple), while its page has room. With more
 * updates by HOT_UPDATES=2000.
 */
const updates = Number(process.env.HOT_UPDATES ?? 300)
const callers = 4

let stage: Stage
let company: Company
let counter: pg.Client
let ids: number[]
let clientId: number
beforeAll(async () => {
  stage = await openStage()
  counter = new pg.Client(stage.connection)
  await counter.connect()
  company = await stage.company({ plan: 'ENTERPRISE' })
  clientId = await company.create('clients', { name: 'Harbor board' })
  ids = await Promise.all(
    Array.from({ length: updates }, (_, count) =>
      company.create('projects', { name: `Quay wall ${count}`, code: `Q-${count}`, client_id: clientId }),
    ),
  )
})
afterAll(async () => {
  await counter?.end()
  await stage?.close()
})

type Counts = { updates: number; hot: number }

async function counted(): Promise<Counts> {
  const { rows } = await counter.query<Counts>(
    "select n_tup_upd::int as updates, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'projects'",
  )
  return rows[0] as Counts
}

/** The part of updates that wrote no index, from 0 to 1. */
async function hotShareOf(bodyOf: (round: number) => object): Promise<number> {
  const before = await counted()
  let round = 0
  const work = async (): Promise<void> => {
    while (round < updates) {
      const place = round++
      const { status, text } = await company.call('PATCH', `/v1/projects/${ids[(place * 37) % ids.length]}`, {
        body: bodyOf(place),
      })
      expect(status, text).toBe(200)
    }
  }
  await Promise.all(Array.from({ length: callers }, work))
  const after = await eventually(async () => {
    // A session hands in its counts at its end; else ten seconds after its last statement. Its end is waited for, because
    // the service could still use it for the next update.
    await counter.query(
      "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state = 'idle'",
    )
    const counts = await counted()
    expect(counts.updates - before.updates).toBe(updates)
    return counts
  })
  return (after.hot - before.hot) / updates
}

const rows: { title: string; bodyOf: (round: number) => object; least: number; most: number }[] = [
  {
    title: 'of a field without an index, at least 80 %',
    bodyOf: (round) => ({ notes: `Looked at ${round}` }),
    least: 0.8,
    most: 1,
  },
  {
    title: 'of a unique field, none',
    bodyOf: (round) => ({ code: `Q-${round}-${round}` }),
    least: 0,
    most: 0,
  },
]
test.each(rows)('Updates that write no index: $title', async ({ bodyOf, least, most }) => {
  const share = await hotShareOf(bodyOf)
  if (process.env.HOT_UPDATES) console.info(`${updates} updates, share ${share}`)
  expect(share).toBeGreaterThanOrEqual(least)
  expect(share).toBeLessThanOrEqual(most)
})
