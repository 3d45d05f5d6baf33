import { join } from 'node:path'
import { findArchiveFolder } from '../embedded/backup.ts'
import { readNames } from '../embedded/folders.ts'
import { BackupProblem, type Manifest } from './manifest.ts'
import { checkSegment, segmentName, segmentOf, unusableSegment } from './segment.ts'
import { followedTimeline, type Timelines } from './timelines.ts'

/** The archive of PostgreSQL's log has one compressed file for each segment, named by timeline and number. */

type Segment = { file: string; timeline: number; segment: number }

function parseSegments(file: string): Segment[] {
  const [, timeline = '', high = '', low = ''] = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})\.gz$/.exec(file) ?? []
  const segment = Number.parseInt(high, 16) * 0x100 + Number.parseInt(low, 16)
  return timeline === '' ? [] : [{ file, timeline: Number.parseInt(timeline, 16), segment }]
}

/** Reads the archived segments, sorted by their numbers. */
async function segmentsIn(folder: string): Promise<Segment[]> {
  return (await readNames(folder))
    .flatMap(parseSegments)
    .toSorted((one, other) => one.segment - other.segment || one.timeline - other.timeline)
}

/** The segments that a recovery to the end replays. */
export type ArchivedSegments = {
  folder: string
  /** Sorted; without the segments in which no change begins. */
  segments: { name: string; segment: number }[]
}

/**
 * Checks that the archive continues a backup on the timeline that PostgreSQL follows, without a gap and with every
 * segment whole. PostgreSQL itself takes a damaged segment for the end of the archive.
 */
export async function checkArchive(archive: string, { log, postgres }: Manifest): Promise<ArchivedSegments> {
  const folder = findArchiveFolder(archive, postgres.system_id)
  const timelines = await followedTimeline(folder, log.timeline)
  const followed = (await segmentsIn(folder)).filter(
    ({ segment, timeline }) => segment >= segmentOf(log.start) && timeline === timelineAt(timelines, segment),
  )
  let next = segmentOf(log.stop) + 1
  const segments: ArchivedSegments['segments'] = []
  for (const { segment, timeline, file } of followed) {
    const path = join(folder, file)
    if (segment > next)
      throw unusableSegment(`${segmentName(timelineAt(timelines, next), next)}.gz`, `is missing in ${folder}`)
    const { hasStart } = await checkSegment(path, { timeline, segment, systemId: postgres.system_id })
    // The backup has this segment too. It is checked because PostgreSQL reads it from the archive all the same.
    if (segment < next) continue
    if (hasStart) segments.push({ name: segmentName(timeline, segment), segment })
    next = segment + 1
  }
  return { folder, segments }
}

const timelineAt = (timelines: Timelines, segment: number): number =>
  timelines.findLast(({ begin }) => segment >= begin)?.timeline ?? 0

/**
 * Checks that PostgreSQL replayed all of the archive. It stops without an error before a segment of another history.
 * `position` is the start of the last change that it replayed.
 */
export function checkEnd({ folder, segments }: ArchivedSegments, position: string): void {
  const reached = segmentOf(position)
  const last = segments.at(-1)
  if (!last || reached >= last.segment) return
  const next = segments.find(({ segment }) => segment > reached) ?? last
  throw new BackupProblem(
    `PostgreSQL recovered to ${position} and no further than before ${next.name}.gz, though ${folder} holds the log up to ${last.name}.gz: ${next.name}.gz does not go on where the log before it ends. Bring the right one back, or restore with --to-time to a moment before it. Nothing was restored.`,
  )
}

/** Returns the paths of the segments that neither this backup nor a later one needs. */
export async function outdatedIn(archive: string, { log, postgres }: Manifest): Promise<string[]> {
  const folder = findArchiveFolder(archive, postgres.system_id)
  return (await segmentsIn(folder))
    .filter(({ segment }) => segment < segmentOf(log.start))
    .map(({ file }) => join(folder, file))
}
