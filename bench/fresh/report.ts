import type { Panel } from '../picture/times.ts'
import { formatNumber, table } from '../table.ts'
import type { Autoanalyze, GrowthResult } from './grow.ts'
import { type FreshWork, freshWorks, ratioMin, type WorkResult } from './works.ts'

/** The result of the works on a loaded and analysed database of one size. */
export type LoadedResult = { records: number; works: WorkResult[] }

export type ComparisonResult = {
  work: FreshWork
  records: number
  fresh: WorkResult
  analysed: WorkResult
  /** The fresh database's rate divided by the analysed one's. */
  ratio: number
  met: boolean
}

export function compare({ steps }: Pick<GrowthResult, 'steps'>, loaded: readonly LoadedResult[]): ComparisonResult[] {
  return steps.flatMap(({ records, works }) =>
    freshWorks.flatMap((work) => {
      const fresh = works.find((one) => one.work === work)
      const analysed = loaded.find((one) => one.records === records)?.works.find((one) => one.work === work)
      if (!fresh || !analysed) return []
      const ratio = fresh.perSecond / analysed.perSecond
      return [{ work, records, fresh, analysed, ratio, met: ratio >= ratioMin }]
    }),
  )
}

/** Formats the table. Two numbers in a column are of the fresh database and of the analysed one. */
export const freshTable = (compared: readonly ComparisonResult[]): string =>
  table(
    ['work', 'records', 'fresh/s', 'analysed/s', 'ratio', 'asked', 'p99 ms', 'index entries', 'table rows'],
    freshWorks.flatMap((work) =>
      compared
        .filter((one) => one.work === work)
        .map(({ records, fresh, analysed, ratio, met }) => {
          const both = (pick: (measured: WorkResult) => number, digits: number): string =>
            `${formatNumber(pick(fresh), digits)} / ${formatNumber(pick(analysed), digits)}`
          return [
            work,
            formatNumber(records),
            formatNumber(fresh.perSecond),
            formatNumber(analysed.perSecond),
            formatNumber(ratio, 2),
            `${met ? '✓' : '✗'} ≥ ${ratioMin}`,
            both(({ p99 }) => p99, 1),
            both(({ entries }) => entries, 1),
            both(({ rows }) => rows, 1),
          ]
        }),
    ),
  )

export const autoanalyzeSentence = (autoanalyzes: readonly Autoanalyze[]): string =>
  autoanalyzes.length === 0
    ? 'PostgreSQL did not analyse the projects by itself while they grew.'
    : `PostgreSQL analysed the projects by itself ${autoanalyzes
        .map(({ seconds, records }) => `after ${formatNumber(seconds)} s, at ${formatNumber(records)} records`)
        .join('; ')}.`

/** Returns a panel for the rates of each work, and one for the rows that the fresh database reads. */
export function freshPanels(compared: readonly ComparisonResult[]): Panel[] {
  const of = (work: FreshWork, pick: (one: ComparisonResult) => number) =>
    compared.filter((one) => one.work === work).map((one) => ({ x: one.records, y: pick(one) }))
  return [
    ...freshWorks.map((work) => ({
      about: `${work}, a second`,
      series: [
        { name: 'fresh', points: of(work, ({ fresh }) => fresh.perSecond) },
        { name: 'analysed', points: of(work, ({ analysed }) => analysed.perSecond) },
      ],
    })),
    {
      about: 'index entries read by a call, fresh',
      series: freshWorks.map((work) => ({ name: work, points: of(work, ({ fresh }) => fresh.entries) })),
    },
  ]
}
