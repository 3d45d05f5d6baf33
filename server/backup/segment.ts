import { createReadStream } from 'node:fs'
import { Writable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Limit, pour } from '../wait/wait.ts'
import { BackupProblem } from './manifest.ts'

/** Size of a segment of PostgreSQL's log. The bundled PostgreSQL never changes it. */
export const segmentBytes = 16 * 1024 * 1024
const segmentsInFile = 0x1_0000_0000 / segmentBytes

/** Returns the number of the segment that contains a position of the log. */
export function segmentOf(position: string): number {
  const [high = '0', low = '0'] = position.split('/')
  return Number.parseInt(high, 16) * segmentsInFile + Math.floor(Number.parseInt(low, 16) / segmentBytes)
}

export const segmentName = (timeline: number, segment: number): string =>
  [timeline, Math.floor(segment / segmentsInFile), segment % segmentsInFile].map(formatNumber).join('')

/** Formats a number as PostgreSQL does in the names of segments and of histories. */
export const formatNumber = (number: number): string => number.toString(16).toUpperCase().padStart(8, '0')

/** The identity of an archived segment by its name and its folder. */
type SegmentIdentity = { timeline: number; segment: number; systemId: string }

/**
 * Checks that an archived segment is whole and has the identity of its name, by the header of its first page
 * (XLogLongPageHeaderData in PostgreSQL's access/xlog_internal.h). `hasStart` is true if a change begins in it.
 */
export async function checkSegment(path: string, { timeline, segment, systemId }: SegmentIdentity) {
  const header = await readHeader(path)
  const found = {
    isLong: (header.readUInt16LE(2) & longHeader) !== 0,
    timeline: header.readUInt32LE(4),
    address: header.readBigUInt64LE(8),
    left: header.readUInt32LE(16),
    systemId: String(header.readBigUInt64LE(24)),
    bytes: header.readUInt32LE(32),
    pageBytes: header.readUInt32LE(36),
  }
  if (!found.isLong || found.bytes !== segmentBytes || found.pageBytes === 0) throw damagedSegment(path)
  if (found.systemId !== systemId)
    throw unusableSegment(path, `is of another database (number ${found.systemId}, not ${systemId})`)
  const place = found.address / BigInt(segmentBytes)
  if (found.address !== BigInt(segment) * BigInt(segmentBytes))
    throw unusableSegment(path, `holds another part of the log (segment ${place}, not ${segment})`)
  if (found.timeline > timeline)
    throw unusableSegment(path, `is of a later timeline than its name says (${found.timeline}, not ${timeline})`)
  return { hasStart: found.left < roomIn(found.pageBytes) }
}

/** XLP_LONG_HEADER. */
const longHeader = 2

/** Returns the bytes for changes in a segment, which are all but the headers of its pages. */
const roomIn = (pageBytes: number): number => segmentBytes - 24 * (segmentBytes / pageBytes) - 16

const headerBytes = 40

const pieceLimit: Limit = { ms: 60_000, of: 'the next part of a segment' }

/** Reads a whole segment. Returns its header. Throws if its length is wrong. */
async function readHeader(path: string): Promise<Buffer> {
  let bytes = 0
  const header = Buffer.alloc(headerBytes)
  const count = new Writable({
    write(chunk: Buffer, _, done) {
      if (bytes < headerBytes) chunk.copy(header, bytes)
      bytes += chunk.length
      done(bytes > segmentBytes ? damagedSegment(path) : null)
    },
  })
  await pour(pieceLimit, [createReadStream(path), createGunzip(), count]).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall) throw error
    throw damagedSegment(path)
  })
  if (bytes !== segmentBytes) throw damagedSegment(path)
  return header
}

const damagedSegment = (path: string): BackupProblem => unusableSegment(path, 'is damaged or cut off')

export const unusableSegment = (path: string, what: string): BackupProblem =>
  new BackupProblem(`${path} ${what}, so nothing after it can be restored: bring it back, or take a later backup.`)
