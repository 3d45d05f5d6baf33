import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type pg from 'pg'
import type { BackendRow } from '#sql/system/connection.ts'

/** Ends connections over which a batch is not answered in time. One list and one interval serve all connections. */
export type Deadline = {
  /** Watches a connection until it ends. */
  watch(client: pg.ClientBase, backend: BackendRow): void
  /** Whether nothing was received over the connection since a batch was written that missed its deadline. */
  isSuspect(client: pg.ClientBase): boolean
  /** Closes a connection without a farewell, for which a silent one would wait. */
  drop(client: pg.ClientBase): void
  /** Resolves when all connections are closed. Those that are silent are dropped at once, the others after `graceMs`. */
  close(graceMs: number): Promise<void>
}

type WatchedConnection = {
  backend: BackendRow
  stream: Socket
  closed: Promise<void>
  /** When the batch was written that is not answered yet; null if there is none. */
  writtenAt: number | null
  /** When the last answer was complete. */
  answeredAt: number
}

const watchedOf = new WeakMap<pg.ClientBase, WatchedConnection>()

/** Notes that a batch is being written. Its answer is noted by the watch itself. */
export function noteBatchWritten(client: pg.ClientBase): void {
  const watched = watchedOf.get(client)
  if (watched) watched.writtenAt ??= performance.now()
}

const tickMs = 100
/**
 * A tick that comes later than this judges nothing: this process was paused, and answers may lie in its sockets unread.
 * They are read before the next tick, which judges even if it is late too: else a process that is always late never would.
 */
const lateTickMs = 1000

export function openDeadline(timeoutMs: number, onMissed: (backend: BackendRow) => void): Deadline {
  const open = new Set<WatchedConnection>()
  /** A connection that was not answered since then is suspect. */
  let stalledAt = Number.NEGATIVE_INFINITY
  let tickedAt = performance.now()
  let isPaused = false

  const isSilent = ({ answeredAt }: WatchedConnection): boolean => answeredAt < stalledAt

  const judge = (): void => {
    const now = performance.now()
    isPaused = !isPaused && now - tickedAt > tickMs + lateTickMs
    tickedAt = now
    if (isPaused) return
    // A tick early rather than late: no batch is given longer than the time-out.
    const due = now - timeoutMs + tickMs
    for (const watched of open) {
      if (watched.writtenAt === null || watched.writtenAt > due) continue
      stalledAt = Math.max(stalledAt, watched.writtenAt)
      open.delete(watched)
      watched.stream.destroy(noAnswer())
      onMissed(watched.backend)
    }
  }
  const clock = setInterval(judge, tickMs).unref()

  return {
    watch(client, backend) {
      const { connection } = client as unknown as { connection: EventEmitter & { stream: Socket } }
      const { stream } = connection
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      const watched: WatchedConnection = { backend, stream, closed, writtenAt: null, answeredAt: performance.now() }
      watchedOf.set(client, watched)
      open.add(watched)
      stream.once('close', () => {
        open.delete(watched)
        resolve()
      })
      // Ahead of the driver, which writes the next batch when it is ready. An error is no end: what is ready follows it.
      connection.prependListener('readyForQuery', () => {
        watched.writtenAt = null
        watched.answeredAt = performance.now()
      })
    },
    isSuspect: (client) => {
      const watched = watchedOf.get(client)
      return watched !== undefined && isSilent(watched)
    },
    drop: (client) => void watchedOf.get(client)?.stream.destroy(),
    async close(graceMs) {
      clearInterval(clock)
      for (const watched of open) if (isSilent(watched)) watched.stream.destroy()
      const dropAll = setTimeout(() => {
        for (const { stream } of open) stream.destroy()
      }, graceMs)
      await Promise.all([...open].map(({ closed }) => closed))
      clearTimeout(dropAll)
    },
  }
}

const noAnswer = (): Error => Object.assign(new Error('the database does not answer'), { code: 'ETIMEDOUT' })
