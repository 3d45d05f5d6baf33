import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { openApp } from '#server/app.ts'
import { readConfig } from '#server/config/config.ts'
import { allowanceOf, fitConnections } from '#server/store/allowance.ts'
import { openDatabase } from '#server/store/database.ts'
import { jsonOf, openDatabaseStage, type Stage } from '../command/stage.ts'
import { send } from '../stage/http.ts'
import { openOwnServer } from '../stage/own-server.ts'
import type { Server } from '../stage/postgres.ts'
import { type Process, startProcess, urlOf } from '../stage/process.ts'
import { eventually, pause } from '../stage/wait.ts'
import { headersOf } from './own-database.ts'

/** The connections that the database gives, and the password that it gives them for. */

let stage: Stage
let connection: Server
let close: () => Promise<void>
beforeAll(async () => {
  ;({ stage, connection, close } = await openDatabaseStage())
})
afterAll(() => close())

async function asOwner(text: string, database = connection.database): Promise<void> {
  const client = new pg.Client({ ...inject('server'), database })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

/** The database takes so many connections, until the test is over. */
async function limited(count: number): Promise<void> {
  await asOwner(`alter database ${connection.database} connection limit ${count}`)
  onTestFinished(() => asOwner(`alter database ${connection.database} connection limit -1`, 'postgres'))
}

const url = () => ({ DATABASE_URL: urlOf(connection) })

test('A service that is given fewer connections than it asks for takes what there is, and says so.', async () => {
  await limited(12)
  const opened = await openApp(readConfig({ ...stage.environment, ...url(), LOG_LEVEL: 'silent' }), () => {})
  try {
    expect(opened.connections).toEqual({
      connectionsMax: 7,
      isTooFew: false,
      sentence:
        'The database gives 12 connections (the connection limit of the database), and 5 of them are for shared reads, migrations and commands: 7 of the 20 of DATABASE_CONNECTIONS are used; lower DATABASE_CONNECTIONS, or raise that limit.',
    })
    const asking = Array.from({ length: 60 }, () =>
      opened.app.database.transaction(({ run }) => run({ text: 'select pg_sleep(0.005)', values: [] })),
    )
    expect((await Promise.allSettled(asking)).filter(({ status }) => status === 'rejected')).toEqual([])
  } finally {
    await opened.close()
  }
})

test('A service that is given too few connections does not start, and doctor says why.', async () => {
  await limited(6)
  const sentence =
    'The database gives 6 connections (the connection limit of the database), and 5 of them are for shared reads, migrations and commands, so 1 are left where PROCESSES=1 needs 2: raise that limit.'
  const { code, err } = await stage.give(['serve'], { ...url(), PORT: '0', LOG_LEVEL: 'silent' })
  expect({ code, err }).toEqual({ code: 3, err: `${sentence}\n` })
  const { out } = await stage.give(['doctor', '--json'], url())
  expect(JSON.parse(out).checks).toContainEqual({ name: 'connections', ok: false, says: sentence })
})

test.for([
  [{ server: 97, database: -1, role: -1 }, 97],
  [{ server: 97, database: 40, role: -1 }, 40],
  [{ server: 97, database: 40, role: 10 }, 10],
])('Of %j the least counts.', ([limits, most]) => {
  expect(allowanceOf(limits as Parameters<typeof allowanceOf>[0]).most).toBe(most)
})

test('Several processes are counted with the connections that each needs beside.', () => {
  const fit = (most: number, processes: number) =>
    fitConnections({ connectionsMax: 20, processes }, { most, source: 'x' })
  expect(fit(97, 4)).toMatchObject({ connectionsMax: 20, sentence: null })
  expect(fit(30, 4)).toMatchObject({ connectionsMax: 16, isTooFew: false })
  expect(fit(20, 4)).toMatchObject({
    connectionsMax: 8,
    isTooFew: true,
    sentence: expect.stringContaining('lower PROCESSES'),
  })
})

test('A database that has no connection left is waited for, as for a place in the pool.', async () => {
  await limited(2)
  const others = await Promise.all(
    [1, 2].map(async () => {
      const other = new pg.Client(connection)
      await other.connect()
      return other
    }),
  )
  const limits = { connectionsMax: 4, statementTimeout: 5000, lockTimeout: 5000 }
  const [patient, hasty] = [5000, 100].map((connectTimeout) =>
    openDatabase(connection, { ...limits, connectTimeout }, () => {}),
  )
  onTestFinished(() => Promise.all([patient?.close(), hasty?.close()]).then(() => undefined))
  const statement = { text: 'select 1 as one', values: [] }
  await expect(hasty?.read(statement)).rejects.toMatchObject({ code: 'unavailable', cause: { code: '53300' } })
  let isAnswered = false
  const answer = patient?.read(statement).then((rows) => {
    isAnswered = true
    return rows
  })
  await expect(hasty?.read(statement)).rejects.toMatchObject({ code: 'unavailable' })
  expect(isAnswered).toBe(false)
  await Promise.all(others.map((other) => other.end()))
  expect(await answer).toEqual([{ one: 1 }])
})

test('A rotated password is read from its file; while the file is empty or missing calls are refused, and no connection is left.', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-password-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'password')
  const { password: right, ...server } = connection
  const address = `${urlOf({ ...server, password: '' }).replace('&password=', '')}`
  const limits = { connectionsMax: 2, statementTimeout: 5000, lockTimeout: 5000, connectTimeout: 2000 }
  const ask = async (): Promise<unknown> => {
    const database = openDatabase({ connectionString: address, passwordFile: file }, limits, () => {})
    return database.read({ text: 'select 1 as one', values: [] }).finally(() => database.close())
  }
  await expect(ask()).rejects.toMatchObject({ code: 'unavailable', cause: { code: 'ENOENT', path: file } })
  await writeFile(file, '\n')
  await expect(ask()).rejects.toMatchObject({ code: 'unavailable', cause: { code: 'empty', path: file } })
  await writeFile(file, 'another one\n')
  await expect(ask()).rejects.toMatchObject({ code: 'unavailable', cause: { code: '28P01' } })
  await writeFile(file, `${right}\nand nothing of this line`)
  expect(await ask()).toEqual([{ one: 1 }])
  await eventually(async () => {
    const client = new pg.Client(connection)
    await client.connect()
    const { rows } = await client.query(
      "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name = 'plumbline'",
    )
    await client.end()
    expect(rows).toEqual([])
  })
})

