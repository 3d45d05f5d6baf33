import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { App } from '#server/app.ts'
import { createApp } from '#server/app.ts'
import { readConfig } from '#server/config/config.ts'
import type { ListeningServer } from '#server/http/listen.ts'
import { serve } from '#server/serve.ts'
import { setAccount } from '#server/service/account.ts'
import { hashPassword } from '#server/service/password.ts'
import { migrate } from '#server/store/migrate.ts'
import { oneKey } from '#server/store/seal.ts'
import { createTestDatabase } from '../stage/database.ts'
import { send } from '../stage/http.ts'

/** A database as it was before addresses became those of a company, with accounts, sessions and tokens in it. */
const folder = join(import.meta.dirname, '../../migrations')
const passwords = ['the first of the twins', 'the second of the twins', 'a word of another firm']
let app: App
let database: Awaited<ReturnType<typeof createTestDatabase>>
let listening: ListeningServer
let sessionText: string

beforeAll(async () => {
  database = await createTestDatabase(inject('server'))
  const { connection } = database
  const count = (await readdir(folder)).filter((file) => file < '0006').length
  await migrate(connection, () => {}, { count })
  const client = new pg.Client(connection)
  await client.connect()
  await fill(client)
  await client.end()
  await migrate(connection, () => {})
  app = createApp(
    readConfig({ PORT: '0', LOG_LEVEL: 'silent' }),
    connection,
    oneKey('the sealing key of the tests, long enough'),
  )
  listening = await serve(app)
})
afterAll(async () => {
  await listening?.drain()
  await app?.meter.close()
  await app?.database.close()
  await database.drop()
})

async function fill(client: pg.Client): Promise<void> {
  await client.query(
    "insert into companies (name, currency, plan, add_ons) values ('Quay', 'USD', 'PRO', '{api}'), ('Moor', 'USD', 'PRO', '{api}')",
  )
  const account =
    'insert into accounts (company_id, name, email, permissions, password_hash) values ($1, $2, $3, $4, $5)'
  const [first, second, third] = await Promise.all(passwords.map(hashPassword))
  const held = ['API_MANAGE']
  await client.query(account, [1, 'Finn', 'finn@quay.example', held, first])
  await client.query(account, [1, 'Other Finn', 'ﬁnn@quay.example', held, second])
  await client.query(account, [2, 'Wide Finn', 'ｆｉｎｎ@quay.example', held, third])
  const bytes = Buffer.alloc(38)
  bytes.writeUIntBE(1, 0, 6)
  randomBytes(32).copy(bytes, 6)
  sessionText = bytes.toString('base64url')
  await client.query(
    "insert into sessions (company_id, id_hash, account_id, expires_at) values (1, sha256($1::bytea), 2, now() + interval '1 day')",
    [sessionText],
  )
  const token =
    "insert into tokens (company_id, id, account_id, label, scopes, allowlist, hash, sealed, revoked_at) values (1, $1, 1, 'T', '{}', '{}', $2, '', $3)"
  const history =
    "insert into history (company_id, account_id, door, records, record_id, action) values (1, $1, $2, 'tokens', $3, $4)"
  for (const [id, by, door, action] of [
    [1, 2, 'web', 'issued'],
    [2, null, 'command', 'rotated'],
    [3, 1, 'web', 'rotated'],
  ] as const) {
    await client.query(token, [id, randomBytes(32), id === 3 ? null : new Date()])
    await client.query(history, [by, door, id, action])
  }
  await client.query(history, [2, 'web', 3, 'shown'])
}

const signIn = (email: string, password: string) =>
  send(listening.url, {
    method: 'POST',
    path: '/console/session',
    headers: [
      ['Content-Type', 'application/json'],
      ['Sec-Fetch-Site', 'same-origin'],
    ],
    body: JSON.stringify({ email, password }),
  })
const sql = <Row>(text: string): Promise<Row[]> => app.database.read<Row>({ text, values: [] })

describe('An installation that there is', () => {
  test('keeps accounts whose addresses are now the same, and each signs in with its password', async () => {
    for (const email of ['finn@quay.example', 'ﬁnn@quay.example', 'FINN@QUAY.EXAMPLE']) {
      const names = []
      for (const password of passwords) names.push((await signIn(email, password)).body.data?.account.name)
      expect(names).toEqual(['Finn', 'Other Finn', 'Wide Finn'])
    }
  })

  test('takes no third account of such an address, and one that gives it up has given it up', async () => {
    const insert = (email: string) =>
      sql(`insert into accounts (company_id, name, email, permissions) values (1, 'N', '${email}', '{}')`)
    await expect(insert('Finn@quay.example')).rejects.toThrow(/accounts_email/)
    const ordinals = async () =>
      (await sql<{ email_ordinal: number }>('select email_ordinal from accounts order by id')).map(
        (row) => row.email_ordinal,
      )
    const change = (wanted: { name?: string; email?: string }) =>
      app.database.transaction((transaction) => setAccount(transaction, 1, 2, wanted))
    expect(await ordinals()).toEqual([0, 1, 0])
    await change({ name: 'Another Finn', email: 'ﬁnn@quay.example' })
    await expect(change({ email: 'FINN@quay.example' })).rejects.toMatchObject({ code: 'validation_failed' })
    await change({ name: 'Other Finn' })
    expect(await ordinals()).toEqual([0, 1, 0])
    await change({ email: 'other@quay.example' })
    expect(await ordinals()).toEqual([0, 0, 0])
    await expect(change({ email: 'finn@quay.example' })).rejects.toMatchObject({ code: 'validation_failed' })
  })

  test('keeps its sessions, of which it is not known where they began', async () => {
    const headers: [string, string][] = [['Cookie', `plumbline_session=${sessionText}`]]
    const me = await send(listening.url, { method: 'GET', path: '/console/me', headers })
    expect(me.body.data.account.name).toBe('Other Finn')
    const list = await send(listening.url, { method: 'GET', path: '/console/sessions', headers })
    expect(list.body.data.find(({ is_this }: { is_this: boolean }) => is_this)).toMatchObject({
      device: null,
      peer: null,
    })
    const [row] = await sql<{ all: boolean }>(
      "select plain_name_until = 'infinity' as all from sessions where device is null",
    )
    expect(row?.all).toBe(true)
  })

  test('knows of its tokens who issued them', async () => {
    const rows = await sql<{ issued_by: number | null }>('select issued_by from tokens order by id')
    expect(rows.map((row) => row.issued_by)).toEqual([2, null, 1])
  })
})
