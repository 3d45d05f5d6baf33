import type { Socket } from 'node:net'
import pg from 'pg'
import type { BatchableRead } from '#sql/batchable.ts'
import { isConnectionLost } from './faults.ts'

/** A connection that many share, one statement at a time; it is opened when it is needed, and again when it was lost. */
export type SharedConnection = {
  /** When it was asked what it has not answered yet; null while it is free. */
  busySince: number | null
  /** Asks for everybody at once. A row is told whose it is, counted from 0, as it comes. */
  ask(
    statement: Pick<BatchableRead, 'name' | 'text'>,
    requesters: readonly (readonly unknown[])[],
    onRow: (requester: number, row: { json?: string | null }) => void,
  ): Promise<void>
  /** Ends a connection over which no answer comes. Anyone who waits for one hears that it was lost. */
  giveUp(): void
  close(): Promise<void>
}

export function makeSharedConnection(config: pg.ClientConfig, onError: (error: Error) => void): SharedConnection {
  let client: Promise<pg.Client> | null = null

  const open = (): Promise<pg.Client> => {
    const opening = connected(config, (error) => {
      // A connection that is lost may say so twice; by then there may be another one.
      if (client === opening) client = null
      if (error) onError(error)
    })
    return opening
  }

  return {
    busySince: null,
    async ask({ name, text }, requesters, onRow) {
      client ??= open()
      const used = client
      try {
        const values = (requesters[0] ?? []).map((_, index) => requesters.map((values) => values[index]))
        const query = new pg.Query<{ place: number; json?: string | null }>({ name, text, values })
        query.on('row', (row) => onRow(row.place - 1, row))
        await run(await used, query)
      } catch (error) {
        // The end of a connection comes a moment after what it ends; nobody else should meet it.
        if (isConnectionLost(error) && client === used) client = null
        throw error
      }
    },
    giveUp() {
      const noAnswer = Object.assign(new Error('the database does not answer'), { code: 'ETIMEDOUT' })
      client?.then(
        (hung) => streamOf(hung).destroy(noAnswer),
        () => undefined,
      )
    },
    close: async () => (await client?.catch(() => null))?.end(),
  }
}

const streamOf = (client: pg.Client): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

function run(client: pg.Client, query: pg.Query): Promise<void> {
  const stream = streamOf(client)
  // The driver writes the parts of a query one by one, and every write is a system call.
  stream.cork()
  process.nextTick(() => stream.uncork())
  return new Promise((resolve, reject) => {
    const whenDone = (error: Error | null): void => (error ? reject(error) : resolve())
    client.query(Object.assign(query, { callback: whenDone }))
  })
}

async function connected(config: pg.ClientConfig, onLoss: (error?: Error) => void): Promise<pg.Client> {
  const client = new pg.Client(config)
  client.on('error', onLoss)
  client.on('end', () => onLoss())
  try {
    await client.connect()
    return client
  } catch (error) {
    // Not before the shared connection holds this promise: the failure may come at once.
    queueMicrotask(() => onLoss())
    throw error
  }
}
