import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { clients } from '#registry/resources/clients.ts'
import { type App, createApp } from '#server/app.ts'
import { readConfig } from '#server/config/config.ts'
import { operator } from '#server/records/actor.ts'
import { createRecord } from '#server/records/write-record.ts'
import { cursorOf, readChanges, readCursor } from '#server/service/changes.ts'
import { createCompany } from '#server/service/company.ts'
import { createWebhook } from '#server/service/webhooks.ts'
import { migrate, migrateBack } from '#server/store/migrate.ts'
import { oneKey } from '#server/store/seal.ts'
import { sendDue } from '#server/webhooks/start.ts'
import { createTestDatabase } from '../stage/database.ts'
import { untilTold } from '../stage/wait.ts'
import { openReceiver } from '../webhooks/receiver.ts'

/** The last migration of the release before cursors had lines. */
const beforeLines = '0017-imports'

test('A cursor and a webhook of the release before lines go on after the upgrade without a gap and without a repeat.', async () => {
  const { connection, drop } = await createTestDatabase(inject('server'))
  const client = new pg.Client(connection)
  await client.connect()
  const receiver = await openReceiver()
  onTestFinished(async () => {
    await receiver.close()
    await client.end()
    await drop()
  })
  const sql = async <Row>(text: string): Promise<Row[]> => (await client.query(text)).rows
  const told = () => untilTold({ sql: (text) => sql(text), connection })
  const config = readConfig({ LOG_LEVEL: 'silent', WEBHOOK_NETWORKS: '127.0.0.1' })
  const using = async <T>(work: (app: App) => Promise<T>): Promise<T> => {
    const app = createApp(config, connection, oneKey('the sealing key of the tests, long enough'))
    try {
      return await work(app)
    } finally {
      await app.meter.close()
      await app.database.close()
    }
  }
  const received = () => receiver.got.map(({ data }) => data.record.name)
  const send = async (app: App) => {
    await told()
    while ((await sendDue(app)) > 0) {
      // The next.
    }
  }

  await migrate(connection, () => {})
  const { companyId, cursor } = await using(async (app) => {
    const { id: companyId } = await app.database.transaction((transaction) =>
      createCompany(transaction, { fields: { name: 'Quay' }, plan: 'STARTER', addOns: ['api'] }),
    )
    const actor = operator(companyId)
    await app.database.transaction((transaction) =>
      createWebhook(
        transaction,
        { actor, keys: app.secret, now: app.clock.now() },
        { name: 'Ledger', url: receiver.url, events: ['clients.created'], payload: 'full', ordered: true },
      ),
    )
    for (const name of ['A', 'B'])
      await app.database.transaction((transaction) => createRecord(transaction, actor, clients, { name }))
    await send(app)
    const { next } = await readChanges(app.database, { companyId, after: null, limit: 1, keptDays: 30 })
    return { companyId, cursor: cursorOf(companyId, { ...readCursor(companyId, next), line: null }) }
  })
  expect(received()).toEqual(['A', 'B'])

  await migrateBack(connection, beforeLines)
  // As that release writes its log, which has no lines: the first record once more.
  await client.query(`insert into history (company_id, door, records, record_id, action, version)
    select company_id, 'api', 'clients', id, 'created', 2 from clients where name = 'A'`)
  await migrate(connection, () => {})

  await using(async (app) => {
    await app.database.transaction((transaction) =>
      createRecord(transaction, operator(companyId), clients, { name: 'D' }),
    )
    await send(app)
    const { changes, next } = await readChanges(app.database, { companyId, after: cursor, limit: 100, keptDays: 30 })
    expect(changes.map(({ record }) => record?.name)).toEqual(['B', 'A', 'D'])
    expect((await readChanges(app.database, { companyId, after: next, limit: 100, keptDays: 30 })).changes).toEqual([])
  })
  expect(received()).toEqual(['A', 'B', 'A', 'D'])
  const webhooks = 'select resync_since, log_line = (select line from log_epochs) as current from webhook_endpoints'
  expect(await sql(webhooks)).toEqual([{ resync_since: null, current: true }])

  // A process of that release beside this one moves the cursor on and begins an epoch, and knows of no line.
  await client.query(
    "insert into log_epochs (epoch, identity) select max(epoch) + 1, 'of the older process' from log_epochs",
  )
  const lines = await sql<{ line: string }>('select line from log_epochs order by epoch')
  expect(new Set(lines.map(({ line }) => line)).size).toBe(2)
})
