import type pg from 'pg'
import { withClient } from './connect.ts'
import type { Connection } from './database.ts'

/** The rows of one company as lines of JSON. PostgreSQL writes and reads them: no value is converted here. */

export type CompanyTable = { table: string; columns: string[] }

/** Tables of a company that are not exported, with the reason. */
export const leftOut: { readonly [table: string]: string } = {
  answers: 'stored answers are forgotten after a day',
  call_details: 'what calls said is kept for days, for those who mend them here',
  sessions: 'nobody is signed in elsewhere',
  demo_accounts: 'it says which passwords were drawn here',
  webhook_endpoints: 'receivers know this service by their secrets and its log by its places',
  webhook_attempts: 'they are of webhooks that stay here',
}

/** Tables of a distributed database only: those of its log, and one that is derived from the accounts. */
const ofDistribution = ['company_epochs', 'company_marks', 'logins']

/** Stands for the default of the column. */
const asNew = 'default'

/** Secrets and the SQL of their replacement: exported rows let nobody sign in, call, or guess from an ETag. */
const secrets: { readonly [table: string]: { readonly [column: string]: string } } = {
  accounts: { password_hash: 'null' },
  companies: { tag_key: asNew },
  tokens: { hash: 'sha256(gen_random_uuid()::text::bytea)', sealed: "''::bytea" },
}

/** Columns that an import replaces, and the SQL of their values. */
const changed: { readonly [table: string]: { readonly [column: string]: string } } = {
  companies: { is_demo: 'false' },
  tokens: { revoked_at: 'coalesce(r.revoked_at, now())' },
  // A position is valid in one database alone. Imported changes come before all later ones. Decisions, Changes.
  history: { epoch: '(select max(epoch) from log_epochs)', pos: "'0'::xid8" },
}

/** Runs `work` in one snapshot of the database, which the writes of others do not change. */
export const inSnapshot = <T>(connection: Connection, work: (client: pg.ClientBase) => Promise<T>): Promise<T> =>
  withClient(connection, 'a stop', async (client) => {
    await client.query("set timezone = 'UTC'; set datestyle = 'ISO'")
    await client.query('begin isolation level repeatable read read only')
    return work(client)
  })

/** Returns every table with rows of companies, `companies` first. Tables of later versions are found by themselves. */
export async function companyTables(client: pg.ClientBase): Promise<CompanyTable[]> {
  const { rows } = await client.query<CompanyTable>(
    `select c.relname as table, array_agg(a.attname::text order by a.attnum)
        filter (where a.attgenerated = '' and a.attname <> case c.relname when 'companies' then 'id' else 'company_id' end) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      group by c.relname having c.relname = 'companies' or 'company_id' = any (array_agg(a.attname::text))
      order by c.relname <> 'companies', c.relname`,
  )
  return rows.filter(({ table }) => !(table in leftOut) && !ofDistribution.includes(table))
}

const pieceRows = 1000

