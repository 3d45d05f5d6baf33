import { inLine } from '#derive/format-printable.ts'
import { isWritten, type RowOutcome } from '#derive/import/importer.ts'
import { formatProblem } from '#derive/import/report.ts'
import type { ImportSettings } from '#derive/import/rows.ts'
import type { Counts, SessionState } from '#derive/import/session.ts'

/** Formats how the file is read. */
export const formatSettings = ({ columns, match, dates, decimal }: ImportSettings): string[] => [
  ...Object.entries(columns).map(([column, path]) => `  ${inLine(column)} → ${path}`),
  `Days are read as ${dates}, numbers with a decimal ${decimal}; ${match === null ? 'each row makes a record' : `records are found by ${match}`}.`,
]

export const formatCounts = ({ created, changed, same, refused }: Counts, mood: 'would' | 'did'): string =>
  mood === 'would'
    ? `Would create ${created}, change ${changed}, leave ${same} alone and refuse ${refused}.`
    : `Created ${created}, changed ${changed}, left ${same} alone, refused ${refused}.`

const shownMax = 20

/** Formats the first rows that create or change a record. */
export const changedLines = (rows: readonly RowOutcome[]): string[] =>
  rows
    .filter(isWritten)
    .slice(0, shownMax)
    .map(({ line, title, fields }) => {
      const changes = Object.entries(fields).map(
        ([name, pair]) => `${name} ${pair.map((one) => JSON.stringify(one)).join(' → ')}`,
      )
      return `line ${line}, ${inLine(title)}: ${inLine(changes.join('; '))}`
    })

/** Formats the first refused rows with the reasons. */
export function refusedLines(rows: readonly RowOutcome[], report: string | undefined): string[] {
  const refused = refusedOf(rows)
  const lines = refused
    .slice(0, shownMax)
    .map(({ line, problems }) => `line ${line}: ${problems.map(withValue).join('; ')}`)
  const more = refused.length - shownMax
  const where = report === undefined ? 'give --report for all of them' : `${report} has all of them`
  return more > 0 ? [...lines, `… and ${more} more: ${where}.`] : lines
}

function withValue(problem: RowOutcome['problems'][number]): string {
  const said = problem.value === '' ? '' : ` (the cell has ${JSON.stringify(problem.value)})`
  return inLine(formatProblem(problem) + said)
}

/** Returns an import for programs. */
export const jsonOf = ({ counts, rows, settings }: SessionState) => ({
  ...counts,
  refused_rows: refusedOf(rows)
    .slice(0, 1000)
    .map(({ line, problems }) => ({ line, problems })),
  columns: settings.columns,
})

const refusedOf = (rows: readonly RowOutcome[]): RowOutcome[] => rows.filter(({ outcome }) => outcome === 'refused')
