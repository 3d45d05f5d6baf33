import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registry } from '#registry/resources/index.ts'
import { sessionOptions } from '#server/store/session.ts'
import { insert, withoutReferences } from '../../bench/plans/fill.ts'
import { readKeys, unstatedLocks } from '../../bench/plans/lock-order.ts'
import { accessPathsOf, planOf, readWhole } from '../../bench/plans/plan.ts'
import { everyStatement } from '../../bench/plans/statements/index.ts'
import type { Connection } from '../../bench/postgres.ts'
import { freshDatabase } from '../stage/database.ts'
import { statementsOf } from './statements-listed.ts'

/**
 * A statement names its index itself, so its plan is right before there are statistics. Each is planned by a new
 * connection in an empty database, in one that has statistics of being empty, in one that has grown without any, and
 * when PostgreSQL has analysed that. Decisions, Queries.
 */
let database: { connection: Connection; drop(): Promise<void> }
let client: pg.Client
let serverVersion: number
beforeAll(async () => {
  database = await freshDatabase()
  client = await connect()
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num')
  serverVersion = Math.floor(Number(rows[0]?.server_version_num) / 10_000)
  await everyTable('alter table %I set (autovacuum_enabled = off)')
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

const connect = async (): Promise<pg.Client> => {
  const limits = { connectionsMax: 1, statementTimeout: 60_000, lockTimeout: 8000, connectTimeout: 5000 }
  const connected = new pg.Client({ ...database.connection, options: sessionOptions(limits) })
  await connected.connect()
  return connected
}

const everyTable = (text: string): Promise<unknown> =>
  client.query(`do $$ declare one text; begin
    for one in select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    loop execute format('${text}', one); end loop; end $$`)

type Plans = Map<
  string,
  { name: string; text: string; whole: string[]; scenarios: string[]; unstated: readonly string[] }
>

/** Statements whose rows nobody else can lock, or that write one row although no key says so. */
const alone = [/^\s*update calls set status/, /^with gone_0 as \(delete/]

async function plansNow(): Promise<Plans> {
  const planner = await connect()
  const keys = await readKeys(planner)
  const plans: Plans = new Map()
  for (const statement of everyStatement.flatMap(([, statements]) => statements)) {
    const { text, root } = await planOf(planner, statement)
    const name = statement.name ?? '(unnamed)'
    const unstated = alone.some((one) => one.test(statement.text)) ? [] : unstatedLocks(root, statement.text, keys)
    plans.set(statement.text, { name, text, whole: readWhole(root), scenarios: accessPathsOf(root), unstated })
  }
  await planner.end()
  return plans
}

/** Many of one kind, for which every index then weighs something, and some of the others. */
const many = 100_000
const some = 2000

/**
 * Without indexes while they come in, which is ten times as fast. What making an index again tells the planner of its
 * table is taken back: the tables are as if they had grown row by row.
 */
async function grow(): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index i
    join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace and c.relname = any ($1)
    where not indisprimary`,
    [registry.map(({ name }) => name)],
  )
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  await withoutReferences(client, async () => {
    for (const definition of registry) {
      await client.query(insert(definition, { companies: 1, each: definition.name === 'projects' ? many : some }))
    }
    for (const text of system) await client.query(text)
  })
  for (const { definition } of indexes) await client.query(definition)
  await forgetStatistics()
}

const rows = `from generate_series(1, ${some}) i`
const system = [
  `insert into companies (name, currency, plan, add_ons) values ('Harbor', 'USD', 'PRO', '{api}')`,
  `insert into accounts (company_id, name, email, permissions) select 1, 'A', i || '@example.com', '{}' ${rows}`,
  `insert into tokens (company_id, account_id, label, scopes, allowlist, hash, sealed, revoked_at)
    select 1, 1, 'L', '{}', '{}', sha256(i::text::bytea), '', case when i > 1 then now() end ${rows}`,
  `insert into sessions (company_id, id_hash, account_id, expires_at)
    select 1, sha256(i::text::bytea), 1, now() + interval '1 day' ${rows}`,
  `insert into history (company_id, account_id, door, records, record_id, action, epoch)
    select 1, 1, 'api', 'projects', i, 'changed', 1 ${rows}`,
  `insert into log_marks (epoch, pos, at) select 1, i::text::xid8, now() - i * interval '1 minute' ${rows}`,
  `insert into webhook_endpoints (company_id, name, url, events, payload, ordered, sealed, cursor_epoch, cursor_pos, cursor_id, log_epoch)
    select 1, 'W', 'https://a.example', '{clients.created}', 'full', true, '', 1, '0', 0, 1 ${rows}`,
  `insert into webhook_attempts (company_id, endpoint_id, at, event, event_id, by_hand, ms, status, request_headers, request_body, request_bytes)
    select 1, i, now() - i * interval '1 minute', 'clients.created', 'evt', false, 1, 204, '{}', '{}', 2 ${rows}`,
  `insert into removals (company_id, account_id, door, records, record_id, mode, title, went, unlinked)
    select 1, 1, 'api', 'projects', i, 'soft', 'T', '{}', '[]' ${rows}`,
  `insert into calls (company_id, at, token_id, request_id, route, status, ms, dry_run, replayed, counted)
    select 1, now() - i * interval '1 minute', 1, 'r', 'projects.list', 200, 1, false, false, true ${rows}`,
  `insert into calls (company_id, at, token_id, request_id, route, status, code, ms, dry_run, replayed, counted)
    select 1, now() - i * interval '1 minute', 1, 'r', 'projects.list', 400, 'invalid_parameter', 1, false, false, true ${rows}`,
  `insert into call_details (company_id, request_id, at, method, path, query, request_headers, request_body, request_bytes,
      request_state, answer_headers, answer_body, answer_bytes, answer_state)
    select 1, i::text, now() - i * interval '1 minute', 'GET', '/v1/projects', '', '{}', '', 0, 'whole', '{}', '{}', 2, 'whole' ${rows}`,
  `insert into history (company_id, account_id, door, records, record_id, action, epoch)
    select 1, 1, 'web', 'tokens', i, 'shown', 1 ${rows}`,
  `insert into answers (company_id, key, fingerprint, status, body) select 1, 'k' || i, '', 201, '{}' ${rows}`,
  `insert into password_attempts (subject, attempts) select sha256(i::text::bytea), 1 ${rows}`,
]

/** Before PostgreSQL 18 only a superuser can. */
async function forgetStatistics(): Promise<void> {
  if (serverVersion >= 18) {
    await client.query(
      "select pg_clear_relation_stats('public', relname) from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    )
    await client.query(
      'select pg_clear_attribute_stats(schemaname, tablename, attname, inherited) from pg_stats where schemaname = $1',
      ['public'],
    )
    return
  }
  const ours = `select oid from pg_class where relnamespace = 'public'::regnamespace`
  await client.query(`update pg_class set reltuples = -1, relpages = 0 where oid in (${ours}) and relkind = 'r'`)
  await client.query(`delete from pg_statistic where starelid in (${ours})`)
}

describe('The plan of a statement follows from its text', () => {
  let empty: Plans
  beforeAll(async () => {
    empty = await plansNow()
  })

  test.each(everyStatement)('%s: as committed, and no table is read from end to end', async (topic, statements) => {
    const plans = statements.map(({ text }) => empty.get(text) as NonNullable<ReturnType<Plans['get']>>)
    for (const { name, whole } of plans) expect(whole, name).toEqual([])
    for (const { name, unstated } of plans) expect(unstated, `${name} locks in the order of its plan`).toEqual([])
    // Other versions of PostgreSQL tell the same in other words.
    if (serverVersion !== 18) return
    const shown = plans.map(({ name, text }) => `-- ${name}\n${text}\n`).join('\n')
    await expect(shown).toMatchFileSnapshot(`../goldens/plans/${topic}.txt`)
  })

  const stages: { title: string; reach: () => Promise<unknown> }[] = [
    { title: 'once the empty tables have been analysed', reach: () => client.query('vacuum (analyze)') },
    {
      title: 'in tables that have grown without statistics, one of them to 100,000 rows of one company',
      reach: grow,
    },
    { title: 'when these have been analysed', reach: () => client.query('vacuum (analyze)') },
  ]
  // In this order: each stage stands on the one before.
  test.each(stages)('and is the same $title', { timeout: 120_000 }, async ({ reach }) => {
    await reach()
    for (const [text, { name, scenarios, whole, unstated }] of await plansNow()) {
      expect(unstated, `${name} locks in the order of its plan`).toEqual([])
      expect(scenarios, `${name}: ${text}`).toEqual(empty.get(text)?.scenarios)
      expect(whole, name).toEqual([])
    }
  })
})

test('an order of locks that only the plan has is noticed', async () => {
  const keys = await readKeys(client)
  const each = (rows: string) =>
    `select from (${rows}) w cross join lateral (select from clients where company_id = 1 and id = w.id for update offset 0) c`
  const rows: [text: string, tables: string[]][] = [
    ['select id from clients where company_id = $1 for update', ['clients']],
    ['select id from clients where company_id = $1 order by id for update', []],
    ['select id from clients where company_id = $1 for update skip locked', []],
    ['select id from clients where company_id = $1 and id = $2 for update', []],
    ['select id from clients where company_id = $1 and id = any ($2) for update', ['clients']],
    ['update clients set notes = null where company_id = $1', ['clients']],
    ['delete from clients where ctid = any (array(select ctid from clients where company_id = $1))', []],
    [each('select id from unnest($1::bigint[]) id'), []],
    [each('select id from workers where company_id = $1 offset 0'), ['clients']],
    [
      each('select o.id from unnest($1::bigint[]) o (id) join unnest($2::bigint[]) p (id) using (id) offset 0'),
      ['clients'],
    ],
  ]
  for (const [text, tables] of rows) {
    const { root } = await planOf(client, { text, values: [] })
    expect(unstatedLocks(root, text, keys), text).toEqual(tables)
  }
})

test('every statement is among those that are looked at', () => {
  const { written, unlisted } = statementsOf(join(import.meta.dirname, '../..'))
  expect(written.length).toBeGreaterThan(60)
  expect(unlisted).toEqual([])
})
