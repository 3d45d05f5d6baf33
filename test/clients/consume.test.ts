import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cursorOf } from '#server/service/changes.ts'
import { connect, type Item, type Plumbline, type Store } from '../../clients/typescript/src/index.ts'
import { startProcess, urlOf } from '../stage/process.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'

/** A program that consumes into a database of its own and crashes at whichever statement it is told. */

let stage: Stage
let own: Company
let client: Plumbline
let folder: string
let openDatabase: () => Promise<Database>
beforeAll(async () => {
  stage = await openStage()
  folder = await mkdtemp(join(tmpdir(), 'plumbline-consume-'))
})
afterAll(async () => {
  await stage.close()
  await rm(folder, { recursive: true })
})

class Crash extends Error {}

type Query = (text: string, values?: unknown[]) => Promise<{ rows: Record<string, unknown>[]; count: number | null }>
type Database = { query: Query; close(): Promise<void> }

async function openPostgresql(): Promise<Database> {
  const { host, port, user, database, password } = stage.connection
  const connection = new Client({ host, port, user, database, password })
  await connection.connect()
  return {
    query: async (text, values) => {
      const { rows, rowCount } = await connection.query(text, values)
      return { rows, count: rowCount }
    },
    close: () => connection.end(),
  }
}

async function openSqlite(): Promise<Database> {
  const connection = new DatabaseSync(':memory:')
  connection.exec(`attach '${join(folder, 'copy.sqlite')}' as copy`)
  return {
    query: async (text, values = []) => {
      const statement = connection.prepare(text.replaceAll('$', '?'))
      const given = values as SQLInputValue[]
      if (text.startsWith('select')) return { rows: statement.all(...given).map((row) => ({ ...row })), count: null }
      return { rows: [], count: Number(statement.run(...given).changes) }
    },
    close: async () => connection.close(),
  }
}

async function ask(text: string, ...values: unknown[]) {
  const database = await openDatabase()
  const { rows } = await database.query(text, values)
  await database.close()
  return rows
}

/** Runs statements, and dies before one of them: what its transaction did is gone. */
async function openStore(crashAt: number) {
  const database = await openDatabase()
  let count = 0
  const query: Query = async (text, values) => {
    if (++count === crashAt) throw new Crash(`at statement ${count}`)
    return database.query(text, values)
  }
  const name = String(own.id)
  const store: Store<Query> = {
    async load() {
      const { rows } = await query('select cursor from copy.cursors where name = $1', [name])
      return (rows[0]?.cursor as string | undefined) ?? null
    },
    async transaction(work) {
      await query('begin')
      await work(query)
      await query('commit')
    },
    async save(tx, next, previous) {
      const { count } = await (previous === null
        ? tx('insert into copy.cursors values ($1, $2) on conflict do nothing', [name, next])
        : tx('update copy.cursors set cursor = $2 where name = $1 and cursor = $3', [name, next, previous]))
      if (count !== 1) throw new Error('somebody else consumes here')
    },
  }
  return { store, close: database.close, count: () => count }
}

async function handle(tx: Query, item: Item<'clients' | 'projects'>) {
  if (item.kind === 'change') {
    // What must happen once hangs on the change; a second time would break the primary key.
    await tx('insert into copy.handled values ($1, 1)', [item.change.id])
  }
  const { records, record } = item.kind === 'record' ? item : item.change
  const isGone = item.kind === 'change' && /^(deleted|erased)$/.test(item.change.action)
  const id = item.kind === 'record' ? item.record.id : item.change.record_id
  await tx('delete from copy.records where records = $1 and id = $2', [records, id])
  if (record && !isGone) await tx('insert into copy.records values ($1, $2, null, $3)', [records, id, record.name])
}

/** Consumes all there is, crashing at the n-th statement of the n-th try, until a try ends. Returns how many crashed. */
async function consumeWithCrashes(): Promise<number> {
  for (let crashes = 0; ; crashes += 1) {
    const { store, close, count } = await openStore(crashes + 1)
    try {
      await client.consume(store, handle, { records: ['clients', 'projects'], once: true })
      expect(count()).toBeLessThanOrEqual(crashes)
      return crashes
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    } finally {
      await close()
    }
  }
}

const copied = async () => {
  const rows = await ask('select records, id, name from copy.records order by records, id')
  return rows.map(({ id, ...row }) => ({ ...row, id: Number(id) }))
}

async function served(): Promise<unknown[]> {
  const [clients, projects] = await Promise.all([client.clients.page(), client.projects.page()])
  const rows = (records: string, of: readonly { id: number; name: string }[]) =>
    of.map(({ id, name }) => ({ records, id, name }))
  return [...rows('clients', clients.records), ...rows('projects', projects.records)]
}

