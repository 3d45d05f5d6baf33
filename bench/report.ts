import type { Figures } from './measure.ts'
import { formatNumber, table } from './table.ts'
import { type WorkName, works } from './works.ts'

/** One work at one size and one number of connections, for each system. */
export type ReportRow = {
  work: WorkName
  records: number
  connections: number
  systems: { readonly [system: string]: Figures }
  /** The reason why there are no figures: a wrong answer, because a rate of wrong answers means nothing. */
  failed?: string
}

/** The comparison of a row with its requirement. */
export type Verdict = { ratio: number | null; of: string; asked: number | null; met: boolean | null }

export function verdict(row: ReportRow, rows: readonly ReportRow[]): Verdict {
  const asked = works[row.work].asked
  const of = asked?.of ?? 'floor'
  const product = row.systems.product?.perSecond
  const base =
    of === 'floor' ? row.systems.floor?.perSecond : findComparedRow(row, of, rows)?.systems.product?.perSecond
  const ratio = product === undefined || base === undefined ? null : product / base
  return { ratio, of, asked: asked?.share ?? null, met: ratio === null || !asked ? null : ratio >= asked.share }
}

const findComparedRow = (
  { records, connections }: ReportRow,
  work: WorkName,
  rows: readonly ReportRow[],
): ReportRow | undefined =>
  rows.find((row) => row.work === work && row.records === records && row.connections === connections)

/** Formats the table of one size and number of connections. Two numbers in a column are of product and floor. */
export function tableOf(rows: readonly ReportRow[], all: readonly ReportRow[], other: string | null): string {
  const head = [
    ...['work', 'product/s', 'floor/s', 'ratio', 'asked', 'p50 ms', 'p99 ms'],
    ...['database ms', 'CPU µs', 'database CPU µs', 'MB'],
    ...(other === null ? [] : [`${other}/s`, 'to floor', 'p99 ms']),
  ]
  return table(
    head,
    rows.map((row) => {
      const { product, floor } = row.systems
      const another = other === null ? undefined : row.systems[other]
      const both = (pick: (figures: Figures) => number | null, digits: number): string =>
        floor
          ? `${formatNumber(product && pick(product), digits)} / ${formatNumber(pick(floor), digits)}`
          : formatNumber(product && pick(product), digits)
      return [
        row.work,
        formatNumber(product?.perSecond),
        formatNumber(floor?.perSecond),
        ...formatVerdict(verdict(row, all)),
        both((figures) => figures.p50, 2),
        both((figures) => figures.p99, 2),
        both((figures) => figures.databaseMilliseconds, 3),
        both((figures) => figures.cpuMicroseconds, 0),
        both((figures) => figures.databaseCpuMicroseconds, 0),
        both((figures) => figures.residentMegabytes, 0),
        ...(other === null
          ? []
          : [
              formatNumber(another?.perSecond),
              formatNumber(another && floor && another.perSecond / floor.perSecond, 2),
              formatNumber(another?.p99, 2),
            ]),
      ]
    }),
  )
}

function formatVerdict({ ratio, of, asked, met }: Verdict): [ratio: string, asked: string] {
  if (asked === null) return [formatNumber(ratio, 2), '']
  const sign = met === null ? ' ' : met ? '✓' : '✗'
  return [formatNumber(ratio, 2), `${sign} ≥ ${asked.toFixed(2)}${of === 'floor' ? '' : ` of ${of}`}`]
}

/** Formats the failures of the works. */
export const failures = (rows: readonly ReportRow[]): string =>
  rows.flatMap(({ work, failed }) => (failed === undefined ? [] : [`${work} has no figures. ${failed}\n`])).join('')

/** Formats the total processor seconds of the systems' own processes. */
export function formatSpending(rows: readonly ReportRow[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.systems)))]
  const total = (name: string): number => rows.reduce((sum, row) => sum + (row.systems[name]?.cpuSeconds ?? 0), 0)
  return names.map((name) => `${name} ${formatNumber(total(name), 1)} s`).join(', ')
}
