import type { Socket } from 'node:net'
import type pg from 'pg'

/**
 * Lets what is sent to a connection from here on leave in one write, `when` the time has come. The driver writes each
 * statement by itself; every write is a system call, and wakes the backend at the other end for a single statement.
 */
export function inOneWrite(client: pg.ClientBase, when: (flush: () => void) => void): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  when(() => stream.uncork())
}