describe.each([
  { into: 'PostgreSQL', open: openPostgresql },
  { into: 'SQLite', open: openSqlite },
])('A program that consumes changes into $into', ({ open }) => {
  beforeAll(async () => {
    openDatabase = open
    if (open === openPostgresql) await ask('create schema copy')
    await ask('create table copy.cursors (name text primary key, cursor text not null)')
    await ask('create table copy.handled (id text primary key, times integer not null)')
    await ask(
      'create table copy.records (records text, id bigint, version integer, name text, primary key (records, id))',
    )
    own = await stage.company()
    client = connect({ baseUrl: stage.url, token: own.token })
  })

  test('has a copy of all records, and then each change exactly once, though it crashes at every statement.', async () => {
    const batch = client.batch({ mode: 'all' })
    const parent = batch.clients.create({ name: 'Parent' })
    for (let n = 0; n < 3; n += 1) batch.projects.create({ name: `Project ${n}`, client_id: parent })
    await batch.send()
    await untilTold(stage)
    expect(await consumeWithCrashes()).toBeGreaterThan(10)
    expect(await copied()).toEqual(await served())

    const { id } = await client.clients.create({ name: 'Later' })
    await client.clients.update(id, { name: 'Later still' })
    const { records } = await client.projects.page()
    await client.projects.delete(records[0]?.id as number)
    await untilTold(stage)
    expect(await consumeWithCrashes()).toBeGreaterThan(8)
    expect(await copied()).toEqual(await served())
    expect(await ask('select id from copy.handled')).toHaveLength(3)
  })

  test('goes on after what changed while it read the first copy, and forgets nothing.', async () => {
    own = await stage.company()
    client = connect({ baseUrl: stage.url, token: own.token })
    const first = await client.clients.create({ name: 'First' })
    const { store, close } = await openStore(0)
    let isChanged = false
    await client.consume(
      store,
      async (tx, item) => {
        if (!isChanged) {
          isChanged = true
          await client.clients.update(first.id, { name: 'Changed meanwhile' })
          await client.clients.create({ name: 'New meanwhile' })
          await untilTold(stage)
        }
        await handle(tx, item)
      },
      { records: ['clients', 'projects'], once: true },
    )
    await close()
    const names = await ask(
      "select name from copy.records where records = 'clients' and id >= $1 order by id",
      first.id,
    )
    expect(names).toEqual([{ name: 'Changed meanwhile' }, { name: 'New meanwhile' }])
  })

  test('is told that its cursor is gone, and begins anew once it has none.', async () => {
    // Of an epoch that this log has not come to.
    const gone = cursorOf(own.id, { epoch: 99, pos: '1', id: 0, line: null })
    await ask('update copy.cursors set cursor = $1 where name = $2', gone, String(own.id))
    const { store, close } = await openStore(0)
    const consuming = () => client.consume(store, handle, { records: ['clients'], once: true })
    await expect(consuming()).rejects.toMatchObject({ name: 'Refused', code: 'cursor_gone', status: 410 })
    await ask('delete from copy.cursors where name = $1', String(own.id))
    await consuming()
    await close()
  })

  test('ends where another program consumes into its store.', async () => {
    const { store, close } = await openStore(0)
    await client.clients.create({ name: 'One more' })
    await untilTold(stage)
    const rival: typeof store = {
      ...store,
      transaction: async (work) => {
        // Before the transaction begins: SQLite lets one write at a time.
        await ask("update copy.cursors set cursor = 'of another program' where name = $1", String(own.id))
        await store.transaction(work)
      },
    }
    await expect(client.consume(rival, handle, { once: true })).rejects.toThrow('somebody else consumes here')
    await close()
  })

  test('hears each change once, though the service is killed while it waits and begins anew.', async () => {
    own = await stage.company()
    const settings = { DATABASE_URL: urlOf(stage.connection), LOG_LEVEL: 'silent' }
    let service = await startProcess(settings)
    const { url } = service
    client = connect({ baseUrl: url, token: own.token })
    const { store, close } = await openStore(0)
    await client.consume(store, handle, { records: ['clients'], once: true })
    const signal = new AbortController()
    const names: unknown[] = []
    const watched = new EventEmitter()
    const consuming = client.consume(
      store,
      async (tx, item) => {
        await handle(tx, item)
        if (item.kind === 'change') names.push(item.change.record?.name)
        watched.emit('handled')
      },
      { records: ['clients'], signal: signal.signal },
    )
    await service.kill()
    await own.create('clients', { name: 'While it was away' })
    service = await startProcess({ ...settings, PORT: new URL(url).port })
    while (names.length === 0) await once(watched, 'handled')
    await own.create('clients', { name: 'Once it was back' })
    while (names.length === 1) await once(watched, 'handled')
    signal.abort(new Error('enough'))
    await expect(consuming).rejects.toThrow('enough')
    expect(names).toEqual(['While it was away', 'Once it was back'])
    await service.stop()
    await close()
  })
})
