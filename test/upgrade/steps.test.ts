import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PG_MIGRATE_LOCK_ID } from 'node-pg-migrate'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate, migrateBack, pendingMigrations, seenMigrations } from '#server/store/migrate.ts'
import { knownMigrations } from '#server/store/migration-files.ts'
import { MigrationBlocked, migrationLock } from '#server/store/migration-retry.ts'
import { freshDatabase } from '../stage/database.ts'
import type { Server } from '../stage/postgres.ts'
import { eventually } from '../stage/wait.ts'
import { concurrentIndex, folderWith } from './folder.ts'
import { restored, type Sql, shapeOf } from './restored.ts'
import { readSnapshot } from './snapshot.ts'

/** Each migration is a step: what is done stays, and others are let by. */

test('The lock is that of node-pg-migrate, under which earlier versions migrate.', () => {
  expect(migrationLock).toBe(PG_MIGRATE_LOCK_ID)
})

const say = (): void => {}

async function opened(connection: Server): Promise<{ client: pg.Client; sql: Sql }> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return { client, sql: async (text) => (await client.query(text)).rows }
}

async function migrated(): Promise<{ connection: Server; sql: Sql }> {
  const { connection, drop } = await freshDatabase()
  onTestFinished(drop)
  return { connection, sql: (await opened(connection)).sql }
}

const backfill = {
  // Each statement may be given twice.
  '9001-notes.ts': `import { createIndexConcurrently, dropIndexConcurrently } from ${JSON.stringify(concurrentIndex)}
    export async function up(pgm) {
      await pgm.db.query('alter table projects add column if not exists remark text')
      await createIndexConcurrently(pgm, { name: 'projects_remark', on: 'projects (company_id, remark)' })
    }
    export async function down(pgm) {
      await dropIndexConcurrently(pgm, 'projects_remark')
      await pgm.db.query('alter table projects drop column if exists remark')
    }`,
  '9002-after.sql': '-- Up Migration\ncreate table remarks (id int);\n-- Down Migration\ndrop table remarks;\n',
}

const isIndexValid = async (sql: Sql): Promise<unknown> =>
  (await sql("select indisvalid as valid from pg_index where indexrelid = to_regclass('projects_remark')"))[0]

test('A migration in TypeScript runs between those in SQL, forward and back, in a new database and in one that is used.', async () => {
  const folder = await folderWith(backfill)
  expect((await knownMigrations(folder)).slice(-2)).toEqual(['9001-notes', '9002-after'])
  const newest = (await knownMigrations()).at(-1)
  const used = await migrated()
  const shape = await shapeOf(used.sql)
  await migrate(used.connection, say, { folder })
  expect(await isIndexValid(used.sql)).toEqual({ valid: true })
  const empty = await migrated()
  await empty.sql('drop schema public cascade; create schema public')
  await migrate(empty.connection, say, { folder })
  expect(await shapeOf(empty.sql)).toEqual(await shapeOf(used.sql))
  expect(await migrateBack(used.connection, newest as string, say, { folder })).toEqual(['9002-after', '9001-notes'])
  expect(await shapeOf(used.sql)).toEqual(shape)
})

test('A migration that is refused leaves what came before it, and its error has the code of the database.', async () => {
  const { connection } = await migrated()
  const folder = await folderWith({
    ...backfill,
    '9003-wrong.sql':
      '-- Up Migration\ncreate table wrong (id int);\nselect 1 / 0;\n-- Down Migration\ndrop table wrong;\n',
  })
  await expect(migrate(connection, say, { folder })).rejects.toMatchObject({ code: '22012' })
  expect((await seenMigrations(connection)).at(-1)).toBe('9002-after')
  expect(await (await opened(connection)).sql("select to_regclass('wrong') as made")).toEqual([{ made: null }])
})

