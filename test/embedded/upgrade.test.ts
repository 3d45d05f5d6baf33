import { chmod, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { startServer } from '../../server/embedded/cluster.ts'
import { findLocation } from '../../server/embedded/location.ts'
import { joinUsers } from '../../server/embedded/members.ts'
import { openOn } from '../../server/embedded/open.ts'
import { run, shell, stopServer } from '../../server/embedded/processes.ts'
import { findPrograms, type Machine } from '../../server/embedded/programs.ts'
import { migrate } from '../../server/store/migrate.ts'
import { ask, opener, pidOf, runs, stage, until } from './stage.ts'

/**
 * A data folder as the first version made it: whoever reaches the socket is trusted, and the service is the superuser
 * that initdb made. With the real tables, a few records and what an operator may have added. It is left running.
 */
async function oldFolder(machine: Machine, folder: string) {
  const place = await findLocation(folder, machine.shared, null)
  const bin = await findPrograms(machine, place, () => undefined)
  const { identity, cluster } = place
  const initial = ['--username=plumbline', '--auth=trust', '--encoding=UTF8', '--locale=C', '--locale-provider=builtin']
  const made = await run(identity, `${bin}/initdb`, [
    '-D',
    cluster,
    ...initial,
    '--builtin-locale=C.UTF-8',
    '--no-sync',
  ])
  if (!made.ok) throw new Error(made.output)
  await shell(identity, 'echo local all all trust >"$1/pg_hba.conf"', cluster)
  await run(identity, `${bin}/postgres`, ['--single', '-D', cluster, 'postgres'], 'create database plumbline\n')
  await startServer(bin, place, undefined)
  await until(async () => (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).includes('ready'))
  const connection = {
    host: join(place.home, 'socket'),
    port: 5432,
    user: 'plumbline',
    database: 'plumbline',
    password: '',
  }
  await migrate(connection, () => undefined)
  await sql(
    connection,
    `insert into companies (name, currency, plan, add_ons) values ('Quay', 'USD', 'PRO', '{api}');
     insert into projects (company_id, name, status) select 1, 'P' || n, 'ACTIVE' from generate_series(1, 500) n;
     create schema reports; create view reports.names as select name from projects; create table reports.own (id serial);
     create type reports.mood as enum ('good', 'bad'); create function reports.one() returns int return 1;
     insert into reports.own default values`,
  )
  return { cluster, connection, contents: await contentsOf(connection) }
}

type Connection = Parameters<typeof ask>[0]

async function sql(connection: Connection, text: string): Promise<void> {
  const client = new Client(connection)
  await client.connect()
  await client.query(text).finally(() => client.end())
}

const contentsOf = (connection: Connection): Promise<string> =>
  ask(
    connection,
    `select md5(string_agg(xml, '|')) from (select query_to_xml('select * from ' || c.oid::regclass ||
    ' order by 1', true, false, '')::text as xml from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'v') and n.nspname in ('public', 'reports') order by c.oid::regclass::text) all_of_them`,
  )

/** What belongs to the superuser, in our database, apart from the system's and the extensions' own. */
const notOurs = `select coalesce(json_agg(name), '[]') from (
  select oid::regclass::text as name, relowner as owner, relnamespace as space from pg_class where relkind <> 'c'
  union all select oid::regprocedure::text, proowner, pronamespace from pg_proc
    where not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
  union all select oid::regtype::text, typowner, typnamespace from pg_type where typtype in ('d', 'e', 'r')
  union all select datname, datdba, 'public'::regnamespace from pg_database where datname = 'plumbline'
) each where owner <> 'plumbline'::regrole and space::regnamespace::text in ('public', 'reports')`

async function isSecured(connection: Connection, cluster: string): Promise<void> {
  expect(await ask(connection, 'select rolsuper from pg_roles where rolname = current_user')).toBe(false)
  expect(await ask(connection, notOurs)).toEqual([])
  expect(await readFile(join(cluster, 'pg_hba.conf'), 'utf8')).toBe(
    'local all all scram-sha-256\nlocal replication plumbline_backup scram-sha-256\n',
  )
  for (const [user, password] of [
    ['plumbline', 'guessed'],
    ['postgres', ''],
    ['postgres', connection.password],
  ] as const) {
    await expect(ask({ ...connection, user, password }, 'select 1'), user).rejects.toThrow(/password/)
  }
}

test('A folder of the first version keeps every record, and its service is no superuser any more.', async () => {
  const { machine, folder } = await stage()
  const { cluster, contents } = await oldFolder(machine, folder)
  await stopServer(cluster)

  const first = await openOn(machine, { folder })
  expect(first.how).toBe('started')
  expect(await contentsOf(first.connection)).toBe(contents)
  await isSecured(first.connection, cluster)
  // All that a migration does it may still do.
  await migrate(first.connection, () => undefined)
  await sql(
    first.connection,
    `alter table projects add column x int; create index on projects (x); drop view reports.names; create table more (id int);
     create or replace function folded(words text) returns text language sql immutable strict return lower(words);
     alter type reports.mood add value 'so'; insert into reports.own default values; analyze projects`,
  )
  await expect(sql(first.connection, "copy (select 1) to program 'true'")).rejects.toThrow(/permission denied/)
  await expect(sql(first.connection, 'create role other superuser')).rejects.toThrow(/permission denied/)
  await first.close()

  const second = await openOn(machine, { folder })
  expect(await ask(second.connection, 'select count(*)::int from projects')).toBe(500)
  await second.close()
})

test('One that still runs, left by a killed process, is stopped and started again by the first who comes.', async () => {
  const { machine, folder } = await stage()
  const { cluster, contents } = await oldFolder(machine, folder)
  const pid = await pidOf(cluster)
  const both = await Promise.all([openOn(machine, { folder }), openOn(machine, { folder })])
  expect(await pidOf(cluster)).not.toBe(pid)
  for (const { connection } of both) expect(await contentsOf(connection)).toBe(contents)
  await isSecured(both[0]!.connection, cluster)
  await Promise.all(both.map(({ close }) => close()))
  expect(await runs(cluster)).toBe(false)
})

test('While a process of the first version uses it nothing is changed; when that has gone, it is.', async () => {
  const { machine, folder } = await stage()
  const { cluster, connection, contents } = await oldFolder(machine, folder)
  const pid = await pidOf(cluster)
  const older = await joinUsers(connection)
  let isOpen = false
  const opening = openOn(machine, { folder }).finally(() => (isOpen = true))
  const visits = "select count(*)::int from pg_stat_activity where application_name = 'plumbline user'"
  // It comes, sees the other one, and goes; more than once.
  for (let visit = 0; visit < 2; visit++) {
    await until(async () => (await ask<number>(connection, visits)) > 1)
    await until(async () => (await ask<number>(connection, visits)) === 1)
  }
  expect(isOpen).toBe(false)
  expect(await pidOf(cluster)).toBe(pid)

  await older.leave(async () => undefined)
  const opened = await opening
  expect(await contentsOf(opened.connection)).toBe(contents)
  await isSecured(opened.connection, cluster)
  await opened.close()
})

test('Killed with -9 at any moment of the upgrade, the next start completes it.', async () => {
  const { machine, folder } = await stage()
  const { cluster, contents } = await oldFolder(machine, folder)
  await stopServer(cluster)
  for (const wait of [150, 250, 350, 450, 550, 700]) {
    const killed = opener(folder, machine.shared)
    await new Promise((resolve) => setTimeout(resolve, wait))
    await killed.kill()
  }
  const opened = await openOn(machine, { folder })
  expect(await contentsOf(opened.connection)).toBe(contents)
  await isSecured(opened.connection, cluster)
  await opened.close()
})

test('A password that was lost is drawn anew, and every record is there.', async () => {
  const { machine, folder } = await stage()
  const first = await openOn(machine, { folder })
  await sql(first.connection, 'create table kept as select 1 as id')
  await first.close()
  await rm(join(folder, 'database-password'))
  const second = await openOn(machine, { folder })
  expect(second.connection.password).not.toBe(first.connection.password)
  expect(await ask(second.connection, 'select id from kept')).toBe(1)
  await isSecured(second.connection, join(folder, 'postgres', 'cluster'))
  await second.close()
})

test('The password is readable by its owner alone, and PostgreSQL’s user cannot even reach it.', async () => {
  const { machine, folder } = await stage()
  await mkdir(folder)
  await chmod(folder, 0o711)
  const { connection, close } = await openOn(machine, { folder })
  const file = join(folder, 'database-password')
  expect((await readFile(file, 'utf8')).trim()).toBe(connection.password)
  const { identity } = await findLocation(folder, machine.shared, null)
  const seen = await shell(identity, 'cat "$1"; stat -c %a "$1"', file)
  expect(seen.output).toMatch(/600\n$/)
  if (identity.other) expect(seen.output).not.toContain(connection.password)
  const leaked = await shell(identity, 'grep -r "$2" "$1"', join(folder, 'postgres'), connection.password)
  expect(leaked.output).toBe('')
  await close()
})
