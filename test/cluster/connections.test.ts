import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { openApp } from '#server/app.ts'
import { readConfig } from '#server/config/config.ts'
import { allowanceOf, fitConnections } from '#server/store/allowance.ts'
import { openDatabase } from '#server/store/database.ts'
import { makeStage, type Stage } from '../command/stage.ts'
import { freshDatabase } from '../stage/database.ts'
import type { Server } from '../stage/postgres.ts'
import { urlOf } from '../stage/process.ts'
import { eventually } from '../stage/wait.ts'

/** The connections that the database gives, and the password that it gives them for. */

let stage: Stage
let connection: Server
let drop: () => Promise<void>
beforeAll(async () => {
  stage = await makeStage()
  const database = await freshDatabase()
  connection = database.connection
  drop = database.drop
})
afterAll(async () => {
  await drop()
  await stage.clear()
})

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
  expect({ code, err }).toEqual({ code: 1, err: `${sentence}\n` })
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
