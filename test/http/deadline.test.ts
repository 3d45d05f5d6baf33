import { createHook } from 'node:async_hooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchOperationsMax } from '#registry/limits.ts'
import { openDatabase } from '#server/store/database.ts'
import { liftTransactionTimeout } from '#sql/system/connection.ts'
import { openProxy } from '../stage/proxy.ts'
import { openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const limits = { connectionsMax: 4, statementTimeout: 10_000, lockTimeout: 8000, connectTimeout: 800 }
const openOwn = (more: Partial<typeof limits> = {}) => openDatabase(stage.connection, { ...limits, ...more }, () => {})
const show = (name: string) => ({ text: `select current_setting('${name}', true) as value`, values: [] })

test('The deadline of a batch makes no timer for a statement', async () => {
  const made: string[] = []
  const hook = createHook({ init: (_, type) => void made.push(type) })
  const statement = (n: number) => ({ name: 'one', text: 'select $1::int as n', values: [n] })
  await stage.inTransaction(async ({ run }) => {
    await run(statement(0))
    hook.enable()
    for (let n = 1; n <= 500; n++) expect(await run(statement(n))).toEqual([{ n }])
    hook.disable()
  })
  expect(made.length).toBeGreaterThan(500)
  // One for each statement would be 500. The jobs of the service, which runs beside, make some in a slow run.
  expect(made.filter((type) => /time|interval/i.test(type)).length).toBeLessThan(250)
})

describe('What is large and answered in several messages is not cut by it', () => {
  test(`a batch of ${batchOperationsMax} operations`, async () => {
    const own = await stage.company()
    const operations = Array.from({ length: batchOperationsMax }, (_, n) => ({
      ...{ op: 'create', records: 'clients', body: { name: `Client ${n}` } },
    }))
    const answer = await own.call('POST', '/v1/batch', { body: { mode: 'all', operations } })
    expect(answer).toMatchObject({ status: 200, body: { data: { done: batchOperationsMax } } })
  })

  test('a deletion of 5,000 records', async () => {
    const own = await stage.company()
    const id = await own.create('clients', { name: 'Large' })
    await stage.sql(
      `insert into contacts (company_id, client_id, name) select $1, $2, 'Person ' || n from generate_series(1, 5000) n`,
      ...[own.id, id],
    )
    expect((await own.call('DELETE', `/v1/clients/${id}`)).status).toBe(200)
    expect(
      await stage.sql('select from contacts where company_id = $1 and deleted_at is null limit 1', own.id),
    ).toEqual([])
  })
})

describe('The server ends by itself what a process that is cut off leaves behind', () => {
  test.each([
    { statementTimeout: 10_000, bound: '30s' },
    { statementTimeout: 20_000, bound: '44s' },
  ])('after $bound where a statement may take $statementTimeout ms', async ({ statementTimeout, bound }) => {
    const database = openOwn({ statementTimeout })
    expect(await database.read(show('idle_in_transaction_session_timeout'))).toEqual([{ value: bound }])
    // Known from PostgreSQL 17 on.
    expect([[{ value: bound }], [{ value: null }]]).toContainEqual(await database.read(show('transaction_timeout')))
    await database.close()
  })

  test.each(['idle_in_transaction_session_timeout', 'transaction_timeout'])(
    'by %s, and the call it meets is unavailable; the next one is served',
    async (setting) => {
      const database = openOwn({ connectionsMax: 1 })
      const [known] = await database.read<{ value: string | null }>(show(setting))
      if (known?.value !== null) {
        // Of the one connection that there is.
        await database.read({ text: `set ${setting} = 50`, values: [] })
        const ended = database.transaction(async ({ run }) => {
          const [session] = await run<{ pid: number }>({ text: 'select pg_backend_pid() as pid', values: [] })
          const left = () => stage.sql('select from pg_stat_activity where pid = $1', session?.pid)
          await expect.poll(left).toHaveLength(0)
          return run(show(setting))
        })
        await expect(ended).rejects.toMatchObject({ name: 'Fault', code: 'unavailable' })
      }
      expect(await database.read({ text: 'select 1 as one', values: [] })).toEqual([{ one: 1 }])
      await database.close()
    },
  )
})

test('A transaction that is rightly long is not ended for its age', async () => {
  const database = openOwn({ connectionsMax: 1 })
  const [known] = await database.read<{ value: string | null }>(show('transaction_timeout'))
  if (known?.value !== null) await database.read({ text: 'set transaction_timeout = 50', values: [] })
  const rows = await database.transaction(async ({ run, send }) => {
    send(liftTransactionTimeout())
    await run({ text: 'select pg_sleep(0.2)', values: [] })
    return run({ text: 'select 1 as one', values: [] })
  })
  expect(rows).toEqual([{ one: 1 }])
  await database.close()
})

test('To close a database waits for no connection that is silent', async () => {
  const network = await openProxy(stage.connection)
  const database = openDatabase({ connectionString: network.url }, limits, () => {})
  await Promise.all([1, 2, 3].map(() => database.transaction(({ run }) => run(show('port')))))
  network.fail('silent', 'all')
  const since = performance.now()
  await database.close()
  expect(performance.now() - since).toBeLessThan(limits.connectTimeout + 1000)
  await network.close()
})
