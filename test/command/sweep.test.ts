import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenWorld } from '#server/open-world.ts'
import { answersChore, startSweeper, sweep, talliesChore } from '#server/service/sweep.ts'
import { freshDatabase } from '../stage/database.ts'
import { urlOf } from '../stage/process.ts'
import { makeStage, type Stage } from './stage.ts'

let stage: Stage
let database: Awaited<ReturnType<typeof freshDatabase>>
let opened: OpenWorld
beforeAll(async () => {
  stage = await makeStage()
  database = await freshDatabase()
  opened = await stage.open({ DATABASE_URL: urlOf(database.connection) })
})
afterAll(async () => {
  await opened.close()
  await database.drop()
  await stage.clear()
})

const ask = (text: string) => opened.world.database.read<{ count: number }>({ text, values: [] })

test('Answers that no longer count are swept in batches; the others stay.', async () => {
  await ask("insert into companies (id, name, currency, plan, add_ons) values (1, 'A', 'USD', 'PRO', '{}')")
  await ask(`insert into answers (company_id, key, fingerprint, status, body, completed_at)
    select 1, 'key ' || n, '', 200, '{}', now() - make_interval(hours => case when n <= 2500 then 25 else 23 end)
    from generate_series(1, 2600) n`)
  expect(await sweep(opened.world.database, answersChore, () => false)).toBe(2500)
  expect(await ask('select count(*)::int from answers')).toEqual([{ count: 100 }])
  expect(await sweep(opened.world.database, answersChore, () => false)).toBe(0)
})

test('A sweep that is told to stop ends with its batch.', async () => {
  await ask("update answers set completed_at = now() - interval '2 days'")
  await ask(`insert into answers (company_id, key, fingerprint, status, body, completed_at)
    select 1, 'old ' || n, '', 200, '{}', now() - interval '2 days' from generate_series(1, 2000) n`)
  expect(await sweep(opened.world.database, answersChore, () => true)).toBe(1000)
})

test('The sweeper stops at once when nothing runs.', async () => {
  const errors: unknown[] = []
  await startSweeper(opened.world.database, (error) => errors.push(error)).stop()
  expect(errors).toEqual([])
})

test('Changes of a tally are folded into its total, by several processes at once, and none is lost or counted twice.', async () => {
  await ask(
    "insert into tally_changes (company_id, records, change) select 1, 'clients', 1 from generate_series(1, 7000)",
  )
  await ask(
    "insert into tally_changes (company_id, records, change) select 1, 'clients', -1 from generate_series(1, 100)",
  )
  const folds = Array.from({ length: 4 }, () => sweep(opened.world.database, talliesChore, () => false))
  const during = await ask(
    `select (coalesce((select total from tallies), 0) + coalesce((select sum(change) from tally_changes), 0))::int as count`,
  )
  expect(during).toEqual([{ count: 6900 }])
  expect((await Promise.all(folds)).reduce((sum, moved) => sum + moved, 0)).toBe(7100)
  expect(await ask('select total::int as count from tallies')).toEqual([{ count: 6900 }])
  expect(await ask('select count(*)::int from tally_changes')).toEqual([{ count: 0 }])
})
