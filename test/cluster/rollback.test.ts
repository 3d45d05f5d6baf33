import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { inSteps } from '#server/store/citus/transaction.ts'
import { createStatementPipeline } from '#server/store/statement-pipeline.ts'
import { type Statement, sql, statement } from '#sql/statement.ts'

/** A transaction that failed ends with its rollback, whatever else is sent in that moment. */

const begin = statement(sql`begin`)
const fail = statement(sql`select 1 / 0`)
const table = statement(sql`create temporary table late (number integer)`)
const insert = statement(sql`insert into late values (1)`)
const count = statement(sql`select count(*)::int as count from late`)

async function openClient(): Promise<pg.Client> {
  const { workers: _, ...server } = inject('server')
  const client = new pg.Client(server)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test.each([
  ['one server', (pipeline: ReturnType<typeof createStatementPipeline>) => pipeline],
  ['several servers', inSteps],
])('What waits to be sent does not keep a rollback from being done, on %s.', async (_, talk) => {
  const client = await openClient()
  await createStatementPipeline(client).run(table)
  const { run, send, rollBack } = talk(createStatementPipeline(client))
  send(begin)
  await expect(run(fail)).rejects.toMatchObject({ code: '22012' })
  send(insert)
  await rollBack()
  await expect(run(insert)).rejects.toThrow('the transaction is rolled back')
  expect(await createStatementPipeline(client).run(count)).toEqual([{ count: 0 }])
})

test('A statement in steps that is under way as its transaction is rolled back does nothing afterwards.', async () => {
  const client = await openClient()
  await createStatementPipeline(client).run(table)
  const { run, send, rollBack } = inSteps(createStatementPipeline(client))
  const going = Promise.withResolvers<void>()
  const stepped: Statement = {
    ...insert,
    distributed: async (now) => ({ rows: going.promise.then(() => now(insert)) }),
  }
  send(begin)
  const late = run(stepped)
  await expect(run(fail)).rejects.toMatchObject({ code: '22012' })
  await rollBack()
  going.resolve()
  await expect(late).rejects.toThrow('the transaction is rolled back')
  expect(await createStatementPipeline(client).run(count)).toEqual([{ count: 0 }])
})
