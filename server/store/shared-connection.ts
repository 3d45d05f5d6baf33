import type { Socket } from 'node:net'
import pg from 'pg'
import type { BatchableRead } from '#sql/batchable.ts'
import { type Deadline, noteBatchWritten } from './deadline.ts'
import { isConnectionLost } from './faults.ts'

/** A connection that many share, one statement at a time; it is opened when it is needed, and again when it was lost. */
export type SharedConnection = {
  isBusy: boolean
  /** Asks for everybody at once. A row is told whose it is, counted from 0, as it comes. */
  ask(
    statement: Pick<BatchableRead, 'name' | 'text'>,
    requesters: readonly (readonly unknown[])[],
    onRow: (requester: number, row: { json?: string | null }) => void,
  ): Promise<void>
  close(): Promise<void>
}

/** `open` returns a connection that is watched by the deadline. */
export function createSharedConnection(
  open: () => Promise<pg.Client>,
  deadline: Deadline,
  onError: (error: Error) => void,
): SharedConnection {
  let client: Promise<pg.Client> | null = null

  const reopen = (): Promise<pg.Client> => {
    const opening = open()
    client = opening
    const forget = (): void => {
      // A connection that is lost may say so twice; by then there may be another one.
      if (client === opening) client = null
    }
    opening.then((one) => {
      one.on('error', (error) => {
        forget()
        onError(error)
      })
      one.on('end', forget)
    }, forget)
    return opening
  }

  /** Returns the connection, or a new one if it is suspect. */
  const usable = async (): Promise<pg.Client> => {
    const one = await (client ?? reopen())
    if (!deadline.isSuspect(one)) return one
    deadline.drop(one)
    return reopen()
  }

  return {
    isBusy: false,
    async ask({ name, text }, requesters, onRow) {
      const one = await usable()
      const used = client
      try {
        const values = (requesters[0] ?? []).map((_, index) => requesters.map((values) => values[index]))
        const query = new pg.Query<{ place: number; json?: string | null }>({ name, text, values })
        query.on('row', (row) => onRow(row.place - 1, row))
        await run(one, query)
      } catch (error) {
        // The end of a connection comes a moment after what it ends; nobody else should meet it.
        if (isConnectionLost(error) && client === used) client = null
        throw error
      }
    },
    /** Does not wait for the other side, which may be silent. */
    close: async () => {
      const one = await client?.catch(() => null)
      void one?.end().catch(() => undefined)
    },
  }
}

const streamOf = (client: pg.Client): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

function run(client: pg.Client, query: pg.Query): Promise<void> {
  const stream = streamOf(client)
  noteBatchWritten(client)
  // The driver writes the parts of a query one by one, and every write is a system call.
  stream.cork()
  process.nextTick(() => stream.uncork())
  return new Promise((resolve, reject) => {
    const whenDone = (error: Error | null): void => (error ? reject(error) : resolve())
    client.query(Object.assign(query, { callback: whenDone }))
  })
}
