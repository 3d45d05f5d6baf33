import { hash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { extract as readArchive } from 'tar-stream'
import { version } from '../config/config.ts'
import { copyCluster } from '../embedded/backup.ts'
import { flush } from '../embedded/folders.ts'
import type { Connection } from '../embedded/members.ts'
import { createComplete } from './create-complete.ts'
import { BackupProblem, type FileFacts, format, type Manifest, manifestName, manifestText } from './manifest.ts'
import { type Writer, writeTar } from './tar.ts'

export type BackupTask = {
  connection: Connection
  systemId: string
  migrations: string[]
  /** A file if it ends in .tar, else a folder. It must not exist yet. */
  to: string
  /** Files with the keys that seal tokens. Empty for a backup without keys. */
  keyFiles: readonly string[]
  /** Ends the backup when it aborts. */
  signal: AbortSignal | undefined
  now(): Date
  onProgress(done: number, total: number): void
  /** The advice if the folder cannot be written, such as "set PLUMBLINE_BACKUP_TO to another folder". */
  remedy: string
  /** Paths of failed backups that this process could not remove yet. */
  left: Set<string>
}

/** The name of the archive with the cluster, in a backup that is a folder. */
export const clusterArchive = 'cluster.tar'

/** Writes a backup, which gets its name when it is whole. */
export async function writeBackup(task: BackupTask): Promise<Manifest> {
  const keys = await Promise.all(task.keyFiles.map(async (file) => [basename(file), await readFile(file)] as const))
  const whole = {
    to: task.to,
    ifTaken: 'name a folder or a .tar file that is not',
    remedy: task.remedy,
    left: task.left,
  }
  return createComplete(whole, (fresh) => writeAt(fresh, task, keys))
}

type KeyFile = readonly [name: string, content: Buffer]

/** Writes an archive with cluster, keys and, last, manifest. In a folder the latter are files beside it. */
async function writeAt(fresh: string, task: BackupTask, keyFiles: readonly KeyFile[]): Promise<Manifest> {
  const isFile = resolve(task.to).endsWith('.tar')
  if (!isFile) await mkdir(fresh, { mode: 0o700 })
  const writer = writeTar(isFile ? fresh : join(fresh, clusterArchive))
  const add = (name: string, content: Buffer): Promise<FileFacts> =>
    isFile ? writer.file(name, content.length, [content]) : writeBeside(fresh, name, content)
  try {
    const startedAt = task.now()
    const files: FileFacts[] = []
    const { version: server, ...log } = await copyInto(writer, files, task)
    const finishedAt = task.now()
    for (const [name, content] of keyFiles) files.push(await add(name, content))
    const manifest: Manifest = {
      format,
      started_at: startedAt.toISOString(),
      finished_at: finishedAt.toISOString(),
      plumbline: version,
      migrations: task.migrations,
      postgres: { major: server.split('.')[0] ?? '', version: server, system_id: task.systemId },
      log,
      files,
    }
    await add(manifestName, Buffer.from(manifestText(manifest)))
    await writer.end()
    if (!isFile) await flush(fresh)
    return manifest
  } catch (error) {
    await writer.destroy()
    throw error
  }
}

async function writeBeside(folder: string, name: string, content: Buffer): Promise<FileFacts> {
  await writeFile(join(folder, name), content, { flag: 'wx', mode: 0o600, flush: true })
  return { path: name, bytes: content.length, sha256: hash('sha256', content) }
}

/** Copies the cluster entry by entry as PostgreSQL sends it, and adds the files with their checksums. */
async function copyInto(writer: Writer, files: FileFacts[], { connection, signal, onProgress }: BackupTask) {
  const into = new PassThrough({ highWaterMark: 1024 * 1024, signal })
  const extract = readArchive()
  into.on('error', (error) => extract.destroy(error)).pipe(extract)
  extract.once('close', () => into.destroy())
  const copying = copyCluster(connection, { into, onProgress }).then(
    (range) => {
      into.end()
      return range
    },
    (error: Error) => {
      into.destroy(error)
      throw error
    },
  )
  // If writing fails, its own error is reported: it has the reason.
  copying.catch(() => undefined)
  try {
    for await (const entry of extract) {
      const { name, type, size = 0 } = entry.header
      const path = `${clusterFolder}${name.replace(/^\.\//, '').replace(/\/$/, '')}`
      if (type === 'directory') await writer.folder(path)
      else if (type === 'file') files.push(await writer.file(path, size, entry as AsyncIterable<Uint8Array>))
      else throw new BackupProblem(`${name} in the cluster is a ${type}, which is not backed up.`)
      entry.resume()
    }
    return await copying
  } catch (error) {
    // Ends the replication connection and waits for its end. PostgreSQL can be stopped after that.
    into.destroy()
    await copying.catch(() => undefined)
    throw error
  }
}

export const clusterFolder = 'cluster/'
