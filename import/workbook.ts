import { unzipSync } from 'fflate'
import type { Cell, CellValue } from 'hucre/xlsx'
import { unescapeFormulas } from '#derive/csv.ts'
import type { CellProblem, FileRow } from '#derive/import/file.ts'
import { FileProblem } from '#derive/import/file-problem.ts'
import { importWorkbookBytesMax } from '#registry/limits.ts'

/** Reads a sheet of a workbook (.xlsx), with the types of its cells. */

/** Reads the first sheet, or the one with a name. */
export async function readWorkbook(
  bytes: Uint8Array,
  sheet: string | undefined,
): Promise<{ sheet: string; sheets: string[]; rows: FileRow[] }> {
  checkUnpackedSize(bytes)
  const { readXlsx } = await import('hucre/xlsx')
  const sheets: string[] = []
  const workbook = await readXlsx(bytes, {
    readStyles: true,
    sheets: ({ name }, index) => {
      sheets.push(name)
      return sheet === undefined ? index === 0 : name === sheet
    },
  }).catch((error: unknown) => {
    throw new FileProblem('workbook', error instanceof Error ? error.message : String(error))
  })
  const [read] = workbook.sheets
  if (!read) throw new FileProblem('no_sheet', sheet ?? '', sheets.join(', '))
  const rows = read.rows.map((values, index) => rowOf(index, values, (column) => read.cells?.get(`${index},${column}`)))
  return { sheet: read.name, sheets, rows }
}

/** Throws if a workbook is larger unpacked than is read into memory. The reader holds each entry to its size. */
function checkUnpackedSize(bytes: Uint8Array): void {
  let unpacked = 0
  try {
    unzipSync(bytes, {
      filter: ({ originalSize }) => {
        unpacked += originalSize
        return false
      },
    })
  } catch (error) {
    throw new FileProblem('workbook', error instanceof Error ? error.message : String(error))
  }
  if (unpacked > importWorkbookBytesMax) throw new FileProblem('too_large', String(importWorkbookBytesMax / 1024 ** 2))
}

function rowOf(index: number, values: readonly CellValue[], styledCell: (column: number) => Cell | undefined): FileRow {
  const typed = new Set<number>()
  const problems: CellProblem[] = []
  const cells = values.map((value, column) => {
    const cell = styledCell(column)
    if (cell?.type === 'error' || (cell?.formula !== undefined && value === null)) {
      const told = String(value ?? `=${cell.formula}`)
      problems.push({
        index: column,
        code: 'formula_error',
        message: `is a formula without a value: ${told}`,
        told: [told],
      })
      return told
    }
    if (typeof value !== 'string' && value !== null) typed.add(column)
    return formatCell(value, cell?.style?.numFmt ?? '')
  })
  return { line: index + 1, cells, typed, problems }
}

/** Spells a value as programs write it, but a share in percent and with the zeros before it that the sheet shows. */
function formatCell(value: CellValue, format: string): string {
  if (value instanceof Date) return formatMoment(value)
  // A file of separated cells may have become a workbook.
  if (typeof value !== 'number') return unescapeFormulas(String(value ?? ''))
  // Every second part between quotes is outside of them.
  const outside = format.split('"').filter((_, index) => index % 2 === 0)
  const isShare = outside.join('').replaceAll('\\%', '').includes('%')
  const text = String(Number((isShare ? value * 100 : value).toPrecision(digitsOfWorkbooks)))
  if (isShare) return `${text}%`
  return /^0+$/.test(format) ? text.padStart(format.length, '0') : text
}

/** Digits that a number of a spreadsheet has; more come from its binary form. */
const digitsOfWorkbooks = 15

/** Spells a day, with its time unless that is midnight. A time alone is of the day 0, the last one of 1899. */
function formatMoment(moment: Date): string {
  const [day = '', time = ''] = moment.toISOString().split('T')
  const clock = time.slice(0, 5)
  if (moment.getUTCFullYear() < 1900) return clock
  return time.startsWith('00:00:00') ? day : `${day} ${clock}`
}
