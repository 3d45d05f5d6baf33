import pg from 'pg'
import type { Connection } from '../postgres.ts'
import type { Progress } from '../progress.ts'
import type { Layout } from './layout.ts'
import { type RecordLoad, recordLoads } from './rows.ts'

/** Inserts the records of a layout into a migrated database with its companies. */
export async function fill(connection: Connection, layout: Layout, progress: Progress): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    // The references of the loaded data are valid, and the load can be repeated after a crash.
    for (const setting of loadingSettings) await client.query(`set ${setting}`)
    const all = recordLoads(layout)
    for (const records of new Set(all.map((loading) => loading.records))) {
      const ofKind = all.filter((loading) => loading.records === records)
      await withoutIndexes(client, records, progress, () => insertAll(client, layout, ofKind, progress))
      await tallyAll(client, records)
    }
    progress.say('Collecting statistics …')
    await client.query('vacuum (analyze)')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

const loadingSettings = [
  'session_replication_role = replica',
  'synchronous_commit = off',
  `maintenance_work_mem = '512MB'`,
  `timezone = 'UTC'`,
]

const batchRecords = 50_000

async function insertAll(client: pg.Client, layout: Layout, ofKind: readonly RecordLoad[], progress: Progress) {
  const last = Math.max(...ofKind.map(({ block }) => block.to))
  for (const { records, block, insert } of ofKind) {
    for (let from = block.from; from <= block.to; from += batchRecords) {
      const to = Math.min(block.to, from + batchRecords - 1)
      await client.query(insert(from, to))
      progress.bar(`${records} for ${layout.records.toLocaleString('en')} projects`, to, last)
    }
    await client.query(`select setval(pg_get_serial_sequence('${records}', 'id'), ${last})`)
  }
}

/** Computes the totals that the product's own writes would have updated. */
const tallyAll = (client: pg.Client, records: string) =>
  client.query(
    `insert into tallies (company_id, records, total) select company_id, '${records}', count(*) from ${records} group by 1`,
  )

/** Runs work without indexes except the primary key: building them at once is several times faster. */
async function withoutIndexes(client: pg.Client, records: string, progress: Progress, work: () => Promise<void>) {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where tablename = $1 and indexname <> $1 || '_pkey'`,
    [records],
  )
  for (const { indexname } of rows) await client.query(`drop index ${indexname}`)
  await work()
  for (const [done, { indexdef }] of rows.entries()) {
    progress.bar(`indexes of ${records}`, done, rows.length)
    await client.query(indexdef)
  }
}
