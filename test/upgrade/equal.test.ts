import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { type App, createApp } from '#server/app.ts'
import { checkEqual } from '#server/commands/check-equal.ts'
import { readConfig } from '#server/config/config.ts'
import { operator } from '#server/records/actor.ts'
import { upsert } from '#server/records/upsert.ts'
import { type Command, createOne, runLocked, updateOne } from '#server/records/write-record.ts'
import { migrate, migrateBack } from '#server/store/migrate.ts'
import { knownMigrations } from '#server/store/migration-files.ts'
import { oneKey } from '#server/store/seal.ts'
import { createTestDatabase } from '../stage/database.ts'

/** A database as it was before unique values were compared as people see them, with records that become equal. */

const migration = '0051-equal-keys'
const projects = definitionOf(registry, 'projects') as Definition
let app: App
let database: Awaited<ReturnType<typeof createTestDatabase>>
let client: pg.Client

beforeAll(async () => {
  database = await createTestDatabase(inject('server'))
  const { connection } = database
  const names = await readdir(join(import.meta.dirname, '../../migrations'))
  await migrate(connection, () => {}, { count: names.filter((file) => file < migration).length })
  client = new pg.Client(connection)
  await client.connect()
  await client.query("insert into companies (name, currency, plan, add_ons) values ('Quay', 'USD', 'PRO', '{api}')")
  await client.query(`insert into projects (company_id, name, code, external_ref, status) values
    (1, 'ΟΔΟΣ Ερμού', 'ΟΔΟΣ-1', null, 'ACTIVE'), (1, 'Two', 'οδος-1', U&'Cafe\\0301', 'ACTIVE'),
    (1, 'Three', null, 'CAFÉ', 'ACTIVE'), (1, U&'Ufer\\00admauer', 'P-4', null, 'ACTIVE')`)
  await client.query("insert into clients (company_id, name, phone, status) values (1, 'Ada', '0221 555010', 'ACTIVE')")
  await client.query(
    "insert into subcontractors (company_id, name, retention_pct, status) values (1, 'T', 8.25, 'ACTIVE')",
  )
  await migrate(connection, () => {})
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent' })
  app = createApp(config, connection, oneKey('the sealing key of the tests, long enough'))
})
afterAll(async () => {
  await client?.end()
  await app?.meter.close()
  await app?.database.close()
  await database.drop()
})

type Written = { id?: number; reference?: string; body: JsonObject }

const commands = {
  create: ({ body }: Written) => createOne(1, projects, { body }),
  update: ({ id = 0, body }: Written) => updateOne(1, projects, { id, body }),
  upsert: ({ reference = '', body }: Written) => upsert(1, projects, { reference, body, expected: undefined }),
}

const write = (command: keyof typeof commands, written: Written): Promise<unknown> =>
  app.database.transaction((transaction) =>
    runLocked(transaction, operator(1), commands[command](written) as Command<unknown>),
  )
const taken = (field: string) => ({ particulars: { errors: [{ field, code: 'not_unique' }] } })
const column = async (text: string): Promise<unknown[]> =>
  (await client.query({ text, rowMode: 'array' })).rows.map(([value]) => value)

describe('Records whose unique values became equal', () => {
  test('are kept, and doctor names them by company, field and id.', async () => {
    expect(await column('select code from projects order by id')).toEqual(['ΟΔΟΣ-1', 'οδος-1', null, 'P-4'])
    const { warning, says } = await checkEqual(app.database)
    expect(warning).toBe(true)
    expect(says).toContain('code of projects 1 and 2 of company 1; external_ref of projects 2 and 3 of company 1')
  })

  test('can be changed in all else, and a write of either value is refused as taken.', async () => {
    for (const id of [1, 2]) {
      await write('update', { id, body: { notes: `seen ${id}` } })
      await expect(write('update', { id, body: { code: 'Οδος-1' } })).rejects.toMatchObject(taken('code'))
    }
    await expect(write('create', { body: { name: 'N', code: 'ΟΔΟΣ-1' } })).rejects.toMatchObject(taken('code'))
    // An older process has only the index.
    const insert = "insert into projects (company_id, name, code, status) values (1, 'N', $1, 'ACTIVE')"
    await expect(client.query(insert, ['οδοσ-1'])).rejects.toThrow(/projects_code_live/)
  })

  test('are told apart by how a reference is spelled.', async () => {
    for (const [reference, id] of [
      ['Cafe\u0301', 2],
      ['CAFÉ', 3],
      ['café', expect.any(Number)],
    ] as const)
      expect(await write('upsert', { reference, body: { notes: reference } })).toMatchObject({ id, created: false })
    expect(await column('select notes from projects where id in (2, 3) order by id')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(Cafe\u0301|café)$/)]),
    )
  })

  test('stay so though the first gives its value up: it is that of the second, until that has another one, too.', async () => {
    await write('update', { id: 1, body: { code: 'first' } })
    await expect(write('update', { id: 1, body: { code: 'ΟΔΟΣ-1' } })).rejects.toMatchObject(taken('code'))
    await write('update', { id: 2, body: { code: 'second' } })
    await expect(write('create', { body: { name: 'N', code: 'SECOND' } })).rejects.toMatchObject(taken('code'))
    await write('update', { id: 1, body: { code: 'ΟΔΟΣ-1' } })
    await write('update', { id: 3, body: { external_ref: 'third' } })
    expect(await checkEqual(app.database)).toMatchObject({ ok: true, says: expect.not.stringContaining('people') })
  })
})

test('What is stored is searched as what is written after the upgrade.', async () => {
  for (const word of ['οδος', 'ufermauer'])
    expect(await column(`select count(*)::int from projects where search like containing('${word}')`)).toEqual([1])
  expect(
    await column(
      "select count(*)::int from clients where phone_keys(company_id, phone) @> phone_key(1, '+49 221 555010')",
    ),
  ).toEqual([1])
})

test('The way back keeps the records, and cuts what the older version does not know.', async () => {
  await client.query('update subcontractors set retention_pct = 8.875 where company_id = 1')
  await client.query("update clients set phone = '+49 221 555010 extension' where company_id = 1")
  const before = (await knownMigrations()).filter((name) => name < '0050').at(-1) as string
  expect(await migrateBack(database.connection, before)).toContain(migration)
  expect(await column('select retention_pct::text from subcontractors')).toEqual(['8.88'])
  expect(await column('select phone from clients')).toEqual(['+49 221 555010 exten'])
  await client.query("insert into projects (company_id, name, code, status) values (1, 'N', 'οδος-1', 'ACTIVE')")
  await migrate(database.connection, () => {})
  expect(await checkEqual(app.database)).toMatchObject({ warning: true })
})
