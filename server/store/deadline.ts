import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type pg from 'pg'
import type { BackendRow } from '#sql/system/connection.ts'
import { atMost, waitFor } from '../wait/wait.ts'

export type Deadline = ReturnType<typeof openDeadline>

type WatchedConnection = {
  backend: BackendRow
  stream: Socket
  closed: Promise<void>
  /** When the unanswered batch was written; null if there is none. */
  writtenAt: number | null
  /** When the last answer was complete. */
  answeredAt: number
}

const watchedOf = new WeakMap<pg.ClientBase, WatchedConnection>()

/** Notes that a batch is being written. `watch` notes its answer. */
export function noteBatchWritten(client: pg.ClientBase): void {
  const watched = watchedOf.get(client)
  if (watched) watched.writtenAt ??= performance.now()
}

const tickMs = 100
/**
 * A tick later than this ends no connection: this process was paused, and answers may lie in its sockets unread. They
 * are read before the next tick. That tick counts even if it is late too: else a process that is always late would end
 * none.
 */
const lateTickMs = 1000

/** Ends connections over which a batch is not answered in time. One list and one interval serve all connections. */
export function openDeadline(timeoutMs: number, onMissed: (backend: BackendRow) => void) {
  const open = new Set<WatchedConnection>()
  /** A connection without an answer since then is suspect. */
  let stalledAt = Number.NEGATIVE_INFINITY
  let tickedAt = performance.now()
  let isPaused = false

  const isSilent = ({ answeredAt }: WatchedConnection): boolean => answeredAt < stalledAt

  const judge = (): void => {
    const now = performance.now()
    isPaused = !isPaused && now - tickedAt > tickMs + lateTickMs
    tickedAt = now
    if (isPaused) return
    // One tick early, so that no batch gets longer than the time-out.
    const due = now - timeoutMs + tickMs
    for (const watched of open) {
      if (watched.writtenAt === null || watched.writtenAt > due) continue
      stalledAt = Math.max(stalledAt, watched.writtenAt)
      open.delete(watched)
      watched.stream.destroy(Object.assign(new Error('the database does not answer'), { code: 'ETIMEDOUT' }))
      onMissed(watched.backend)
    }
  }
  const clock = setInterval(judge, tickMs).unref()

  return {
    /** Watches a connection until it ends. */
    watch(client: pg.ClientBase, backend: BackendRow): void {
      const { connection } = client as unknown as { connection: EventEmitter & { stream: Socket } }
      const { stream } = connection
      const closed = waitFor<void>('its connection to the database', (resolve) => void stream.once('close', resolve))
      const watched: WatchedConnection = { backend, stream, closed, writtenAt: null, answeredAt: performance.now() }
      watchedOf.set(client, watched)
      open.add(watched)
      stream.once('close', () => open.delete(watched))
      // Runs before the listener of the driver, which writes the next batch. An error does not end a batch:
      // ReadyForQuery follows it.
      connection.prependListener('readyForQuery', () => {
        watched.writtenAt = null
        watched.answeredAt = performance.now()
      })
    },
    /** Returns whether the connection has received nothing since some batch was written that missed its deadline. */
    isSuspect: (client: pg.ClientBase): boolean => {
      const watched = watchedOf.get(client)
      return watched !== undefined && isSilent(watched)
    },
    /** Closes a connection without the Terminate message, for which a silent one would wait. */
    drop: (client: pg.ClientBase): void => void watchedOf.get(client)?.stream.destroy(),
    /** Closes all connections. Silent ones are dropped at once, the others after `graceMs`. */
    async close(graceMs: number): Promise<void> {
      clearInterval(clock)
      for (const watched of open) if (isSilent(watched)) watched.stream.destroy()
      await atMost(graceMs, Promise.all([...open].map(({ closed }) => closed)))
      for (const { stream } of open) stream.destroy()
    },
  }
}
