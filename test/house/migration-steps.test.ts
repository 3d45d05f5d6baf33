import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migrate, migrateBack } from '#server/store/migrate.ts'
import { shippedMigrations } from '#server/store/migration-files.ts'
import { freshDatabase } from '../stage/database.ts'
import { folderWith } from '../upgrade/folder.ts'

/**
 * A migration is a step that others wait for, so it stops the writes of one table at most, among those that were there
 * before it. Released ones are older than this rule.
 */

const lastReleased = '0017-imports'

/** The tables whose writes each migration after the last released one stops until its commit. */
async function stoppedBy(folder: string): Promise<{ [migration: string]: string[] }> {
  const { connection, drop } = await freshDatabase()
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(async () => {
    await client.end()
    await drop()
  })
  await migrateBack(connection, lastReleased)
  await client.query(noteLocks)
  // One at a time, so that what one makes was there before the next.
  for (;;) {
    const count = await doneIn(client)
    await client.query(noteTables)
    await migrate(connection, () => {}, { folder, count: 1 })
    if ((await doneIn(client)) === count) break
  }
  const { rows } = await client.query<{ name: string; tables: string[] }>('select name, tables from noted_locks')
  return Object.fromEntries(rows.map(({ name, tables }) => [name, tables]))
}

const doneIn = async (client: pg.Client): Promise<number> =>
  (await client.query<{ count: number }>('select count(*)::int as count from migrations')).rows[0]?.count ?? 0

const noteTables = `truncate noted_tables; insert into noted_tables select oid from pg_class
  where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
    and relname not in ('migrations', 'noted_tables', 'noted_locks')`

/** Its own row is the last thing that a migration writes. */
const noteLocks = `create table noted_tables (oid oid);
  create table noted_locks (name text, tables text[]);
  create function note_locks() returns trigger language plpgsql as $$ begin
    insert into noted_locks select new.name, array(
      select distinct l.relation::regclass::text from pg_locks l join noted_tables t on t.oid = l.relation
      where l.pid = pg_backend_pid() and l.granted
        and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      order by 1
    );
    return new; end $$;
  create trigger note_locks after insert on migrations for each row execute function note_locks()`

test('Each migration stops the writes of one table at most that was there before.', async () => {
  for (const [migration, tables] of Object.entries(await stoppedBy(shippedMigrations)))
    expect(tables.length, `${migration}: ${tables}`).toBeLessThanOrEqual(1)
})

test('A migration that stops the writes of two is found; what it makes itself is not counted.', async () => {
  const folder = await folderWith({
    '9001-one.sql': `-- Up Migration
create table crates (id int);
alter table crates add column weight int;
alter table projects add column crate int;
-- Down Migration
alter table projects drop column crate;
drop table crates;
`,
    '9002-two.sql': `-- Up Migration
create index crates_weight on crates (weight);
alter table clients add column crate int;
-- Down Migration
alter table clients drop column crate;
drop index crates_weight;
`,
  })
  expect(await stoppedBy(folder)).toMatchObject({ '9001-one': ['projects'], '9002-two': ['clients', 'crates'] })
})
