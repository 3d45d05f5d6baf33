import { randomBytes } from 'node:crypto'
import { chmod, lchown, mkdir, stat } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { Client, type Submittable } from 'pg'
import { type Limit, waitFor } from '../wait/wait.ts'
import { backupRole } from './access.ts'
import type { Location } from './location.ts'
import { type Connection, endClient } from './members.ts'
import { createFileProblem, EmbeddedProblem, findErrorCode } from './problems.ts'
import { isRoot, shell } from './processes.ts'
import type { Settings } from './settings.ts'

/** The folder of archived segments, and the longest time until a change is archived. */
export type Archive = { folder: string; seconds: number }

/**
 * Returns the settings of a server that archives into a folder of this database. Rejects if the folder cannot be
 * written, unless the last start used it too: then its disk is away, and PostgreSQL retries until it is back.
 */
export async function prepareArchive(location: Location, archive: Archive): Promise<Settings> {
  const folder = findArchiveFolder(archive.folder, await readSystemId(location, location.cluster))
  const problem = await prepareArchiveFolder(location, archive.folder, folder)
  if (problem && !(await wasLastArchive(location, folder))) throw problem
  await shell(location.identity, archiveHistoryScript, location.cluster)
  return { archive_mode: 'on', archive_command: formatArchiveCommand(folder), archive_timeout: archive.seconds }
}

/** Archives the history of a restored cluster at its first start that archives: a mere look leaves no trace. */
const archiveHistoryScript = `cd "$1/pg_wal" && for each in *.history; do
  test -e "$each" && test ! -e "archive_status/$each.done" && : >>"archive_status/$each.ready"; done`

/** Returns the folder of one database. Its system identifier keeps the segments of databases apart. */
export const findArchiveFolder = (folder: string, systemId: string): string => join(resolve(folder), systemId)

/** Formats the command by which a recovering server reads archived files. `files` is a pattern of the shell. */
export const formatRestoreCommand = (folder: string | null, files: '*' | '*.history'): string =>
  folder === null
    ? 'false'
    : `case "%f" in ${files}) gzip -cd ${quoteShellWord(folder)}/%f.gz >"%p" ;; *) exit 1 ;; esac`

/**
 * Formats the command that compresses a segment, compares it with the original and flushes it before it gets its name.
 * It never overwrites: after a crash a segment can come again, and then has to be identical.
 */
const formatArchiveCommand = (folder: string): string =>
  [
    `umask 077; d=${quoteShellWord(folder)}; f="$d/%f.gz"; n="$f.$$.part"; trap 'rm -f "$n"' EXIT`,
    'if test -e "$f"; then gzip -cd "$f" | cmp -s - "%p" && exit 0; echo "$f is there and is another" >&2; exit 1; fi',
    'gzip -1c "%p" >"$n" && gzip -cd "$n" | cmp - "%p" && sync "$n" && mv -n "$n" "$f" && test ! -e "$n" && sync "$d"',
  ].join('; ')

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true

/** Returns whether the last start archived into this folder. PostgreSQL stores the settings of its last start. */
const wasLastArchive = async ({ identity, cluster }: Location, folder: string): Promise<boolean> =>
  (await shell(identity, 'grep -qF -- "$2" "$1/postmaster.opts"', cluster, quoteShellWord(folder))).ok

/** Quotes a word of the shell in a setting where PostgreSQL replaces percent signs. */
const quoteShellWord = (path: string): string => `'${path.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`

/** Reads the number that initdb generated: the first eight bytes of the control file. */
export async function readSystemId({ identity }: Pick<Location, 'identity'>, cluster: string): Promise<string> {
  const { ok, output } = await shell(identity, 'od -An -N8 -tu8 "$1/global/pg_control"', cluster)
  const id = output.trim()
  if (ok && /^\d{1,20}$/.test(id)) return id
  throw new EmbeddedProblem(`${cluster}/global/pg_control cannot be read: ${id}`)
}

/** Creates the folder if it is missing, and gives it to PostgreSQL's user. Returns a problem if that user cannot write. */
async function prepareArchiveFolder({ identity }: Location, archive: string, folder: string) {
  try {
    // Root's PostgreSQL is another user, who has to pass through.
    if ((await mkdir(archive, { recursive: true, mode: 0o700 })) && isRoot()) await chmod(archive, 0o711)
    await mkdir(folder, { mode: 0o700 })
    if (identity.other) await lchown(folder, identity.uid, identity.gid)
  } catch (error) {
    if (findErrorCode(error) !== 'EEXIST' || !(await isFolder(archive)))
      return createFileProblem(error, archive, 'set PLUMBLINE_ARCHIVE to another folder')
  }
  if ((await isFolder(folder)) && (await shell(identity, 'cd "$1" && test -w .', folder)).ok) return undefined
  return new EmbeddedProblem(
    `The user "${identity.name}", as whom PostgreSQL runs, cannot write in ${folder}: open its parent folders with "chmod o+x", give it to that user, or set PLUMBLINE_ARCHIVE to another folder.`,
  )
}

