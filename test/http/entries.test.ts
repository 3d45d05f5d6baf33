import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '#server/config/config.ts'
import { choresOf, sweep } from '#server/jobs/sweep.ts'
import { sharedConnectionCount } from '#server/store/shared-connections.ts'
import { createBatchableRead } from '#sql/batchable.ts'
import { sql } from '#sql/statement.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

/**
 * A new installation has no statistics, and its connections plan while the tables are empty. What a call costs then is
 * counted, not timed: the entries that it reads of indexes, by PostgreSQL's own count.
 */
const connectionsMax = 4
let stage: Stage
let company: Company
let counter: pg.Client
beforeAll(async () => {
  stage = await openStage({ DATABASE_CONNECTIONS: String(connectionsMax) })
  counter = new pg.Client(stage.connection)
  await counter.connect()
  await counter.query('set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off')
  await counter.query(`do $$ declare one text; begin
    for one in select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    loop execute format('alter table %I set (autovacuum_enabled = off)', one); end loop; end $$`)
  company = await stage.company()
})
afterAll(async () => {
  await counter?.end()
  await stage?.close()
})

/** Every connection of the service hands in what it has counted; it would do so at its leisure, after some seconds. */
async function handIn(): Promise<void> {
  await stage.app.meter.flush()
  const text = 'select pg_stat_force_next_flush(), pg_sleep(0.02)'
  const onSharedConnection = () =>
    createBatchableRead({
      name: 'hand-in',
      types: { n: 'bigint' },
      batchMax: 1,
      query: () => sql`select pg_stat_force_next_flush(), pg_sleep(0.02)`,
    })({ n: 1 })
  await Promise.all([
    ...Array.from({ length: connectionsMax * 3 }, () => stage.app.database.read({ text, values: [] })),
    ...Array.from({ length: sharedConnectionCount * 3 }, () => stage.app.database.read(onSharedConnection())),
  ])
}

const entriesRead = async (): Promise<number> => {
  await handIn()
  await counter.query('select pg_stat_clear_snapshot()')
  const { rows } = await counter.query(
    'select coalesce(sum(idx_tup_read), 0)::int as entries from pg_stat_user_indexes',
  )
  return rows[0].entries
}

const rounds = 20

/** Entries that a call reads, as the mean of some. */
async function entriesOf(call: (round: number) => Promise<{ status: number }>): Promise<number> {
  const before = await entriesRead()
  for (let round = 0; round < rounds; round++) expect((await call(round)).status).toBeLessThan(300)
  return ((await entriesRead()) - before) / rounds
}

/** Thirty callers at a time, each create with a key and a code. */
async function growTo(records: number): Promise<void> {
  const callers = Array.from({ length: 30 }, async () => {
    while (grown < records) {
      const number = grown++
      const body = { name: `Wall ${number}`, code: `P-${number}`, status: 'BIDDING', client_id: clientId }
      const { status, body: answer } = await create(body, `grow-${number}`)
      expect(status).toBe(201)
      ids.push(answer.data.id)
    }
  })
  await Promise.all(callers)
  // The service does so every two seconds; until then a total is the sum of as many rows as there were writes.
  await sweep(stage.app.database, choresOf(readConfig({})).rowCounts, () => false)
  // Entries of rows that were folded are read again, and marked as dead, once no snapshot of the server is older.
  await eventually(async () => {
    await company.get('/v1/projects')
    const before = await entriesRead()
    await company.get('/v1/projects')
    expect((await entriesRead()) - before).toBeLessThan(200)
  })
}

const ids: number[] = []
let grown = 0
let clientId: number
const create = (body: object, key: string) =>
  company.call('POST', '/v1/projects', { body, headers: { 'Idempotency-Key': key } })
const one = (round: number): number => ids[(round * 97) % ids.length] as number

const calls: { title: string; most: number; call: (round: number) => Promise<{ status: number }> }[] = [
  { title: 'a fetch', most: 30, call: (round) => company.get(`/v1/projects/${one(round)}`) },
  {
    title: 'a create with a key',
    most: 30,
    call: (round) => create({ name: 'One more', code: `M-${ids.length}-${round}` }, `more-${ids.length}-${round}`),
  },
  {
    title: 'an update',
    most: 30,
    call: (round) => company.call('PATCH', `/v1/projects/${one(round)}`, { body: { notes: `n ${ids.length}` } }),
  },
  {
    title: 'an update of a unique field',
    most: 30,
    call: (round) =>
      company.call('PATCH', `/v1/projects/${one(round)}`, { body: { code: `U-${ids.length}-${round}` } }),
  },
  {
    title: 'a deletion',
    most: 30,
    call: () => company.call('DELETE', `/v1/projects/${ids.shift()}`),
  },
  { title: 'a page of 50', most: 200, call: () => company.get('/v1/projects') },
  { title: 'a page far down', most: 2200, call: () => company.get('/v1/projects?offset=1000') },
  {
    title: 'a filter by a reference with one match',
    most: 50,
    call: () => company.get(`/v1/projects?client_id=${lonelyId}`),
  },
  { title: 'a filter by a state with one match', most: 50, call: () => company.get('/v1/projects?status=ON_HOLD') },
  { title: 'q with one match', most: 50, call: () => company.get('/v1/projects?q=Zanzibar') },
  {
    title: 'q with one match, and a filter that many pass',
    most: 50,
    call: () => company.get('/v1/projects?q=Zanzibar&status=ON_HOLD'),
  },
  {
    title: 'a filter with one match, and a word that all have',
    most: 50,
    call: () => company.get(`/v1/projects?q=Wall&client_id=${lonelyId}`),
  },
  {
    title: 'what changed since a moment after which nothing did',
    most: 50,
    call: () => company.get('/v1/projects?updated_since=2100-01-01T00:00:00Z'),
  },
  {
    // An entry of the log and one of the record for each change, and one of the record for each line of the page.
    title: 'what changed since twenty changes ago',
    most: 150,
    call: async () => company.get(`/v1/projects?updated_since=${await twentyChangesAgo()}`),
  },
  { title: 'a client with no project', most: 50, call: () => company.get(`/v1/clients/${clientId}`) },
]
let lonelyId: number

/** Asked of the table itself, whose entries of indexes are not counted: it is read from end to end. */
async function twentyChangesAgo(): Promise<string> {
  const { rows } = await counter.query<{ moment: string }>(
    'select to_char(at at time zone \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.US"Z"\') as moment from history order by at desc limit 1 offset 19',
  )
  return rows[0]?.moment as string
}

/** Connections are opened while there is nothing, and go on; a second set is opened when there is much. */
describe.each([{ records: 100 }, { records: 1000 }, { records: 5000 }])(
  'In a company that has grown to $records projects by its own calls, on tables that nobody has analysed',
  ({ records }) => {
    beforeAll(async () => {
      clientId ??= await company.create('clients', { name: 'Many' })
      lonelyId ??= await company.create('clients', { name: 'Lonely' })
      if (ids.length === 0) {
        await create({ name: 'Zanzibar Wall', status: 'ON_HOLD', client_id: lonelyId }, 'lonely')
        // Every connection plans every call while there is next to nothing.
        await growTo(30)
        for (const { call } of calls) await Promise.all(Array.from({ length: 8 }, (_, index) => call(1000 + index)))
      }
      await growTo(records)
    })

    test.each(calls)('$title reads at most $most entries of indexes', async ({ most, call }) => {
      const entries = await entriesOf(call)
      expect(entries).toBeGreaterThan(0)
      expect(entries).toBeLessThanOrEqual(most)
    })
  },
)
