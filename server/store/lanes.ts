import pg from 'pg'
import type { Statement } from '#derive/queries/statement.ts'
import { asFault, Fault } from './faults.ts'
import { inOneWrite } from './one-write.ts'

/**
 * A few connections that all brief reads share. What is asked in one turn of the event loop leaves in one write, and a
 * backend answers it in one go; a connection for each request would wake a backend for each statement. Nothing is
 * carried from one statement to the next: each stands by itself, outside a transaction.
 */
export type Lanes = { read<Row>(statement: Statement): Promise<Row[]>; close(): Promise<void> }

type Lane = { client: Promise<pg.Client> | null; waiting: number }

/** Enough to keep the processors of a database busy; more only wakes more processes. */
const laneCount = 3
/** More than this would wait longer than a caller should. */
const waitingMax = 400

export function openLanes(config: pg.ClientConfig, onError: (error: Error) => void): Lanes {
  const lanes: Lane[] = Array.from({ length: laneCount }, () => ({ client: null, waiting: 0 }))
  let closed = false

  const open = (lane: Lane): Promise<pg.Client> => {
    const opening = connected(config, (error) => {
      // A connection that is lost may say so twice; by then the lane may have another one.
      if (lane.client === opening) lane.client = null
      if (error) onError(error)
    })
    return opening
  }

  return {
    async read<Row>({ name, text, values }: Statement) {
      const lane = lanes.reduce((best, one) => (one.waiting < best.waiting ? one : best))
      if (closed || lane.waiting >= waitingMax) throw new Fault('unavailable', new Error('too many reads wait'))
      lane.waiting++
      try {
        lane.client ??= open(lane)
        const client = await lane.client
        inOneWrite(client, setImmediate)
        const { rows } = await client.query(name === undefined ? { text, values } : { name, text, values })
        return rows as Row[]
      } catch (error) {
        throw asFault(error)
      } finally {
        lane.waiting--
      }
    },
    close: async () => {
      closed = true
      await Promise.all(lanes.map(async ({ client }) => (await client?.catch(() => null))?.end()))
    },
  }
}

async function connected(config: pg.ClientConfig, onLoss: (error?: Error) => void): Promise<pg.Client> {
  const client = new pg.Client(config)
  client.on('error', onLoss)
  client.on('end', () => onLoss())
  try {
    await client.connect()
    return client
  } catch (error) {
    // Not before the lane holds this promise: the failure may come at once.
    queueMicrotask(() => onLoss())
    throw error
  }
}
