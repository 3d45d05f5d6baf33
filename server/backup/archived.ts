import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { archiveOf } from '../embedded/archive.ts'
import { namesIn } from '../embedded/folders.ts'
import { BackupProblem, type Manifest } from './manifest.ts'

/** PostgreSQL's log, as it was archived: a file for each segment, compressed, named by timeline and number. */

const segmentBytes = 16 * 1024 * 1024
const segmentsInFile = 0x1_0000_0000 / segmentBytes

/** The number of the segment that a position of the log is in. */
export function segmentOf(position: string): number {
  const [high = '0', low = '0'] = position.split('/')
  return Number.parseInt(high, 16) * segmentsInFile + Math.floor(Number.parseInt(low, 16) / segmentBytes)
}

export const segmentName = (timeline: number, segment: number): string =>
  [timeline, Math.floor(segment / segmentsInFile), segment % segmentsInFile]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('')

type Segment = { file: string; timeline: number; segment: number }

function parsed(file: string): Segment[] {
  const [, timeline = '', high = '', low = ''] = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})\.gz$/.exec(file) ?? []
  const segment = Number.parseInt(high, 16) * segmentsInFile + Number.parseInt(low, 16)
  return timeline === '' ? [] : [{ file, timeline: Number.parseInt(timeline, 16), segment }]
}

/** In the order of their numbers. */
async function segmentsIn(folder: string): Promise<Segment[]> {
  return (await namesIn(folder))
    .flatMap(parsed)
    .toSorted((one, other) => one.segment - other.segment || one.timeline - other.timeline)
}

/**
 * That the archive goes on where a backup ends, without a gap and with every segment whole: PostgreSQL itself takes a
 * damaged segment for the end of the archive.
 */
export async function checkArchive(archive: string, { log, postgres }: Manifest): Promise<void> {
  const folder = archiveOf(archive, postgres.system_id)
  const all = await segmentsIn(folder)
  const later = all.filter(({ segment, timeline }) => segment > segmentOf(log.stop) && timeline >= log.timeline)
  let next = segmentOf(log.stop) + 1
  for (const { segment, timeline, file } of later) {
    if (segment > next)
      throw new BackupProblem(
        `${segmentName(timeline, next)}.gz is missing in ${folder}, so nothing after it can be restored: bring it back, or take a later backup.`,
      )
    await checkSegment(join(folder, file))
    next = segment + 1
  }
}

async function checkSegment(path: string): Promise<void> {
  let bytes = 0
  const count = new Writable({
    write(chunk: Buffer, _, done) {
      bytes += chunk.length
      done()
    },
  })
  await pipeline(createReadStream(path), createGunzip(), count).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall) throw error
    throw damaged(path)
  })
  if (bytes !== segmentBytes) throw damaged(path)
}

const damaged = (path: string): BackupProblem =>
  new BackupProblem(
    `${path} is damaged or cut off, so nothing after it can be restored: bring it back, or take a later backup.`,
  )

/** What no backup from this one on needs any more. */
export async function outdatedIn(archive: string, { log, postgres }: Manifest): Promise<string[]> {
  const folder = archiveOf(archive, postgres.system_id)
  return (await segmentsIn(folder))
    .filter(({ segment }) => segment < segmentOf(log.start))
    .map(({ file }) => join(folder, file))
}
