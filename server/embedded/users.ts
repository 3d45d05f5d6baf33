import { Socket } from 'node:net'
import { Client } from 'pg'

export type Connection = { host: string; port: number; user: string; database: string; password: string }

/** Our place among those who use a running PostgreSQL, for as long as its connection lasts. */
export type Membership = {
  /** Resolves when the connection ends, whoever ended it. */
  lost: Promise<void>
  /** Leaves; the last one to leave runs `whenLast` while nobody else can join. */
  leave: (whenLast: () => Promise<void>) => Promise<void>
}

/**
 * Who uses a cluster is known by a shared advisory lock on a connection of its own: it vanishes with a killed process.
 * Rejects while PostgreSQL does not answer, and while the last user is about to stop it.
 */
export async function join(connection: Connection): Promise<Membership> {
  const client = await hold(connection)
  return {
    lost: new Promise((resolve) => client.once('end', () => resolve())),
    async leave(whenLast) {
      try {
        if (await isLast(client)) await whenLast()
      } finally {
        await client.end().catch(() => undefined)
      }
    },
  }
}

async function hold(connection: Connection): Promise<Client> {
  // Our own socket, so that it does not keep Node alive.
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
  // Its end is seen by `lost`; without a listener an error would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    if (await ask(client, 'pg_try_advisory_lock_shared')) return client
    throw new Error('its last user is stopping it')
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

/** Two who leave at once: the second to let go gets the lock, or neither sees the other and one of them gets it. */
async function isLast(client: Client): Promise<boolean> {
  try {
    await ask(client, 'pg_advisory_unlock_shared')
    return await ask(client, 'pg_try_advisory_lock')
  } catch {
    // PostgreSQL is being stopped by somebody else.
    return false
  }
}

type LockFunction = 'pg_try_advisory_lock_shared' | 'pg_advisory_unlock_shared' | 'pg_try_advisory_lock'

async function ask(client: Client, lock: LockFunction): Promise<boolean> {
  const { rows } = await client.query<{ done: boolean }>(`select ${lock}($1) as done`, [lockKey])
  return rows[0]?.done === true
}

/** Any number, the same in every version of Plumbline: "plumb" in ASCII. */
const lockKey = 0x706c756d62
