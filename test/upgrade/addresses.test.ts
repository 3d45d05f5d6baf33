import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type App, createApp } from '#server/app.ts'
import { readConfig } from '#server/config/config.ts'
import { createAccount, setAccount } from '#server/service/account.ts'
import { hashPassword, openPasswordQueue } from '#server/service/password.ts'
import { signIn } from '#server/service/sign-in.ts'
import { migrate, migrateBack } from '#server/store/migrate.ts'
import { knownMigrations } from '#server/store/migration-files.ts'
import { oneKey } from '#server/store/seal.ts'
import { accountsOfOneAddress } from '#sql/system/accounts.ts'
import { createTestDatabase } from '../stage/database.ts'

/** A database as it was before invisible characters of an address did not count, with accounts that differ by them. */
const folder = join(import.meta.dirname, '../../migrations')
const migration = '0048-address-key'
const passwords = ['the first of the twins', 'the second of the twins', 'the third, of another firm']
let app: App
let database: Awaited<ReturnType<typeof createTestDatabase>>
let client: pg.Client

beforeAll(async () => {
  database = await createTestDatabase(inject('server'))
  const { connection } = database
  const names = await readdir(folder)
  await migrate(connection, () => {}, { count: names.filter((file) => file < migration).length })
  client = new pg.Client(connection)
  await client.connect()
  await client.query(
    "insert into companies (name, currency, plan, add_ons) values ('Quay', 'USD', 'PRO', '{api}'), ('Moor', 'USD', 'PRO', '{api}')",
  )
  for (const [index, [company, email]] of [
    [1, 'eve@quay.example'],
    [1, 'e\u200bve@quay.example'],
    [2, 'eve@quay.ex\u00adample'],
  ].entries())
    await client.query(
      'insert into accounts (company_id, name, email, permissions, password_hash) values ($1, $2, $3, $4, $5)',
      [company, `Eve ${index + 1}`, email, [], await hashPassword(passwords[index] as string)],
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

const whoIs = async (email: string, password: string) => {
  const origin = { device: null, peer: null, forwardedFor: null, plainName: true }
  const means = {
    database: app.database,
    passwords: openPasswordQueue({ atOnceMax: 1, waitMilliseconds: 60_000 }),
    keys: await app.secret.all(),
    now: new Date(),
    beside: () => {},
  }
  const from = { requestId: 'r', peer: null, forwardedFor: null, device: null }
  const choice = { accountId: null, companyId: null }
  const signedIn = await signIn(means, { email, password, choice, peer: undefined, devices: undefined, origin, from })
  return 'accountId' in signedIn ? signedIn.accountId : signedIn
}
const ordinals = async () =>
  (await client.query('select email_ordinal from accounts order by id')).rows.map((row) => row.email_ordinal)
const change = (id: number, wanted: Parameters<typeof setAccount>[3]) =>
  app.database.transaction((transaction) => setAccount(transaction, 1, id, wanted))
const taken = { particulars: { errors: [{ field: 'email', code: 'not_unique' }] } }

describe('Accounts whose addresses became equal', () => {
  test('are kept, and each signs in with its password, however its address is typed.', async () => {
    expect(await ordinals()).toEqual([0, 1, 0])
    for (const email of ['eve@quay.example', 'EVE@quay.example', 'e\u200bve@quay.example', 'eve@quay.ex\u00adample'])
      for (const [index, password] of passwords.entries()) expect(await whoIs(email, password)).toBe(index + 1)
  })

  test('are named by company and id.', async () => {
    expect(await app.database.read(accountsOfOneAddress(20))).toEqual([{ company_id: 1, ids: ['1', '2'] }])
  })

  test('can be changed in all else, and a write of either address is refused as taken.', async () => {
    await change(2, { name: 'Second Eve', email: 'e\u200bve@quay.example' })
    for (const id of [1, 2]) {
      await expect(change(id, { email: 'Eve@quay.example' })).rejects.toMatchObject(taken)
      await change(id, { permissions: [] })
    }
    await expect(
      app.database.transaction((transaction) =>
        createAccount(transaction, 1, { name: 'N', email: 'eve@quay.example', permissions: [] }),
      ),
    ).rejects.toMatchObject(taken)
    // An older process has only the index.
    const insert = "insert into accounts (company_id, name, email, permissions) values (1, 'N', $1, '{}')"
    await expect(client.query(insert, ['ev\u2060e@quay.example'])).rejects.toThrow(/accounts_email/)
  })

  test('stay so though the first gives the address up: it is still that of the second.', async () => {
    await change(1, { email: 'first@quay.example' })
    expect(await app.database.read(accountsOfOneAddress(20))).toEqual([])
    await expect(change(1, { email: 'eve@quay.example' })).rejects.toMatchObject(taken)
    await expect(
      app.database.transaction((transaction) =>
        createAccount(transaction, 1, { name: 'N', email: 'EVE@quay.example', permissions: [] }),
      ),
    ).rejects.toMatchObject(taken)
    await change(2, { email: 'eve@quay.example' })
    await change(2, { email: 'other@quay.example' })
    await change(1, { email: 'eve@quay.example' })
  })

  test('are apart again after the way back, and equal after the next way forward.', async () => {
    const before = (await knownMigrations()).filter((name) => name < migration).at(-1) as string
    expect(await migrateBack(database.connection, before)).toContain(migration)
    const insert = "insert into accounts (company_id, name, email, permissions) values (1, 'N', $1, '{}')"
    await expect(client.query(insert, ['ｅve@quay.example'])).rejects.toThrow(/accounts_email/)
    await client.query(insert, ['ev\u2060e@quay.example'])
    await migrate(database.connection, () => {})
    expect(await app.database.read(accountsOfOneAddress(20))).toMatchObject([
      { company_id: 1, ids: ['1', expect.any(String)] },
    ])
  })
})

test('An account takes no address in which a character does not show, and says which.', async () => {
  for (const [email, point] of [
    ['ad\u200ba@quay.example', 'U+200B'],
    ['ada@quay\u2800.example', 'U+2800'],
    ['\u202eada@quay.example', 'U+202E'],
  ] as const) {
    const refusal = {
      particulars: { errors: [{ field: 'email', code: 'invisible', message: expect.stringContaining(point) }] },
    }
    await expect(change(1, { email })).rejects.toMatchObject(refusal)
    await expect(
      app.database.transaction((transaction) => createAccount(transaction, 1, { name: 'N', email, permissions: [] })),
    ).rejects.toMatchObject(refusal)
  }
})
