/**
 * Keeps a copy of the clients and projects of a company in PostgreSQL. Copy and cursor change in one transaction, so each
 * change is handled exactly once, whatever ends the program. Node.js 22.18 or newer: node postgresql.ts [--once]
 */
import { Client } from 'pg'
import { connect, type Item, type Store } from 'plumbline-client'

const { PLUMBLINE_URL: baseUrl = 'http://127.0.0.1:3000', PLUMBLINE_TOKEN: token = '' } = process.env
const database = new Client()
await database.connect()
await database.query('create table if not exists cursors (name text primary key, cursor text not null)')
await database.query(
  'create table if not exists copies (records text, id bigint, record json, primary key (records, id))',
)

const store: Store<Client> = {
  async load() {
    const { rows } = await database.query("select cursor from cursors where name = 'plumbline'")
    return rows[0]?.cursor ?? null
  },
  async transaction(work) {
    await database.query('begin')
    try {
      await work(database)
      await database.query('commit')
    } catch (error) {
      await database.query('rollback')
      throw error
    }
  },
  async save(tx, next, previous) {
    const { rowCount } = await (previous === null
      ? tx.query("insert into cursors values ('plumbline', $1) on conflict do nothing", [next])
      : tx.query("update cursors set cursor = $1 where name = 'plumbline' and cursor = $2", [next, previous]))
    if (rowCount !== 1) throw new Error('another program consumes into this database')
  },
}

/** Puts by id, because a record can come with the copy and again as a change. */
async function handle(tx: Client, item: Item<'clients' | 'projects'>): Promise<void> {
  const { records } = item.kind === 'record' ? item : item.change
  const id = item.kind === 'record' ? item.record.id : item.change.record_id
  const isGone = item.kind === 'change' && /^(deleted|erased)$/.test(item.change.action)
  const record = item.kind === 'record' ? item.record : item.change.record
  if (isGone) await tx.query('delete from copies where records = $1 and id = $2', [records, id])
  else if (record) {
    await tx.query(
      'insert into copies values ($1, $2, $3) on conflict (records, id) do update set record = excluded.record',
      [records, id, JSON.stringify(record)],
    )
  }
}

const client = connect({ baseUrl, token, client: 'copy-to-postgresql' })
await client.consume(store, handle, { records: ['clients', 'projects'], once: process.argv.includes('--once') })
await database.end()
