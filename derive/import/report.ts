import { byteOrderMark, row as csvRow } from '../csv.ts'
import type { FileRow, ImportFile } from './file.ts'
import type { RowOutcome } from './importer.ts'

/** What an import would do, for a spreadsheet. */

/** The whole difference: a line for each field that changes, and for each mistake. */
export function differenceCsv(rows: readonly RowOutcome[]): string {
  const lines = rows.flatMap(({ line, outcome, id, title, fields, problems }) => {
    const changes = Object.entries(fields).map(([field, [before, after]]) => ['', '', field, before, after, ''])
    const wrong = problems.map(({ column, value, field, message }) => [column, value, field, null, null, message])
    const all = [...changes, ...wrong]
    return (all.length > 0 ? all : [['', '', '', null, null, '']]).map((rest) => [line, outcome, id, title, ...rest])
  })
  return byteOrderMark + [differenceHeader, ...lines].map(csvRow).join('')
}

const differenceHeader = ['line', 'outcome', 'id', 'record', 'column', 'value', 'field', 'old', 'new', 'problem']

/** The rows that are refused, as they stand in the file, with what is wrong: to be mended and imported again. */
export function refusedCsv(
  { columns, rows }: Pick<ImportFile, 'columns' | 'rows'>,
  outcomes: readonly RowOutcome[],
): string {
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused')
  const lines = refused.map(({ n, problems }) => [
    ...cellsOf(rows[n], columns.length),
    problems.map(formatProblem).join('; '),
  ])
  return byteOrderMark + [[...columns, problemColumn], ...lines].map(csvRow).join('')
}

const problemColumn = 'Problem'

const cellsOf = (row: FileRow | undefined, count: number): string[] =>
  Array.from({ length: count }, (_, index) => row?.cells[index] ?? '')

export const formatProblem = ({ column, field, message }: RowOutcome['problems'][number]): string =>
  [column ?? field, message].filter((part) => part !== '').join(' ')
