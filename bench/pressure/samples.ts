import { timesPicture } from '../picture/times.ts'
import { formatNumber, table } from '../table.ts'
import { lastToFirst, slopeOf } from './trend.ts'

/** A sample of one minute: the used memory and disk, and the answers to callers. */
export type Sample = {
  minutes: number
  residentMegabytes: number
  /** Megabytes after a full garbage collection. */
  heapMegabytes: number
  /** Megabytes of the database, which grows by the created records and by every call. */
  databaseMegabytes: number
  answered: number
  turnedAway: number
  p50: number
  p99: number
}

export type Trend = { megabytesPerHour: number; lastToFirst: number }
export type Trends = { resident: Trend; heap: Trend; database: Trend; p99: number }

/** Minutes of the first samples that are ignored, because the process is still warming up. */
const settledAfterMinutes = 2

export function trendsOf(samples: readonly Sample[]): Trends {
  const settled = samples.filter(({ minutes }) => minutes >= settledAfterMinutes)
  const used = settled.length > 2 ? settled : samples.slice(1)
  const of = (pick: (sample: Sample) => number): Trend => ({
    megabytesPerHour: 60 * slopeOf(used.map((sample) => ({ x: sample.minutes, y: pick(sample) }))),
    lastToFirst: lastToFirst(used.map(pick)),
  })
  return {
    resident: of(({ residentMegabytes }) => residentMegabytes),
    heap: of(({ heapMegabytes }) => heapMegabytes),
    database: of(({ databaseMegabytes }) => databaseMegabytes),
    p99: lastToFirst(used.map(({ p99 }) => p99)),
  }
}

export const lineOf = ({ minutes, ...sample }: Sample): string =>
  `${formatNumber(minutes, 1).padStart(6)} min  resident ${formatNumber(sample.residentMegabytes, 1)} MB  heap ${formatNumber(sample.heapMegabytes, 1)} MB  ` +
  `database ${formatNumber(sample.databaseMegabytes)} MB  answered ${formatNumber(sample.answered)}  turned away ${formatNumber(sample.turnedAway)}  ` +
  `p50 ${formatNumber(sample.p50, 2)} ms  p99 ${formatNumber(sample.p99, 1)} ms`

export const trendTable = ({ resident, heap, database }: Trends): string =>
  table(
    ['', 'MB an hour', 'last third by first'],
    Object.entries({ resident, 'heap, collected': heap, database }).map(([name, trend]) => [
      name,
      formatNumber(trend.megabytesPerHour, 1),
      formatNumber(trend.lastToFirst, 3),
    ]),
  )

export function samplesPicture(title: string, samples: readonly Sample[]): string {
  const series = (name: string, pick: (sample: Sample) => number, of = samples) => ({
    name,
    points: of.map((sample) => ({ x: sample.minutes, y: pick(sample) })),
  })
  const loaded = samples.slice(1)
  return timesPicture(title, 'minutes', [
    {
      about: 'memory of the server, MB',
      series: [
        series('resident', ({ residentMegabytes }) => residentMegabytes),
        series('heap, collected', ({ heapMegabytes }) => heapMegabytes),
      ],
    },
    { about: 'p99, ms', series: [series('p99', ({ p99 }) => p99, loaded)] },
    { about: 'the database, MB', series: [series('size', ({ databaseMegabytes }) => databaseMegabytes)] },
  ])
}
