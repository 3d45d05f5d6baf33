import type pg from 'pg'
import type { Statement } from '#sql/statement.ts'
import { advanceEpoch, selectIdentity } from '#sql/system/log.ts'
import { distributedSession } from './citus/distribution.ts'

/**
 * Whether companies are distributed; the log of each then tells itself by the server that it is on.
 * Before a new connection may write: where the database is another than the one that the log was written in, a new
 * epoch begins. Transaction ids there say nothing of those of before. Decisions, Changes.
 */
export async function keepLog(client: pg.ClientBase, timeout: number): Promise<boolean> {
  const ask = ({ text, values }: Statement) => client.query({ text, values, query_timeout: timeout } as pg.QueryConfig)
  const say = (text: string) => ask({ text, values: [] })
  const { isOurs, isDistributed } = await look(ask)
  if (isDistributed) await say(distributedSession)
  if (isOurs || isDistributed) return isDistributed
  await say('begin isolation level read committed')
  try {
    // Waits for everybody who writes, and lets nobody write until the epoch is there.
    await say('lock table history in share row exclusive mode')
    await ask(advanceEpoch())
    await say('commit')
    return false
  } catch (error) {
    await say('rollback').catch(() => {})
    throw error
  }
}

type StatementRunner = (statement: Statement) => Promise<pg.QueryResult>

/** A database that has no log yet, as before its first migration, has nothing to keep; one in recovery takes no writes. */
async function look(ask: StatementRunner): Promise<{ isOurs: boolean; isDistributed: boolean }> {
  try {
    const { rows } = await ask(selectIdentity())
    return { isOurs: rows[0]?.same !== false, isDistributed: rows[0]?.distributed === true }
  } catch (error) {
    if (nothingToKeep.has((error as pg.DatabaseError).code ?? '')) return { isOurs: true, isDistributed: false }
    throw error
  }
}

/** undefined_table, and object_not_in_prerequisite_state, which a server in recovery says. */
const nothingToKeep = new Set(['42P01', '55000'])
