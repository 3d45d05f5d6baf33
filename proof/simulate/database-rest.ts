import type pg from 'pg'
import type { Bell } from './bell.ts'
import type { OutsideSession } from './outside.ts'
import type { Conversation } from './process.ts'

type DatabaseWatch = {
  observer: pg.Client
  outside: OutsideSession
  answers: Bell
  listConversations(): Conversation[]
}

/** Milliseconds after which PostgreSQL is asked who waits for a lock, and the longest that it may take to come to rest. */
const lookAfterMs = 3
const restMostMs = 30_000

/**
 * Waits until PostgreSQL does nothing more: each statement is answered, or waits for a lock that is not part of a deadlock.
 * `ended` are sessions that are about to end, by process id.
 */
export async function untilDatabaseAtRest(
  { observer, outside, answers, listConversations }: DatabaseWatch,
  ended: readonly number[],
): Promise<void> {
  let gone = ended
  let wasStill = false
  const untilMs = performance.now() + restMostMs
  for (let lookAtMs = performance.now() + lookAfterMs; ; ) {
    if (performance.now() > untilMs) throw new Error('PostgreSQL does not come to rest')
    const owing = listConversations().filter(({ owed }) => owed > 0)
    const isLeaving = listConversations().some(
      ({ last, isLost, owed, pid = -1 }) => !isLost && ((last?.isFarewell && owed === 0) || gone.includes(pid)),
    )
    if (owing.length === 0 && outside.answer() !== null && gone.length === 0 && !isLeaving) return
    if (performance.now() > lookAtMs || gone.length > 0) {
      const { there, isStuck } = await lookAtSessions(observer)
      const isStill =
        owing.every(({ pid, isBrief }) => !isBrief && isStuck(pid)) &&
        (outside.answer() !== null || isStuck(outside.pid)) &&
        gone.length === 0 &&
        !isLeaving
      // Who blocks whom is read a moment after the locks; what is so twice stays so.
      if (isStill && wasStill) return
      wasStill = isStill
      if (isStill) continue
      // What these have held is looked at once more: one statement does not read sessions and locks at one moment.
      gone = gone.filter((pid) => there.has(pid))
      lookAtMs = performance.now() + lookAfterMs
    }
    await answers.untilNext(lookAfterMs)
  }
}

type SessionRow = { pid: number; by: number[] | null; is_locked_out: boolean }

/** `isStuck`: whether a session waits for a lock, and not for itself by way of others. */
async function lookAtSessions(observer: pg.Client) {
  const { rows } = await observer.query<SessionRow>(
    `with locked_out as materialized (select pid from pg_locks where not granted)
     select pid, pg_blocking_pids(pid) as by, pid in (select pid from locked_out) as is_locked_out
     from pg_stat_activity a where datname = current_database() and pid <> pg_backend_pid()`,
  )
  const there = new Map(rows.map((row) => [row.pid, row]))
  const isStuck = (pid: number | undefined): boolean => {
    const row = pid === undefined ? undefined : there.get(pid)
    return row?.is_locked_out === true && !isInCircle(row.pid, there)
  }
  return { there, isStuck }
}

function isInCircle(pid: number, rows: ReadonlyMap<number, SessionRow>): boolean {
  const seen = new Set<number>()
  const look = (one: number): boolean =>
    (rows.get(one)?.by ?? []).some((other) => {
      if (other === pid) return true
      if (seen.has(other)) return false
      seen.add(other)
      return look(other)
    })
  return look(pid)
}
