import type pg from 'pg'
import type { Statement } from '#sql/statement.ts'
import { advanceEpoch, selectIdentity } from '#sql/system/log.ts'
import { distributedSession } from './citus/distribution.ts'
import { Fault } from './faults.ts'
import { askWithin } from './session-check.ts'

/**
 * Starts a new epoch before a new connection may write, if the log was written in another database. Transaction ids of
 * two databases cannot be compared. Decisions, Changes.
 * Returns whether companies are distributed; the server of each then identifies its log.
 */
export async function keepLog(client: pg.ClientBase, timeout: number): Promise<boolean> {
  const ask = (statement: Statement) => askWithin(client, statement, timeout)
  const say = (text: string) => ask({ text, values: [] })
  const { isOurs, isDistributed } = await look(ask)
  if (isDistributed) await say(distributedSession)
  if (isOurs || isDistributed) return isDistributed
  await say('begin isolation level read committed')
  try {
    // Waits for all writers, and blocks new ones until the epoch is stored.
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
 * Compares the database with that of the log. Before its first migration a database has no log. Throws a `Fault` for a
 * server in recovery: it may be promoted while the connection is open, which would then write in the former epoch.
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
/** object_not_in_prerequisite_state: a server in recovery has no end of its log. */
const inRecovery = '55000'
