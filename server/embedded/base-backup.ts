import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { Client, type Submittable } from 'pg'
import { backupRole } from './access.ts'
import type { Connection } from './users.ts'

/** Where in PostgreSQL's log a copy begins and from where on it is whole. */
export type LogRange = { timeline: number; start: string; stop: string }

export type Copying = {
  /** Takes the copy, a tar archive; where it is destroyed the copy ends. */
  into: Writable
  /** Roughly how many bytes there will be, and each time how many came. */
  expect(bytes: number): void
  came(bytes: number): void
}

/**
 * Copies a cluster that is in use, by the command that PostgreSQL's own pg_basebackup gives: the server reads its files
 * as its own user, checks every page that has a checksum, and adds the log that makes the copy consistent.
 * https://www.postgresql.org/docs/18/protocol-replication.html#PROTOCOL-REPLICATION-BASE-BACKUP
 */
export async function copyCluster(connection: Connection, copying: Copying): Promise<LogRange & { version: string }> {
  const config = { ...connection, user: backupRole, ssl: false, application_name: 'plumbline backup' }
  // The driver passes it on; its types do not know it.
  const client = new Client({ ...config, connectionTimeoutMillis: 10_000, replication: 'true' } as typeof config)
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    // Holds the log from here on until the connection ends, however much is written meanwhile.
    const slot = `plumbline_backup_${randomBytes(6).toString('hex')}`
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL (RESERVE_WAL)`)
    const range = await baseBackup(client, copying)
    return { ...range, version: rows[0]?.server_version ?? '' }
  } finally {
    await client.end().catch(() => undefined)
  }
}

const command = `BASE_BACKUP (LABEL 'plumbline', PROGRESS true, CHECKPOINT 'fast', WAL true, WAIT false, MANIFEST 'no')`

type Wire = { query(text: string): void; stream: Socket }

/** The answer: where it starts, the tablespaces with their sizes, the bytes, where it stops. */
function baseBackup(client: Client, { into, expect, came }: Copying): Promise<LogRange> {
  return new Promise((resolve, reject) => {
    const results: string[][][] = []
    let archives = 0
    let broken: Error | undefined
    const fail = (error: unknown): void => {
      broken ??= error as Error
      reject(broken)
    }
    let waiting = false
    const received = (bytes: Buffer, stream: Socket): void => {
      came(bytes.length)
      if (into.write(bytes) || waiting) return
      waiting = true
      stream.pause()
      into.once('drain', () => {
        waiting = false
        stream.resume()
      })
    }
    const query = {
      submit: (wire: Wire) => {
        if (into.destroyed) wire.stream.destroy()
        into.once('close', () => wire.stream.destroy())
        wire.query(command)
        return null
      },
      handleRowDescription: () => void results.push([]),
      handleDataRow: ({ fields }: { fields: string[] }) => void results.at(-1)?.push(fields),
      handleCommandComplete: () => {
        // In KiB; an estimate.
        if (results.length === 2) expect((results[1] ?? []).reduce((sum, [, , size]) => sum + 1024 * Number(size), 0))
      },
      handleCopyData: ({ chunk }: { chunk: Buffer }, { stream }: Wire) => {
        const kind = String.fromCharCode(chunk[0] ?? 0)
        if (kind === 'n' && ++archives > 1) fail(new Error('the cluster has tablespaces, which are not backed up'))
        // The driver's buffer is used again for what follows.
        if (kind === 'd' && !broken) received(Buffer.from(chunk.subarray(1)), stream)
      },
      handleError: fail,
      handleReadyForQuery: () => {
        const [[[start = '', timeline = ''] = []] = [], , [[stop = ''] = []] = []] = results
        if (results.length === 3) resolve({ start, stop, timeline: Number(timeline) })
        else fail(new Error('PostgreSQL did not say where its copy begins and ends'))
      },
    }
    client.query(query as unknown as Submittable)
    client.once('end', () => fail(new Error('PostgreSQL ended the connection in the middle of the copy')))
  })
}
