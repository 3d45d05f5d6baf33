/**
 * Keeps a copy of the clients and projects of a company in a file of SQLite. Copy and cursor change in one transaction, so
 * each change is handled exactly once, whatever ends the program. Node.js 24 or newer: node sqlite.ts [--once]
 */
import { DatabaseSync } from 'node:sqlite'
import { connect, type Item, type Store } from 'plumbline-client'

const { PLUMBLINE_URL: baseUrl = 'http://127.0.0.1:3000', PLUMBLINE_TOKEN: token = '' } = process.env
const database = new DatabaseSync('copy.sqlite')
database.exec('create table if not exists cursors (name text primary key, cursor text not null)')
database.exec('create table if not exists copies (records text, id integer, record text, primary key (records, id))')

const store: Store<DatabaseSync> = {
  async load() {
    const row = database.prepare("select cursor from cursors where name = 'plumbline'").get()
    return row ? String(row.cursor) : null
  },
  async transaction(work) {
    database.exec('begin immediate')
    try {
      await work(database)
      database.exec('commit')
    } catch (error) {
      database.exec('rollback')
      throw error
    }
  },
  async save(tx, next, previous) {
    const { changes } =
      previous === null
        ? tx.prepare("insert or ignore into cursors values ('plumbline', ?)").run(next)
        : tx.prepare("update cursors set cursor = ? where name = 'plumbline' and cursor = ?").run(next, previous)
    if (changes !== 1) throw new Error('another program consumes into this file')
  },
}

/** Puts by id, because a record can come with the copy and again as a change. */
async function handle(tx: DatabaseSync, item: Item<'clients' | 'projects'>): Promise<void> {
  const { records } = item.kind === 'record' ? item : item.change
  const id = item.kind === 'record' ? item.record.id : item.change.record_id
  const isGone = item.kind === 'change' && /^(deleted|erased)$/.test(item.change.action)
  const record = item.kind === 'record' ? item.record : item.change.record
  if (isGone) tx.prepare('delete from copies where records = ? and id = ?').run(records, id)
  else if (record) {
    const put = 'insert into copies values (?, ?, ?) on conflict (records, id) do update set record = excluded.record'
    tx.prepare(put).run(records, id, JSON.stringify(record))
  }
}

const client = connect({ baseUrl, token, client: 'copy-to-sqlite' })
await client.consume(store, handle, { records: ['clients', 'projects'], once: process.argv.includes('--once') })
database.close()
