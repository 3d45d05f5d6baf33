import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withClient } from '#server/store/connect.ts'
import { freshDatabase } from '../stage/database.ts'
import { diskOf, keptIn, sweepAll } from './disk.ts'
import { openFiles } from './memory.ts'
import { isPossible } from './possible.ts'

/** What is measured beside attacks is what is there. */
let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const ask = (text: string) => withClient(database.connection, 'a stop', (client) => client.query(text))

test('Rows that are gone show as more than what is kept on purpose, and a sweep of old answers makes room for new ones.', async () => {
  await ask(`insert into companies (id, name, currency, plan, add_ons) values (1, 'A', 'USD', 'PRO', '{}');
    insert into answers (company_id, key, fingerprint, status, body, completed_at)
    select 1, 'key ' || n, '', 200, repeat('x', 1000), now() - make_interval(hours => case when n % 10 = 0 then 1 else 25 end)
    from generate_series(1, 20000) n`)
  const before = await keptIn(database.connection)
  expect(before.bytes / before.onPurpose).toBeGreaterThan(0.9)
  expect(before.bytes / before.onPurpose).toBeLessThan(1.1)
  const after = await sweepAll(database.connection)
  expect(after.onPurpose).toBeLessThan(before.onPurpose / 2)
  expect(after.bytes / after.onPurpose).toBeGreaterThan(1.1)
})

test('A data folder is measured with and without its log.', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-disk-'))
  try {
    await mkdir(join(folder, 'pg_wal/archive'), { recursive: true })
    await mkdir(join(folder, 'base/1'), { recursive: true })
    await writeFile(join(folder, 'pg_wal/archive/a'), 'x'.repeat(10))
    await writeFile(join(folder, 'pg_wal/b'), 'x'.repeat(100))
    await writeFile(join(folder, 'base/1/c'), 'x'.repeat(1000))
    expect(await diskOf(folder)).toEqual({ folder: 1000, wal: 110 })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test.runIf(isPossible)('Open files are those of the process.', () => {
  expect(openFiles(process.pid)).toBeGreaterThan(3)
})
