import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { atMost, waitFor } from '../wait/wait.ts'

export type Connection = { host: string; port: number; user: string; database: string; password: string }

/** The place of a process among the users of a running PostgreSQL, for as long as its connection lasts. */
export type Membership = {
  /** Resolves when the connection ends, for any reason. */
  lost: Promise<void>
  /** Leaves. The last member runs `whenLast` while no other process can join. */
  leave: (whenLast: () => Promise<void>) => Promise<void>
}

/**
 * Joins the users of a cluster. Each holds a shared advisory lock on a connection of its own, which ends with a killed
 * process. Rejects while PostgreSQL does not answer, and while the last user is about to stop it.
 */
export async function joinUsers(connection: Connection): Promise<Membership> {
  const client = await connectUser(connection)
  return {
    lost: waitFor('the other process', (resolve) => void client.once('end', () => resolve())),
    async leave(whenLast) {
      try {
        if (await atMost(answerMs, isLast(client))) await whenLast()
      } finally {
        await endClient(client)
      }
    },
  }
}

const endMs = 1000

/** Ends a connection. The driver waits until the other side has closed it, which a silent one does not. */
export async function endClient(client: Client): Promise<void> {
  await atMost(endMs, client.end()).catch(() => undefined)
  ;(client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
}

/** A session that does not answer counts as one of others: PostgreSQL is left to them. */
const answerMs = 3000

async function connectUser(connection: Connection): Promise<Client> {
  // A socket of our own, so that it does not keep Node alive.
  const socket = new Socket().unref()
  const client = new Client({
    ...connection,
    database: 'postgres',
    ssl: false,
    application_name: 'plumbline user',
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    stream: () => socket,
  })
  // `lost` reports its end. Without a listener an error would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    if (await callLock(client, 'pg_try_advisory_lock_shared')) return client
    throw new Error('its last user is stopping it')
  } catch (error) {
    await endClient(client)
    throw error
  }
}

/** Returns whether no other member is left. If two leave at once, exactly one of them gets the exclusive lock. */
async function isLast(client: Client): Promise<boolean> {
  try {
    await callLock(client, 'pg_advisory_unlock_shared')
    return await callLock(client, 'pg_try_advisory_lock')
  } catch {
    // PostgreSQL is being stopped by another process.
    return false
  }
}

async function callLock(client: Client, lock: string): Promise<boolean> {
  const { rows } = await client.query<{ done: boolean }>(`select ${lock}($1) as done`, [lockKey])
  return rows[0]?.done === true
}

/** An arbitrary number, the same in every version of Plumbline: "plumb" in ASCII. */
const lockKey = 0x706c756d62

/** A function that renews a membership or rejects. The pause between tries doubles each time, up to `pauseMsMax`. */
export type Return = { retake(leaving: AbortSignal): Promise<Membership>; pauseMsMax: number }

const pauseMsMin = 250

const leftOrLost = ({ lost }: Membership, leaving: AbortSignal): Promise<void> =>
  waitFor('the other process', (resolve) => {
    void lost.then(resolve)
    leaving.addEventListener('abort', () => resolve(), { once: true })
  })

/** Renews a membership when its connection is lost, because others may stop and start PostgreSQL meanwhile. */
export function keepMembership(first: Membership, connection: Connection) {
  const leaving = new AbortController()
  const { signal } = leaving
  let way: Return = { retake: () => joinUsers(connection), pauseMsMax: pauseMsMin }
  let held: Membership | undefined = first
  const staying = stay()

  async function stay(): Promise<void> {
    while (held) {
      await leftOrLost(held, signal)
      if (signal.aborted) return
      held = await retake()
    }
  }

  async function retake(): Promise<Membership | undefined> {
    for (let pauseMs = pauseMsMin; ; pauseMs *= 2) {
      await sleep(Math.min(pauseMs, way.pauseMsMax), undefined, { ref: false, signal }).catch(() => undefined)
      if (signal.aborted) return undefined
      const membership = await way.retake(signal).catch(() => undefined)
      if (membership) return membership
    }
  }

  return {
    /** Replaces the function that renews it. The first one, `joinUsers`, starts nothing. */
    retakeBy(next: Return): void {
      way = next
    },
    async leave(whenLast: () => Promise<void>): Promise<void> {
      leaving.abort()
      await atMost(answerMs, staying)
      const membership = held ?? (await joinUsers(connection).catch(() => undefined))
      await membership?.leave(whenLast)
    },
  }
}
