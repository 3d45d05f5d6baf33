import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openApp } from '#server/app.ts'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/store/database.ts'
import { SharedSession } from '#server/store/session-check.ts'
import { openDatabaseStage, type Stage } from '../command/stage.ts'
import { openPooler, type PoolerMode } from '../stage/pooler.ts'
import type { Server } from '../stage/postgres.ts'

/** A pooler between the service and its database. */

let stage: Stage
let connection: Server
let close: () => Promise<void>
beforeAll(async () => {
  ;({ stage, connection, close } = await openDatabaseStage())
})
afterAll(() => close())

async function through(mode: PoolerMode): Promise<{ DATABASE_URL: string }> {
  const pooler = await openPooler(connection, mode)
  onTestFinished(() => pooler.close())
  return { DATABASE_URL: pooler.url }
}

const sentence =
  'The database is reached through a pooler (PgBouncer in transaction mode?), which takes away the settings of a session: give DATABASE_URL the address of PostgreSQL itself, or set pool_mode=session and ignore_startup_parameters=options.'

describe.each([
  { name: 'that leaves settings out and shares connections among sessions', mode: { mode: 'transaction' } as const },
  {
    name: 'that refuses settings',
    mode: { mode: 'session', refusesSettings: true } as const,
  },
])('A pooler $name', ({ mode }) => {
  test('is refused by the start, by migrate and by doctor.', async () => {
    const more = await through(mode)
    const serving = await stage.give(['serve'], { ...more, PORT: '0', LOG_LEVEL: 'silent' })
    expect(serving).toMatchObject({ code: 3, err: `${sentence}\n` })
    expect(await stage.give(['migrate'], more)).toMatchObject({ code: 3, err: `${sentence}\n` })
    const { code, out } = await stage.give(['doctor', '--json'], more)
    expect(code).toBe(1)
    expect(JSON.parse(out).checks).toContainEqual({ name: 'database', ok: false, says: sentence })
  })
})

test('Behind a pooler that keeps a connection for a session the settings are set again, in every connection.', async () => {
  const opened = await openApp(readConfig({ ...stage.environment, ...(await through({ mode: 'session' })) }), () => {})
  try {
    const settings = () =>
      opened.app.database.read<{ plan: string; seqscan: string; timezone: string }>({
        text: "select current_setting('plan_cache_mode') as plan, current_setting('enable_seqscan') as seqscan, current_setting('timezone') as timezone, pg_sleep(0.05)",
        values: [],
      })
    const all = await Promise.all(Array.from({ length: 8 }, settings))
    for (const [row] of all) expect(row).toMatchObject({ plan: 'force_generic_plan', seqscan: 'off', timezone: 'UTC' })
  } finally {
    await opened.close()
  }
})

test('A pooler that is put in later is noticed by the next connection, and calls are refused until it is gone.', async () => {
  const { DATABASE_URL } = await through({ mode: 'transaction' })
  const limits = { connectionsMax: 4, statementTimeout: 5000, lockTimeout: 5000, connectTimeout: 2000 }
  const database = openDatabase({ connectionString: DATABASE_URL }, limits, () => {})
  onTestFinished(() => database.close())
  const read = () => database.read({ text: 'select pg_sleep(0.2)', values: [] })
  const results = await Promise.allSettled([read(), read(), read(), read()])
  for (const result of results)
    expect(result).toMatchObject({
      status: 'rejected',
      reason: { code: 'unavailable', cause: expect.any(SharedSession) },
    })
})
