import type { FileRow, ImportFile } from '#derive/import/file.ts'
import { FileProblem } from '#derive/import/file-problem.ts'
import { importColumnsMax, importRowsMax } from '#registry/limits.ts'

/** Tells the header and the records of a file from its titles and totals. */

/** Returns how many cells are names of fields. */
export type CountNames = (cells: readonly string[]) => number

type RowDivision = Pick<ImportFile, 'columns' | 'rows' | 'firstRows' | 'leftOut'> & { headerRow: number }

/** Divides all rows of a file. `chosen` is the line of the header; 0 if there is none. */
export function divideRows(all: readonly FileRow[], chosen: number | undefined, countNames: CountNames): RowDivision {
  const filled = all.filter((row) => !isEmpty(row))
  const firstRows = filled.slice(0, firstRowsShown)
  const header = chosen === 0 ? undefined : findHeader(filled, chosen, countNames)
  const above = header ? filled.indexOf(header) : -1
  const names = header?.cells ?? Array(Math.max(0, ...filled.map(({ cells }) => cells.length))).fill('')
  if (names.length > importColumnsMax) throw new FileProblem('too_many_columns', String(importColumnsMax))
  const columns = nameColumns(names)
  const below = header ? all.slice(all.indexOf(header) + 1) : all
  const end = header && columns.length > 1 ? endOfRecords(below) : below.length
  const rows = below.slice(0, end).filter((row) => !isEmpty(row))
  if (rows.length === 0) throw new FileProblem('empty')
  if (rows.length > importRowsMax) throw new FileProblem('too_many_rows', String(importRowsMax))
  const leftOut = [...filled.slice(0, Math.max(0, above)), ...below.slice(end).filter((row) => !isEmpty(row))]
  return { columns, rows, firstRows, leftOut, headerRow: header?.line ?? 0 }
}

const firstRowsShown = 20
const headerRowsLooked = 30

const isEmpty = ({ cells }: FileRow): boolean => cells.every((cell) => cell.trim() === '')

/** Returns the chosen row, or the one with the most known names, of which one alone proves nothing. */
function findHeader(filled: readonly FileRow[], chosen: number | undefined, countNames: CountNames): FileRow {
  const [first] = filled
  if (!first) throw new FileProblem('empty')
  if (chosen !== undefined) {
    const row = filled.find(({ line }) => line === chosen)
    if (row) return row
    throw new FileProblem('no_header_row', String(chosen))
  }
  const counted = filled.slice(0, headerRowsLooked).map((row) => ({ row, names: countNames(row.cells) }))
  const best = counted.reduce((most, next) => (next.names > most.names ? next : most))
  return best.names > 1 ? best.row : first
}

/** Returns where the records end: totals are behind them, or behind an empty row single cells. */
function endOfRecords(rows: readonly FileRow[]): number {
  const end = rows.findLastIndex((row) => !isEmpty(row)) + 1
  const isTotal = totals.has(normalizeTotal(rows[end - 1]?.cells[0] ?? ''))
  if (isTotal) return endOfRecords(rows.slice(0, end - 1))
  const gap = rows.slice(0, end).findLastIndex(isEmpty)
  const isNote = gap >= 0 && end > gap + 1 && rows.slice(gap + 1, end).every(hasSingleCell)
  return isNote ? endOfRecords(rows.slice(0, gap)) : end
}

const hasSingleCell = ({ cells }: FileRow): boolean => cells.filter((cell) => cell.trim() !== '').length === 1

const normalizeTotal = (cell: string): string => cell.trim().replace(/[:=]$/, '').trimEnd().toLowerCase()

const totals: ReadonlySet<string> = new Set([
  ...['total', 'totals', 'grand total', 'subtotal', 'sum'],
  ...['summe', 'gesamt', 'gesamtsumme', 'zwischensumme', 'insgesamt', 'endsumme'],
])

/** Returns unique names: a repeated or empty one gets its number. */
function nameColumns(header: readonly string[]): string[] {
  const names: string[] = []
  for (const [index, cell] of header.entries()) {
    const name = cell.trim() || `Column ${index + 1}`
    let unlike = name
    for (let n = 2; names.includes(unlike); n++) unlike = `${name} (${n})`
    names.push(unlike)
  }
  return names
}
