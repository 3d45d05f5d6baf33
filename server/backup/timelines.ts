import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { unlessAbsent } from '../embedded/problems.ts'
import { BackupProblem } from './manifest.ts'
import { formatNumber, segmentOf } from './segment.ts'

/** Timelines one after the other, each with the segment in which it begins. */
export type Timelines = { timeline: number; begin: number }[]

/**
 * Returns the timelines that PostgreSQL replays from a backup of `timeline` on, each up to the start of its successor.
 * It counts up from `timeline` while the archive has a history. Source: findNewestTimeLine and XLogFileReadAnyTLI.
 */
export async function followedTimeline(folder: string, timeline: number): Promise<Timelines> {
  let newest = timeline
  let history = await readHistory(folder, newest)
  for (;;) {
    const later = await readHistory(folder, newest + 1)
    if (later === undefined) break
    newest++
    history = later
  }
  if (newest === timeline) return [{ timeline, begin: 0 }]
  const parents = history ?? []
  // PostgreSQL refuses to recover, with an error, if the backup is of none of them.
  return [...parents.map((parent) => parent.timeline), newest].map((each, index) => ({
    timeline: each,
    begin: segmentOf(parents[index - 1]?.end ?? '0/0'),
  }))
}

/** Reads the ancestors of a timeline and the position at which each ends. Returns undefined if it is not archived. */
async function readHistory(folder: string, timeline: number): Promise<{ timeline: number; end: string }[] | undefined> {
  const file = join(folder, `${formatNumber(timeline)}.history.gz`)
  const bytes = await unlessAbsent(readFile(file))
  if (!bytes) return undefined
  const lines = textIn(bytes, file).matchAll(/^\s*(\d{1,10})\s+([0-9A-F]{1,8}\/[0-9A-F]{1,8})/gim)
  return [...lines].map(([, parent, end = '']) => ({ timeline: Number(parent), end }))
}

function textIn(bytes: Buffer, file: string): string {
  try {
    return gunzipSync(bytes, { maxOutputLength: 1024 * 1024 }).toString('utf8')
  } catch {
    throw new BackupProblem(
      `${file} is damaged or cut off, so it is not known which log to follow: bring it back from a copy.`,
    )
  }
}