/** The part of PostgreSQL's log from the start of a copy to the position at which the copy is consistent. */
type LogRange = { timeline: number; start: string; stop: string }

type ClusterCopyRequest = {
  /** Receives the copy, a tar archive. Destroying it ends the copy. */
  into: Writable
  /** Called after each chunk with the bytes so far and an estimate of all. */
  onProgress(done: number, total: number): void
}

/**
 * Copies a cluster that is in use, by the command that PostgreSQL's own pg_basebackup gives: the server reads its files
 * as its own user, checks every page that has a checksum, and adds the log that makes the copy consistent.
 * https://www.postgresql.org/docs/18/protocol-replication.html#PROTOCOL-REPLICATION-BASE-BACKUP
 */
export async function copyCluster(connection: Connection, copying: ClusterCopyRequest) {
  const config = { ...connection, user: backupRole, ssl: false, application_name: 'plumbline backup' }
  // The driver passes `replication` to the server, but its types lack it.
  const client = new Client({ ...config, connectionTimeoutMillis: 10_000, replication: 'true' } as typeof config)
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    // The slot keeps the log from here on until the connection ends, however much is written meanwhile.
    const slot = `plumbline_backup_${randomBytes(6).toString('hex')}`
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL (RESERVE_WAL)`)
    const range = await runBaseBackup(client, copying)
    return { ...range, version: rows[0]?.server_version ?? '' }
  } finally {
    await endClient(client)
  }
}

const command = `BASE_BACKUP (LABEL 'plumbline', PROGRESS true, CHECKPOINT 'fast', WAL true, WAIT false, MANIFEST 'no')`

/** Before the first part, PostgreSQL writes a checkpoint. The next part also waits for the disk of the backup. */
const partLimit: Limit = { ms: 600_000, of: 'the next part of the copy' }

type Wire = { query(text: string): void; stream: Socket }

/** Runs BASE_BACKUP. It returns the start position, the tablespaces with their sizes, the bytes, the stop position. */
function runBaseBackup(client: Client, { into, onProgress }: ClusterCopyRequest): Promise<LogRange> {
  return waitFor(partLimit, (resolve, reject, renew) => {
    const results: string[][][] = []
    let archives = 0
    let [done, total] = [0, 0]
    let broken: Error | undefined
    /** The first warning about a damaged page: PostgreSQL's final error names no page. */
    let damage: string | undefined
    client.on('notice', ({ message }) => {
      if (message?.includes('checksum verification failed')) damage ??= message
    })
    const fail = (error: unknown): void => {
      broken ??= error as Error
      reject(broken)
    }
    const received = (bytes: Buffer, stream: Socket): void => {
      renew()
      done += bytes.length
      onProgress(done, Math.max(total, done))
      if (into.write(bytes) || stream.isPaused()) return
      stream.pause()
      into.once('drain', () => stream.resume())
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
        // An estimate in KiB.
        if (results.length === 2) total = (results[1] ?? []).reduce((sum, [, , size]) => sum + 1024 * Number(size), 0)
      },
      handleCopyData: ({ chunk }: { chunk: Buffer }, { stream }: Wire) => {
        const kind = String.fromCharCode(chunk[0] ?? 0)
        if (kind === 'n' && ++archives > 1) fail(new Error('the cluster has tablespaces, which are not backed up'))
        // A copy, because the driver reuses its buffer.
        if (kind === 'd' && !broken) received(Buffer.from(chunk.subarray(1)), stream)
      },
      handleError: (error: Error) => {
        if (damage) error.message += `: ${damage}`
        fail(error)
      },
      handleReadyForQuery: () => {
        const [[[start = '', timeline = ''] = []] = [], , [[stop = ''] = []] = []] = results
        if (results.length === 3) resolve({ timeline: Number(timeline), start, stop })
        else fail(new Error('PostgreSQL did not say where its copy begins and ends'))
      },
    }
    client.query(query as unknown as Submittable)
    client.once('end', () => fail(new Error('PostgreSQL ended the connection in the middle of the copy')))
  })
}
