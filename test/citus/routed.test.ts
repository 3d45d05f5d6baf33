import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { distributedSession } from '#server/store/citus/distribution.ts'
import { sessionOptions } from '#server/store/session.ts'
import type { BatchableRead } from '#sql/batchable.ts'
import type { Run, Statement } from '#sql/statement.ts'
import { everyStatement } from '../../bench/plans/statements/index.ts'
import { freshDatabase } from '../stage/database.ts'
import { isUnrouted } from './unrouted.ts'

/**
 * Each statement in the form in which a distributed database is asked it: the coordinator sends it whole to the one
 * server that has the company. Those that are about no company, or about all, are listed.
 */
let database: Awaited<ReturnType<typeof freshDatabase>>
let client: pg.Client
beforeAll(async () => {
  database = await freshDatabase()
  const limits = { connectionsMax: 1, statementTimeout: 60_000, lockTimeout: 8000, connectTimeout: 5000 }
  const { workers: _, ...connection } = database.connection
  client = new pg.Client({ ...connection, options: sessionOptions(limits) })
  await client.connect()
  await client.query(distributedSession)
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

/** The statements that are really asked for one, each with how the coordinator has it done; undone in the end. */
async function plansOf(asked: Statement | BatchableRead): Promise<{ name: string; text: string; plan: string }[]> {
  const plans: { name: string; text: string; plan: string }[] = []
  const explain = async ({ name, text, values }: Statement): Promise<void> => {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>({ text: `explain (costs off) ${text}`, values })
    plans.push({ name: name ?? text, text, plan: rows.map((row) => row['QUERY PLAN']).join('\n') })
  }
  let turn: Promise<unknown> = Promise.resolve()
  const run = ((statement: Statement) => {
    if (statement.distributed)
      return statement.distributed(run).then((done) => ('rows' in done ? done.rows : (done as unknown[])))
    const asked = turn.then(() => ask(statement))
    turn = asked.catch(() => undefined)
    return asked
  }) as Run
  const ask = async (statement: Statement): Promise<unknown[]> => {
    await explain(statement)
    await client.query('savepoint asked')
    try {
      const { rows } = await client.query({ text: statement.text, values: statement.values })
      return rows.length > 0 || !statement.text.includes('returning') ? rows : [{}]
    } catch (error) {
      // There is no such company. What matters is how it would have been done.
      if (!/^23/.test((error as pg.DatabaseError).code ?? '')) throw error
      await client.query('rollback to savepoint asked')
      return [{}]
    }
  }
  await client.query('begin')
  try {
    await run(asked.batchable ? asked.alone() : asked)
  } finally {
    await client.query('rollback')
  }
  return plans
}

describe('A statement goes to one server', () => {
  test.each(everyStatement)('%s', async (_, statements) => {
    const strayed: string[] = []
    for (const statement of statements) {
      const plans = await plansOf(statement).catch((error: Error) => [
        { name: statement.name ?? statement.text, text: statement.text, plan: `failed: ${error.message}` },
      ])
      for (const { name, text, plan } of plans) {
        const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => count).join()
        const isRouted = tasks === '1' && !/Distributed Subplan|pull to coordinator/.test(plan)
        if (!isRouted && !isUnrouted({ name: name === text ? undefined : name, text })) strayed.push(`${name}: ${plan}`)
      }
    }
    expect(strayed).toEqual([])
  })
})