describe('A server whose max_connections are all taken', () => {
  let own: Awaited<ReturnType<typeof openOwnServer>>
  let service: Process
  let token: string
  const others: pg.Client[] = []
  const ownUrl = () => ({ DATABASE_URL: urlOf(own.server) })

  beforeAll(async () => {
    own = await openOwnServer({ max_connections: 16, superuser_reserved_connections: 3 })
    service = await startProcess({ ...stage.environment, ...ownUrl(), CONNECT_TIMEOUT_MS: '300' })
    const give = async (...words: string[]) => jsonOf(await stage.give([...words, '--json'], ownUrl()))
    await give('company', 'create', '--name', 'A', '--plan', 'ENTERPRISE', '--add-ons', 'all')
    await give('account', 'create', '--company', '1', '--name', 'A', '--email', 'a@a.example', '--permissions', 'all')
    const issued = await give('token', 'issue', '--company', '1', '--account', '1', '--label', 'x', '--scopes', 'all')
    token = issued.token as string
    await takeAll()
  })
  afterAll(async () => {
    await release()
    await service.stop()
    await own.close()
  })

  /**
   * Takes every connection that the server gives to our user, those of the service too. Of two that begin at the same moment
   * both may be refused, and one is free: so it is full when we alone were refused, several times in a row.
   */
  async function takeAll(): Promise<void> {
    for (let refusals = 0; refusals < 5; ) {
      const other = new pg.Client(own.server)
      try {
        await other.connect()
        others.push(other)
        refusals = 0
      } catch (error) {
        expect(error).toMatchObject({ code: '53300' })
        const { rowCount } = await others[0]!.query(
          "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'plumbline'",
        )
        refusals = rowCount === 0 ? refusals + 1 : 0
        // The one that was refused is still on its way out.
        await pause(50)
      }
    }
  }
  const release = () => Promise.all(others.splice(0).map((other) => other.end()))
  const create = () => {
    const body = JSON.stringify({ name: 'Lighthouse' })
    return send(service.url, { method: 'POST', path: '/v1/clients', headers: headersOf(token, 'once'), body })
  }

  test('is told in a sentence by the start, by migrate and by doctor.', async () => {
    const [serving, migrating, doctor] = await Promise.all([
      stage.give(['serve'], { ...ownUrl(), PORT: '0', LOG_LEVEL: 'silent' }),
      stage.give(['migrate'], ownUrl()),
      stage.give(['doctor', '--json'], ownUrl()),
    ])
    // Of several who try at once one may find the slots of the superuser in use as well.
    const reasons = [
      'remaining connection slots are reserved for roles with the SUPERUSER attribute',
      'sorry, too many clients already',
    ]
    const sentences = reasons.map(
      (reason) => `The database has no connection left (${reason}): raise its limit, or lower DATABASE_CONNECTIONS.`,
    )
    for (const { err, ...ended } of [serving, migrating]) {
      expect(ended).toEqual({ code: 3, out: '' })
      expect(sentences.map((sentence) => `${sentence}\n`)).toContain(err)
    }
    expect(doctor.code).toBe(1)
    const database = JSON.parse(doctor.out).checks.find(({ name }: { name: string }) => name === 'database')
    expect(database).toEqual({ name: 'database', ok: false, says: expect.any(String) })
    expect(sentences).toContain(database.says)
  })

  test('lets a running service refuse calls until there is a connection again, and each is answered.', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, create))
    for (const { status, headers, body } of answers) {
      expect({ status, retryAfter: headers['retry-after'], code: body.code }).toEqual({
        status: 503,
        retryAfter: expect.stringMatching(/^\d+$/),
        code: 'unavailable',
      })
    }
    expect((await send(service.url, { method: 'GET', path: '/readyz' })).status).toBe(503)
    expect(service.log()).toContain('remaining connection slots are reserved')
    await release()
    await eventually(async () => expect((await create()).status).toBe(201))
    expect((await create()).headers['idempotency-replayed']).toBe('true')
  })
})
