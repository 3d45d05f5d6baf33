import { execFile } from 'node:child_process'
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * The files of PostgreSQL as the disk has them: its log, and the pages of its tables.
 * https://www.postgresql.org/docs/18/wal-internals.html, https://www.postgresql.org/docs/18/storage-page-layout.html
 */

/** Bytes of a page, of a table and of the log. */
export const pageBytes = 8192
/** Bytes of a file of the log. */
const segmentBytes = 16 * 2 ** 20
/** Bytes of the log that one step of the second part of a position counts. */
const partBytes = 2 ** 32

export const clusterIn = (data: string): string => join(data, 'postgres/cluster')

/** Copies a folder with its owners and rights. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-pR', from, to])
}

/** A position of the log, which PostgreSQL writes as `0/1A2B3C4`, in bytes. */
export function positionOf(text: string): number {
  const [high, low] = text.split('/').map((part) => Number.parseInt(part, 16)) as [number, number]
  return high * partBytes + low
}

/** The files of the log of one cluster, the newest last, each with the position at which it begins. */
async function segmentsOf(cluster: string): Promise<{ path: string; begin: number }[]> {
  const folder = join(cluster, 'pg_wal')
  const names = (await readdir(folder)).filter((name) => /^[0-9A-F]{24}$/.test(name)).toSorted()
  return names.map((name) => ({
    path: join(folder, name),
    begin: Number.parseInt(name.slice(8, 16), 16) * partBytes + Number.parseInt(name.slice(16), 16) * segmentBytes,
  }))
}

/** Returns the position behind the last byte of the log that was written, from a position on that was. */
export async function endOfLog(cluster: string, from: number): Promise<number> {
  let end = from
  for (const { path, begin } of await segmentsOf(cluster)) {
    if (begin + segmentBytes <= from) continue
    const bytes = await readFile(path)
    const first = Math.max(0, from - begin)
    for (let page = first - (first % pageBytes); page < bytes.length; page += pageBytes) {
      // Each page of the log begins with its own address; an old or an empty one has another.
      if (Number(bytes.readBigUInt64LE(page + 8)) !== begin + page) return end
      let last = page + pageBytes
      while (bytes[last - 1] === 0) last--
      end = Math.max(end, begin + last)
    }
  }
  return end
}

/** Loses all of the log from a position on: what stands there is zeros. */
export async function cutLog(cluster: string, at: number): Promise<void> {
  for (const { path, begin } of await segmentsOf(cluster)) {
    const keep = Math.max(0, at - begin)
    if (keep >= segmentBytes) continue
    const file = await open(path, 'r+')
    await file.write(Buffer.alloc(segmentBytes - keep), 0, segmentBytes - keep, keep)
    await file.close()
  }
}

/** The files of tables and indexes that have pages. */
export async function tableFiles(cluster: string): Promise<string[]> {
  const found: string[] = []
  for (const folder of ['global', ...(await readdir(join(cluster, 'base'))).map((name) => `base/${name}`)])
    for (const name of await readdir(join(cluster, folder)))
      if (/^\d+(\.\d+)?$/.test(name) && (await stat(join(cluster, folder, name))).size >= pageBytes)
        found.push(`${folder}/${name}`)
  return found.toSorted()
}

/**
 * Returns the position of the newest change that a page of a table on the disk has in it. PostgreSQL writes a page after the log of
 * its last change, so no honest disk loses the log before that.
 */
export async function newestPage(cluster: string): Promise<number> {
  let newest = 0
  for (const name of await tableFiles(cluster)) {
    const bytes = await readFile(join(cluster, name))
    for (let page = 0; page + 8 <= bytes.length; page += pageBytes)
      newest = Math.max(newest, bytes.readUInt32LE(page) * partBytes + bytes.readUInt32LE(page + 4))
  }
  return newest
}

/** Changes one byte of a file. */
export async function flipByte(path: string, at: number, by: number): Promise<void> {
  const bytes = await readFile(path)
  bytes.writeUInt8(bytes.readUInt8(at) ^ by, at)
  await writeFile(path, bytes)
}