describe('A database of version 0.1.0', () => {
  test('that loses its connection in every migration in turn is completed by the next run.', async () => {
    const { connection, sql } = await restored(await readSnapshot('0.1.0'))
    // Holds a migration up behind its last statement, where as many are done as the gate lets through.
    await sql('create table gate (passes int)')
    await sql(`insert into gate select count(*) from migrations`)
    await sql(`create function gated() returns trigger language plpgsql as $$ begin
      if (select count(*) from migrations) >= (select passes from gate) then perform pg_sleep(60); end if;
      return new; end $$`)
    await sql('create trigger gated before insert on migrations for each row execute function gated()')
    const pending = await pendingMigrations(connection)
    for (const name of pending) {
      const cut = migrate(connection, say).catch((error: unknown) => error)
      await eventually(async () => {
        const ended = await sql(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'",
        )
        expect(ended).toHaveLength(1)
      })
      expect(await cut, name).toMatchObject({ code: '57P01' })
      expect((await pendingMigrations(connection))[0]).toBe(name)
      await sql('update gate set passes = passes + 1')
    }
    await sql('drop trigger gated on migrations; drop function gated(); drop table gate')
    await migrate(connection, say)
    expect(await shapeOf(sql)).toEqual(await shapeOf((await migrated()).sql))
  })

  test('is given up with the name of the program that holds a table, and nothing is lost.', async () => {
    const { connection, sql } = await restored(await readSnapshot('0.1.0'))
    const reader = new pg.Client({ ...connection, application_name: 'nightly report' })
    await reader.connect()
    onTestFinished(() => reader.end())
    await reader.query('begin; select count(*) from accounts')
    const [{ pid } = { pid: 0 }] = (await reader.query('select pg_backend_pid() as pid')).rows as [{ pid: number }]
    const error = await migrate(connection, say, { giveUpMs: 1 }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(MigrationBlocked)
    expect((error as Error).message).toMatch(
      new RegExp(`because nightly report of the user \\w+ \\(process ${pid} of the database, open for \\d+ s\\) holds`),
    )
    expect((await seenMigrations(connection)).at(-1)).toBe('0005-one-index-each')
    await reader.query('rollback')
    await migrate(connection, say)
    expect(await pendingMigrations(connection)).toEqual([])
    expect(await sql('select count(*)::int as count from accounts')).not.toEqual([{ count: 0 }])
  })
})

function start(connection: Server, folder: string): { child: ChildProcess; ended: Promise<number | null> } {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'migrating.ts'), JSON.stringify(connection), folder],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, ended: once(child, 'exit').then(([code]) => code as number | null) }
}

describe('While an index is made concurrently behind an open reader', () => {
  /** The reader has to end before the index is there. */
  async function openReader(connection: Server): Promise<pg.Client> {
    const { client } = await opened(connection)
    await client.query('begin isolation level repeatable read')
    await client.query('select count(*) from clients')
    return client
  }
  const creating = async (sql: Sql): Promise<void> =>
    eventually(async () => {
      const rows = await sql(
        "select from pg_stat_activity where datname = current_database() and query like 'create index concurrently%' and wait_event_type = 'Lock'",
      )
      expect(rows).toHaveLength(1)
    })

  test('two processes migrate, and both end well; who writes is not stopped.', async () => {
    const { connection, sql } = await migrated()
    const folder = await folderWith(backfill)
    const reader = await openReader(connection)
    const first = start(connection, folder)
    await creating(sql)
    const second = start(connection, folder)
    await eventually(async () => {
      const rows = await sql(
        "select from pg_stat_activity where datname = current_database() and query like 'select pg_try_advisory_lock%'",
      )
      expect(rows).toHaveLength(1)
    })
    await sql("set lock_timeout = 200; update projects set notes = 'seen'")
    await reader.query('rollback')
    expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0])
    expect(await isIndexValid(sql)).toEqual({ valid: true })
  })

  test('kill -9 leaves an index that is not valid, which the next run replaces.', async () => {
    const { connection, sql } = await migrated()
    const folder = await folderWith(backfill)
    const reader = await openReader(connection)
    const killed = start(connection, folder)
    await creating(sql)
    killed.child.kill('SIGKILL')
    await killed.ended
    await eventually(async () => {
      await sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'create index concurrently%'",
      )
      expect(await isIndexValid(sql)).toEqual({ valid: false })
    })
    await reader.query('rollback')
    await migrate(connection, say, { folder })
    expect(await isIndexValid(sql)).toEqual({ valid: true })
  })
})
