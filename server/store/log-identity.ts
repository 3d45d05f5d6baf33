import type pg from 'pg'
import type { Statement } from '#sql/statement.ts'
import { advanceEpoch, selectIdentity } from '#sql/system/log.ts'
import { distributedSession } from './citus/distribution.ts'
import { Fault } from './faults.ts'

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

/**
 * A database that has no log yet, as before its first migration, has nothing to keep. A server in recovery takes no writes now, and
 * may be promoted while the connection is open: the connection would write on in the former epoch, so it is refused.
 */
async function look(ask: StatementRunner): Promise<{ isOurs: boolean; isDistributed: boolean }> {
  try {
    const { rows } = await ask(selectIdentity())
    return { isOurs: rows[0]?.same !== false, isDistributed: rows[0]?.distributed === true }
  } catch (error) {
    const { code } = error as pg.DatabaseError
    if (code === undefinedTable) return { isOurs: true, isDistributed: false }
    throw code === inRecovery ? new Fault('unavailable', error) : error
  }
}

const undefinedTable = '42P01'
/** object_not_in_prerequisite_state: it has no end of its log. */
const inRecovery = '55000'
