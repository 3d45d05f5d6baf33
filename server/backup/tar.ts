import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { type Header, pack as newArchive, type Pack, extract as readArchive } from 'tar-stream'
import { BackupProblem, type FileFacts } from './manifest.ts'

/** Tar archives, entry by entry; never more of one in memory than a piece. */

export type Writer = {
  /** Adds a file, and says its size and checksum. */
  file(path: string, bytes: number, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<FileFacts>
  folder(path: string): Promise<void>
  /** Resolves when all of it is on the disk. */
  end(): Promise<void>
  /** Gives up. */
  destroy(): void
}

/** A new archive in a file that must not be there yet. */
export function writeTar(file: string): Writer {
  const pack = newArchive()
  const written = pipeline(pack, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }))
  // Told by `end`, or by whatever is being added.
  written.catch(() => undefined)
  const added = (
    header: Partial<Header> & Pick<Header, 'name'>,
    fill: (entry: ReturnType<Pack['entry']>) => Promise<void>,
  ): Promise<void> =>
    Promise.race([
      written.then(() => undefined),
      new Promise<void>((resolve, reject) => {
        const entry = pack.entry({ ...header, mtime: new Date(0) }, (error) => (error ? reject(error) : resolve()))
        fill(entry).then(() => entry.end(undefined), reject)
      }),
    ])
  return {
    async file(path, bytes, content) {
      const hash = createHash('sha256')
      await added({ name: path, size: bytes, mode: 0o600 }, async (entry) => {
        for await (const chunk of content) {
          hash.update(chunk)
          if (!entry.write(chunk)) await new Promise<void>((resolve) => entry.once('drain', () => resolve()))
        }
      })
      return { path, bytes, sha256: hash.digest('hex') }
    },
    folder: (path) => added({ name: path, type: 'directory', mode: 0o700 }, async () => undefined),
    async end() {
      pack.finalize()
      await written
    },
    destroy: () => pack.destroy(),
  }
}

export type Entry = { path: string; type: string; bytes: number; content: AsyncIterable<Uint8Array> }

/** The entries of an archive in their order; each is read before the next. */
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
    throw damaged(error, file)
  } finally {
    source.destroy()
  }
}

/** Of an entry; where the archive ends within it, reading it fails. */
async function* pieces(entry: AsyncIterable<Uint8Array>, where: string): AsyncGenerator<Uint8Array> {
  try {
    yield* entry
  } catch (error) {
    throw damaged(error, where)
  }
}

/** What the file system says, and what has been said already, stays as it is. */
function damaged(error: unknown, where: string): unknown {
  if (error instanceof BackupProblem || (error as NodeJS.ErrnoException).syscall) return error
  return new BackupProblem(`${where} is damaged or cut off (${(error as Error).message}). Use another one.`)
}
