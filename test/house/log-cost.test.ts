import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { servedResources } from '#registry/resources/index.ts'
import { sessionOptions } from '#server/store/session.ts'
import { changesAfter } from '#sql/records/changes.ts'
import { changedCompanies } from '#sql/system/changes.ts'
import type { Connection } from '../../bench/postgres.ts'
import { freshDatabase } from '../stage/database.ts'

/** What is read of the log is counted, not timed: rows of it, and pages of everything. With more by LOG_ROWS=1000000. */
const most = Number(process.env.LOG_ROWS ?? 30_000)

let database: { connection: Connection; drop(): Promise<void> }
let client: pg.Client
beforeAll(async () => {
  database = await freshDatabase()
  const limits = { connectionsMax: 1, statementTimeout: 600_000, lockTimeout: 8000, connectTimeout: 5000 }
  client = new pg.Client({ ...database.connection, options: sessionOptions(limits) })
  await client.connect()
  await client.query("insert into companies (name, currency, plan, add_ons) values ('Harbor', 'USD', 'PRO', '{api}')")
  // The rows are of an epoch that is over, so that their positions may be any.
  await client.query("insert into log_epochs (epoch, identity) values (2, 'of the test')")
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** The log up to so many changes, a transaction each as far as their positions say. */
async function grow(from: number, to: number): Promise<void> {
  await client.query(
    `insert into history (company_id, door, records, record_id, action, version, epoch, pos)
    select 1, 'api', 'clients', 1 + i % 500, 'changed', 1 + i / 500, 1, i::text::xid8
    from generate_series($1::bigint, $2::bigint) i`,
    [from, to],
  )
  await client.query('vacuum analyze history')
}

const logTable = 'history'

type Node = {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

/** Rows of the log that the statement met, and pages that it touched. */
async function costOf({ text, values }: { text: string; values: readonly unknown[] }) {
  const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, [...values])
  const { Plan: root } = rows[0]['QUERY PLAN'][0] as { Plan: Node }
  const met = (node: Node): number =>
    (node['Relation Name'] === logTable
      ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      : 0) + (node.Plans ?? []).reduce((sum, inner) => sum + met(inner), 0)
  return { met: met(root), pages: root['Shared Hit Blocks'] + root['Shared Read Blocks'] }
}

const limit = 100
const page = (companyId: number, pos: number) =>
  changesAfter(servedResources, {
    ...{
      companyId,
      after: { epoch: 1, pos: String(pos), id: 0, line: null },
      records: ['clients'],
      limit,
      keptDays: 30,
    },
  })

test('What a page of the feed reads, and what those who wait cost, does not grow with the log', async () => {
  const waiting = (pos: number) => changedCompanies([{ companyId: 1, epoch: 1, pos: String(pos) }])
  await grow(1, 1000)
  const small = { page: await costOf(page(1, 500)), waiting: await costOf(waiting(500)) }
  await grow(1001, most)
  const large = { page: await costOf(page(1, most / 2)), waiting: await costOf(waiting(most / 2)) }
  console.log(`rows met and pages touched at 1000: ${JSON.stringify(small)}; at ${most}: ${JSON.stringify(large)}`)
  expect(small.page.met).toBeGreaterThanOrEqual(limit)
  expect(small.page.met).toBeLessThanOrEqual(limit + 2)
  expect(large.page.met).toBe(small.page.met)
  expect(large.waiting.met).toBe(small.waiting.met)
  // An index of more rows may be some levels higher.
  expect(large.page.pages).toBeLessThanOrEqual(small.page.pages + 20)
  expect(large.waiting.pages).toBeLessThanOrEqual(small.waiting.pages + 5)
}, 600_000)
