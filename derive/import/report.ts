import type { DoubtCode } from '#registry/field-codes.ts'
import { byteOrderMark, formatRow } from '../csv.ts'
import type { ImportFile } from './file.ts'
import type { Double, RowOutcome } from './importer.ts'
import type { RowProblem } from './rows.ts'

/** The preview of an import as files for a spreadsheet. */

/** Returns the whole preview: a line for each changed field, and for each problem. */
export function differenceCsv(rows: readonly RowOutcome[]): string {
  const lines = rows.flatMap(({ line, outcome, id, title, fields, problems, emptied, accepted, doubles }) => {
    const changes = Object.entries(fields).map(([field, [before, after]]) => ['', '', field, before, after, ''])
    const wrong = problems.map(({ column, value, field, message }) => [column, value, field, null, null, message])
    const marked = (mark: string, some: readonly RowProblem[]) =>
      some.map(({ column, value, field, message }) => [column, value, field, null, null, `${mark}: ${message}`])
    const settled = [...marked('left empty', emptied), ...marked('accepted', accepted)]
    const alike = doubles.map((one) => ['', '', one.field, null, null, formatDouble(one)])
    const all = [...changes, ...wrong, ...settled, ...alike]
    return (all.length > 0 ? all : [['', '', '', null, null, '']]).map((rest) => [line, outcome, id, title, ...rest])
  })
  return byteOrderMark + [differenceHeader, ...lines].map((line) => formatRow(line)).join('')
}

const formatDouble = (double: Double): string =>
  `is also that of ${double.title} (${'id' in double ? `id ${double.id}` : `line ${double.line}`})`

const differenceHeader = ['line', 'outcome', 'id', 'record', 'column', 'value', 'field', 'old', 'new', 'problem']

/** Returns the refused rows as they stand in the file, with their problems, to be corrected and imported again. */
export function refusedCsv(
  { columns, rows }: Pick<ImportFile, 'columns' | 'rows'>,
  outcomes: readonly RowOutcome[],
): string {
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused')
  const lines = refused.map(({ n, problems }) => [
    ...columns.map((_, index) => rows[n]?.cells[index] ?? ''),
    problems.map(formatProblem).join('; '),
  ])
  return byteOrderMark + [[...columns, problemColumn], ...lines].map((line) => formatRow(line)).join('')
}

/** The problems of one reason in one column: the first of them, with its line, and the count of their rows. */
export type ProblemGroup = { problem: RowProblem; line: number; count: number }

/** Returns the reasons of refusals, the most frequent first. */
export function groupProblems(rows: readonly RowOutcome[]): ProblemGroup[] {
  const all = rows.flatMap(({ problems, line }) => problems.map((problem) => ({ problem, line })))
  const groups = Map.groupBy(all, ({ problem: { column, field, code } }) => JSON.stringify([column, field, code]))
  return [...groups.values()]
    .flatMap((group) => (group[0] ? [{ ...group[0], count: group.length }] : []))
    .toSorted((one, other) => other.count - one.count)
}

/** Returns the cells that do not fit optional fields, so that they can be left empty, or were. */
export const unfitCells = (rows: readonly RowOutcome[]): { line: number; problem: RowProblem }[] =>
  rows.flatMap(({ line, problems, emptied }) =>
    [...problems, ...emptied].flatMap((problem) => (problem.isUnfit ? [{ line, problem }] : [])),
  )

/** Returns the doubts about rows by their codes, accepted or not, each with the count of its rows. */
export function countDoubts(rows: readonly RowOutcome[]): Map<DoubtCode, number> {
  const codes = rows.flatMap(({ problems, accepted }) => [
    ...new Set([...problems, ...accepted].flatMap(({ doubt }) => doubt ?? [])),
  ])
  return new Map([...Map.groupBy(codes, (code) => code)].map(([code, some]) => [code, some.length]))
}

const problemColumn = 'Problem'

export const formatProblem = ({ column, field, message }: RowOutcome['problems'][number]): string =>
  [column ?? field, message].filter((part) => part !== '').join(' ')
