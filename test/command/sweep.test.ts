import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenApp } from '#server/app.ts'
import { readConfig } from '#server/config/config.ts'
import { choresOf, startSweeper, sweep } from '#server/jobs/sweep.ts'
import { type UseRow, useByDay } from '#sql/system/call-list.ts'
import { freshDatabase } from '../stage/database.ts'
import { urlOf } from '../stage/process.ts'
import { createStage, type Stage } from './stage.ts'

const config = readConfig({})
const chores = choresOf(config)
let stage: Stage
let database: Awaited<ReturnType<typeof freshDatabase>>
let opened: OpenApp
beforeAll(async () => {
  stage = await createStage()
  database = await freshDatabase()
  opened = await stage.open({ DATABASE_URL: urlOf(database.connection) })
  await ask("insert into companies (id, name, currency, plan, add_ons) values (1, 'A', 'USD', 'PRO', '{}')")
})
afterAll(async () => {
  await opened.close()
  await database.drop()
  await stage.clear()
})

const ask = (text: string) => opened.app.database.read<{ count: number }>({ text, values: [] })

test('Answers that no longer count are swept in batches; the others stay.', async () => {
  await ask(`insert into answers (company_id, key, fingerprint, status, body, completed_at)
    select 1, 'key ' || n, '', 200, '{}', now() - make_interval(hours => case when n <= 2500 then 25 else 23 end)
    from generate_series(1, 2600) n`)
  expect(await sweep(opened.app.database, chores.answers, () => false)).toBe(2500)
  expect(await ask('select count(*)::int from answers')).toEqual([{ count: 100 }])
  expect(await sweep(opened.app.database, chores.answers, () => false)).toBe(0)
})

test('A sweep that is told to stop ends with its batch.', async () => {
  await ask("update answers set completed_at = now() - interval '2 days'")
  await ask(`insert into answers (company_id, key, fingerprint, status, body, completed_at)
    select 1, 'old ' || n, '', 200, '{}', now() - interval '2 days' from generate_series(1, 2000) n`)
  expect(await sweep(opened.app.database, chores.answers, () => true)).toBe(1000)
})

test('The sweeper stops at once when nothing runs.', async () => {
  const kept = {
    ...{
      auditKeptDays: 400,
      callDetailsKeptDays: 7,
      callsKeptDays: 400,
      changesKeptDays: 30,
      webhookAttemptsKeptDays: 30,
    },
    webhookAttemptsBytes: 1_000_000,
  }
  const jobs: string[] = []
  await startSweeper(opened.app.database, kept, async (job) => void jobs.push(job)).stop()
  expect(jobs).toEqual([])
})

test('Changes of a row count are folded into its total, by several processes at once, and none is lost or counted twice.', async () => {
  await ask(
    "insert into tally_changes (company_id, records, change) select 1, 'clients', 1 from generate_series(1, 7000)",
  )
  await ask(
    "insert into tally_changes (company_id, records, change) select 1, 'clients', -1 from generate_series(1, 100)",
  )
  const folds = Array.from({ length: 4 }, () => sweep(opened.app.database, chores.rowCounts, () => false))
  const during = await ask(
    `select (coalesce((select total from tallies), 0) + coalesce((select sum(change) from tally_changes), 0))::int as count`,
  )
  expect(during).toEqual([{ count: 6900 }])
  expect((await Promise.all(folds)).reduce((sum, moved) => sum + moved, 0)).toBe(7100)
  expect(await ask('select total::int as count from tallies')).toEqual([{ count: 6900 }])
  expect(await ask('select count(*)::int from tally_changes')).toEqual([{ count: 0 }])
})

test('Calls that are older than they are kept go, by several processes at once; their sums stay, and usage agrees to the call. [V14.2.4]', async () => {
  await ask("insert into companies (id, name, currency, plan, add_ons) values (2, 'B', 'USD', 'PRO', '{}')")
  // Every outcome over ninety days, of two companies; a third of them is older than sixty.
  await ask(`insert into calls (company_id, at, token_id, request_id, route, status, ms, dry_run, replayed, counted)
    select company, now() - n * interval '31 minutes', 1, 'r',
      (array['clients.list', 'clients.create', 'projects.create'])[n % 3 + 1],
      case when n % 7 = 0 then 404 else 200 end, 1, n % 5 = 0, n % 11 = 0, n % 11 <> 0 and n % 13 <> 0
    from generate_series(1, 2) company, generate_series(0, 4200) n`)
  const usage = async () =>
    (await Promise.all([1, 2].map((company) => opened.app.database.read<UseRow>(useByDay(company, 90))))).map((rows) =>
      rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    )
  const before = await usage()
  expect(new Set(before[0]?.map(({ outcome }) => outcome)).size).toBe(4)

  const { calls } = choresOf({ ...config, callsKeptDays: 60 })
  const sweeps = Array.from({ length: 3 }, () => sweep(opened.app.database, calls, () => false))
  const during = await usage()
  const swept = (await Promise.all(sweeps)).reduce((sum, moved) => sum + moved, 0)
  expect(swept).toBeGreaterThan(2 * 1000)
  expect(await ask('select count(*)::int from calls')).toEqual([{ count: 2 * 4201 - swept }])
  expect(await ask("select count(*)::int from calls where at < now() - interval '60 days'")).toEqual([{ count: 0 }])
  expect(await ask('select sum(calls)::int as count from call_days')).toEqual([{ count: swept }])
  expect(during).toEqual(before)
  expect(await usage()).toEqual(before)
  expect(await sweep(opened.app.database, calls, () => false)).toBe(0)
})

test('A sweep of calls that is told to stop ends with its batch.', async () => {
  const { calls } = choresOf({ ...config, callsKeptDays: 1 })
  expect(await sweep(opened.app.database, calls, () => true)).toBe(1000)
})
