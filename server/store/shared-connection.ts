import pg from 'pg'
import type { BatchableRead } from '#sql/batchable.ts'
import { waitFor } from '../wait/wait.ts'
import { streamOf } from './connect.ts'
import { type Deadline, noteBatchWritten } from './deadline.ts'
import { isConnectionLost } from './faults.ts'

export type SharedConnection = ReturnType<typeof createSharedConnection>

/**
 * Creates a connection that many reads share, one statement at a time. It is opened on demand, and again after a loss.
 * `open` returns a connection that the deadline watches.
 */
export function createSharedConnection(
  open: () => Promise<pg.Client>,
  deadline: Deadline,
  onError: (error: Error) => void,
) {
  let client: Promise<pg.Client> | null = null

  const reopen = (): Promise<pg.Client> => {
    const opening = open()
    client = opening
    const forget = (): void => {
      // A lost connection may emit both events. By the second, another one may be open.
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
    /** Runs one statement for all requesters. `onRow` gets each row as it arrives, with the index of its requester. */
    async ask(
      { name, text }: Pick<BatchableRead, 'name' | 'text'>,
      requesters: readonly (readonly unknown[])[],
      onRow: (requester: number, row: { json?: string | null }) => void,
    ): Promise<void> {
      const one = await usable()
      const used = client
      try {
        const values = (requesters[0] ?? []).map((_, index) => requesters.map((values) => values[index]))
        const query = new pg.Query<{ place: number; json?: string | null }>({ name, text, values })
        query.on('row', (row) => onRow(row.place - 1, row))
        await run(one, query)
      } catch (error) {
        // The event of a lost connection follows a moment later. No other read may use the connection until then.
        if (isConnectionLost(error) && client === used) client = null
        throw error
      }
    },
    /** Does not wait for the other side, which may be silent. */
    close: async (): Promise<void> => {
      const one = await client?.catch(() => null)
      void one?.end().catch(() => undefined)
    },
  }
}

function run(client: pg.Client, query: pg.Query): Promise<void> {
  const stream = streamOf(client)
  noteBatchWritten(client)
  // The driver writes the parts of a query one by one, and every write is a system call.
  stream.cork()
  process.nextTick(() => stream.uncork())
  return waitFor('its connection to the database', (resolve, reject) => {
    const whenDone = (error: Error | null): void => (error ? reject(error) : resolve())
    client.query(Object.assign(query, { callback: whenDone }))
  })
}
