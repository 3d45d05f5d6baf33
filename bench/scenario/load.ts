import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '#server/store/migrate.ts'
import type { Connection, Postgres } from '../postgres.ts'
import type { Progress } from '../progress.ts'
import { createCompanies } from './companies.ts'
import { fill } from './fill.ts'
import { layoutOf } from './layout.ts'

/**
 * Returns a database of a size. It is loaded once and copied for each run, so that every run has the same data, even if
 * the last one wrote.
 */
export async function freshCopy(
  postgres: Postgres,
  records: number,
  companies: number,
  progress: Progress,
): Promise<string> {
  const template = await loadDatabase(postgres, records, companies, progress)
  const name = `bench_${version()}_run_${records}_${companies}`
  progress.say(`Copying the database of ${records.toLocaleString('en')} records …`)
  await postgres.sql(`drop database if exists ${name} with (force)`)
  await postgres.sql(`create database ${name} template ${template} strategy file_copy`)
  await warmDatabase(postgres.connection(name))
  return name
}

/** Reads tables and indexes into memory, as in a running server. Small indexes come last, so that they stay there. */
async function warmDatabase(connection: Connection): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query('create extension if not exists pg_prewarm')
    await client.query(`select pg_prewarm(oid) from (
      select oid from pg_class where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace order by relpages desc
    ) largest_first`)
  } finally {
    await client.end()
  }
}

/** Loads the database. Returns its name, which changes with everything that determines its contents. */
async function loadDatabase(
  postgres: Postgres,
  records: number,
  companies: number,
  progress: Progress,
): Promise<string> {
  const name = `bench_${version()}_${records}_${companies}`
  if (await hasDatabase(postgres, name)) return name
  await dropOutdated(postgres)
  const template = await companiesOnly(postgres, companies, progress)
  const work = `${name}_loading`
  await postgres.sql(`drop database if exists ${work} with (force)`)
  await postgres.sql(`create database ${work} template ${template} strategy file_copy`)
  await fill(postgres.connection(work), layoutOf(records, companies), progress)
  await postgres.sql(`alter database ${work} rename to ${name}`)
  return name
}

/** Creates the companies with their accounts and tokens, the same at every size. */
async function companiesOnly(postgres: Postgres, count: number, progress: Progress): Promise<string> {
  const name = `bench_${version()}_companies_${count}`
  if (await hasDatabase(postgres, name)) return name
  const work = `${name}_loading`
  await postgres.sql(`drop database if exists ${work} with (force)`)
  await postgres.sql(`create database ${work}`)
  await migrate(postgres.connection(work), progress.say)
  // One more than the companies that share the records: the large one.
  await createCompanies(postgres.connection(work), count + 1, progress)
  await postgres.sql(`alter database ${work} rename to ${name}`)
  return name
}

async function hasDatabase({ sql }: Postgres, name: string): Promise<boolean> {
  return (await sql('select from pg_database where datname = $1', [name])).length > 0
}

async function dropOutdated({ sql }: Postgres): Promise<void> {
  const rows = await sql<{ name: string }>(
    `select datname as name from pg_database where datname like 'bench\\_%' and not starts_with(datname, $1)`,
    [`bench_${version()}_`],
  )
  for (const { name } of rows) await sql(`drop database ${name} with (force)`)
}

/** Returns a version of the tables and of the loaded data. */
function version(): string {
  const here = import.meta.dirname
  const migrations = join(here, '../../migrations')
  const files = [
    ...readdirSync(migrations)
      .sort()
      .map((file) => join(migrations, file)),
    ...['companies.ts', 'fill.ts', 'layout.ts', 'rows.ts'].map((file) => join(here, file)),
  ]
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 8)
}