/** Yields the rows of a table in chunks. */
export async function* companyRows(
  client: pg.ClientBase,
  { table, columns }: CompanyTable,
  companyId: number,
): AsyncGenerator<string[]> {
  const open = columns.filter((column) => !(column in (secrets[table] ?? {})))
  const company = table === 'companies' ? 'id' : 'company_id'
  const order = company === 'id' || columns.includes('id') ? 'id' : formatColumns(open)
  // In JSON a line break can stand between values only: texts escape it.
  await client.query(
    `declare piece no scroll cursor for
     select translate(row_to_json(r)::text, E'\\n\\r', '  ') as line
     from (select ${formatColumns(open)} from ${quoteName(table)} where ${company} = ${Number(companyId)}
       order by ${order}) r`,
  )
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${pieceRows} from piece`)
    if (rows.length === 0) break
    yield rows.map(({ line }) => line)
  }
  await client.query('close piece')
}

/** Rows of a company that does not exist yet. All are inserted at once, so that each finds the rows it refers to. */
export type StagedRows = {
  add(table: string, lines: readonly string[]): Promise<void>
  /** Returns the id of the new company. */
  insert(): Promise<number>
}

/** Runs `work` in one transaction: if a row is refused, no company is created. */
export const inStage = <T>(connection: Connection, work: (staged: StagedRows) => Promise<T>): Promise<T> =>
  withClient(connection, 'a stop', async (client) => {
    await client.query("set timezone = 'UTC'; begin")
    const tables = await companyTables(client)
    for (const { table } of tables)
      await client.query(`create temporary table ${quoteName(`stage_${table}`)} (line json not null) on commit drop`)
    const result = await work({
      add: async (table, lines) => {
        await client.query(`insert into ${quoteName(`stage_${table}`)} select unnest($1::text[])::json`, [lines])
      },
      insert: () => insertAll(client, tables),
    })
    await client.query('commit')
    return result
  })

async function insertAll(client: pg.ClientBase, [companies, ...tables]: CompanyTable[]): Promise<number> {
  const { rows } = await client.query<{ id: string }>(`${insertion(companies as CompanyTable)} returning id`)
  const id = Number(rows[0]?.id)
  if (await isDistributed(client)) await insertOneByOne(client, tables, id)
  else {
    const all = tables.map((table, index) => `into_${index} as (${insertion(table, id)})`)
    await client.query(`with ${all.join(', ')} select`)
    await alignLogTimes(client, tables, id)
  }
  await raiseSequences(client, tables, id)
  return id
}

/**
 * Gives the newest change of each record the record's time, by which lists find it (`sql/records/listing.ts`). Only a
 * distributed database writes two times, of two servers.
 */
async function alignLogTimes(client: pg.ClientBase, tables: readonly CompanyTable[], id: number): Promise<void> {
  for (const { table } of tables.filter(({ columns }) => columns.includes('updated_at') && columns.includes('version')))
    await client.query(
      `update history h set at = r.updated_at from ${quoteName(table)} r
      where h.company_id = $1 and h.records = $2 and r.company_id = $1 and r.id = h.record_id and r.version = h.version
        and h.at <> r.updated_at`,
      [id, table],
    )
}

async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ is: boolean }>("select to_regclass('company_epochs') is not null as is")
  return rows[0]?.is === true
}

/** Inserts table by table, referenced tables first, where one statement cannot write to several tables. */
async function insertOneByOne(client: pg.ClientBase, tables: readonly CompanyTable[], id: number): Promise<void> {
  const { rows } = await client.query<{ table: string; to: string }>(
    `select distinct a.relname as table, b.relname as to from pg_constraint f
    join pg_class a on a.oid = f.conrelid join pg_class b on b.oid = f.confrelid
    where f.contype = 'f' and f.connamespace = 'public'::regnamespace and f.conrelid <> f.confrelid`,
  )
  const waiting = new Map(tables.map((one) => [one.table, one]))
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(
      ({ table }) => !rows.some((reference) => reference.table === table && waiting.has(reference.to)),
    )
    if (ready.length === 0) throw new Error('tables refer to each other in a circle')
    for (const one of ready) {
      await client.query(insertion(one, id))
      waiting.delete(one.table)
    }
  }
  await client.query(
    `insert into logins (company_id, account_id, email_key)
    select company_id, id, email_key(email) from accounts where company_id = ${id} and not is_service`,
  )
}

function insertion({ table, columns }: CompanyTable, companyId?: number): string {
  const instead = { ...secrets[table], ...changed[table] }
  const given = columns.filter((column) => instead[column] !== asNew)
  const values = given.map((column) => instead[column] ?? `r.${quoteName(column)}`)
  const [into, from] = companyId === undefined ? [[], []] : [['company_id'], [String(companyId)]]
  return `insert into ${quoteName(table)} (${[...into, ...given.map(quoteName)].join(', ')})
    select ${[...from, ...values].join(', ')}
    from ${quoteName(`stage_${table}`)} s cross join lateral json_populate_record(null::${quoteName(table)}, s.line) r`
}

/**
 * Raises the sequences above the imported ids, which are kept. Others draw ids at the same time, so it skips far more
 * than they can draw between the read and the change.
 */
async function raiseSequences(client: pg.ClientBase, tables: readonly CompanyTable[], companyId: number) {
  // `pg_get_serial_sequence` fails for a table without the column, so the other conditions are applied first.
  const { rows: drawn } = await client.query<{ table: string }>(
    `with numbered as materialized (
      select table_name from information_schema.columns where table_schema = 'public' and column_name = 'id'
    )
    select table_name as table from numbered where pg_get_serial_sequence(quote_ident(table_name), 'id') is not null`,
  )
  for (const { table } of tables.filter((one) => drawn.some((other) => other.table === one.table))) {
    const { rows } = await client.query<{ most: string | null }>(
      `select max(id) as most from ${quoteName(table)} where company_id = ${companyId}`,
    )
    await client.query(
      `select setval(name, greatest($2::bigint, last) + 1000) from (
        select pg_get_serial_sequence($1, 'id')::regclass as name
      ) s cross join lateral (select pg_sequence_last_value(name) as last offset 0) l where $2::bigint > coalesce(last, 0)`,
      [quoteName(table), rows[0]?.most ?? null],
    )
  }
}

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`
const formatColumns = (columns: readonly string[]): string => columns.map(quoteName).join(', ')
