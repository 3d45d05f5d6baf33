import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { type Header, pack as newArchive, type Pack, extract as readArchive } from 'tar-stream'
import { atMost, type Limit, pour, waitFor, waitWithin } from '../wait/wait.ts'
import { BackupProblem, type FileFacts } from './manifest.ts'

/** Tar archives are read and written entry by entry, with one chunk in memory. */

export type Writer = ReturnType<typeof writeTar>

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/**
 * Creates an archive in a file that must not exist yet. Every method rejects with the first failure of the file or of a
 * content. The later failures of the other streams, which follow from it, are not reported.
 */
export function writeTar(file: string) {
  const pack = newArchive()
  const failed = new AbortController()
  // Keeps the first error: a later one does not change the reason.
  const fail = (error: unknown): void => failed.abort(error)
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
  const written = pour('a stop', [pack as AsyncIterable<Uint8Array>, stream])
  written.catch(fail)
  const { signal } = failed

  // A content that yields nothing does not end when it is destroyed.
  const unlessFailed = <T>(work: () => Promise<T>): Promise<T> =>
    waitFor('a stop', (resolve, reject) => {
      const onFailure = (): void => reject(signal.reason)
      if (signal.aborted) return onFailure()
      signal.addEventListener('abort', onFailure, { once: true })
      void work()
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', onFailure))
    })

  return {
    /** Adds a file. Returns its size and checksum. */
    file: (path: string, bytes: number, content: Content): Promise<FileFacts> =>
      unlessFailed(async () => {
        const hash = createHash('sha256')
        const entry = newEntry(pack, { name: path, size: bytes, mode: 0o600 })
        const streams = [hashChunks(content, hash), entry as unknown as Writable] as const
        await pour(pieceLimit, streams, { signal }).catch((error: unknown) => {
          fail(error)
          throw error
        })
        return { path, bytes, sha256: hash.digest('hex') }
      }),
    folder: (path: string): Promise<void> =>
      unlessFailed(async () => void newEntry(pack, { name: path, type: 'directory', mode: 0o700 }).end(undefined)),
    /** Resolves when the whole archive is on the disk. */
    async end(): Promise<void> {
      pack.finalize()
      await unlessFailed(() => waitWithin(endLimit, written))
    },
    /** Abandons the archive. Resolves when the file is closed. Does nothing after `end`. */
    async destroy(): Promise<void> {
      pack.destroy()
      // The file is closed before its folder is removed, so that nothing is written into that folder meanwhile.
      const closed = waitFor<void>('its own timer', (resolve) => void stream.once('close', () => resolve()))
      if (!stream.closed) await atMost(closeMs, closed)
    },
  }
}

/** A disk that takes nothing for this long is one that hangs. */
const pieceLimit: Limit = { ms: 600_000, of: 'the next part of a backup' }
const endLimit: Limit = { ms: 600_000, of: 'the end of a backup' }
const closeMs = 5000

/** Yields the chunks of a content and adds them to a checksum. */
export async function* hashChunks(content: Content, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk)
    yield chunk
  }
}

function newEntry(pack: Pack, header: Partial<Header> & Pick<Header, 'name'>): ReturnType<Pack['entry']> {
  const entry = pack.entry({ ...header, mtime: new Date(0) })
  // The entry is destroyed together with the archive, whose failure is reported.
  entry.on('error', () => undefined)
  return entry
}

export type Entry = { path: string; type: string; bytes: number; content: AsyncIterable<Uint8Array> }

/** Yields the entries of an archive in their order. Each is read before the next one. */
export async function* readTar(file: string): AsyncGenerator<Entry> {
  const extract = readArchive()
  const source = createReadStream(file, { highWaterMark: 256 * 1024 })
  source.on('error', (error) => extract.destroy(error)).pipe(extract)
  try {
    for await (const entry of extract) {
      const { name, type, size = 0 } = entry.header
      yield {
        path: name,
        type: type ?? 'file',
        bytes: size,
        content: pieces(entry as AsyncIterable<Uint8Array>, file),
      }
      entry.resume()
    }
  } catch (error) {
    throw damagedArchive(error, file)
  } finally {
    source.destroy()
  }
}

/** Yields the chunks of an entry. Throws a `BackupProblem` if the archive ends within it. */
async function* pieces(entry: AsyncIterable<Uint8Array>, where: string): AsyncGenerator<Uint8Array> {
  try {
    yield* entry
  } catch (error) {
    throw damagedArchive(error, where)
  }
}

/** Returns a `BackupProblem` for an error in the archive. Returns errors of the file system and problems unchanged. */
function damagedArchive(error: unknown, where: string): unknown {
  if (error instanceof BackupProblem || (error as NodeJS.ErrnoException).syscall) return error
  const { message } = error as Error
  // An entry is destroyed if its archive ends within it, whichever of the two tells so first.
  const reason = message === 'Stream was destroyed' ? 'Unexpected end of data' : message
  return new BackupProblem(`${where} is damaged or cut off (${reason}). Use another one.`)
}
