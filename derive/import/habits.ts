import type { Definition } from '#registry/definition.ts'
import type { ImportFile } from './file.ts'
import { targetsOf } from './targets.ts'
import type { DateOrder, DecimalSign } from './values.ts'

/** Guesses the formats of numbers and days from the columns. Returns `usual` if nothing decides it. */
export function guessHabits(
  definition: Definition,
  { columns, rows }: Pick<ImportFile, 'columns' | 'rows'>,
  mapping: { readonly [column: string]: string },
  usual: { dates: DateOrder; decimal: DecimalSign },
): { dates: DateOrder; decimal: DecimalSign } {
  const kinds = new Map(targetsOf(definition).map(({ path, field }) => [path, field.kind]))
  const cellsOf = (...wanted: string[]): string[] =>
    columns.flatMap((column, index) =>
      wanted.includes(kinds.get(mapping[column] ?? '') ?? '')
        ? rows.slice(0, sampleRows).map(({ cells }) => cells[index]?.trim() ?? '')
        : [],
    )
  return {
    decimal: decimalOf(cellsOf('money', 'decimal')) ?? usual.decimal,
    dates: datesOf(cellsOf('date')) ?? usual.dates,
  }
}

const sampleRows = 1000

/** Returns the last sign of a number, unless three digits alone follow it: `1.234` decides nothing. */
function decimalOf(cells: readonly string[]): DecimalSign | undefined {
  const commas = cells.filter((cell) => /,\d{1,2}\D{0,5}$/.test(cell) || /\.\d{3},/.test(cell)).length
  const points = cells.filter((cell) => /\.\d{1,2}\D{0,5}$/.test(cell) || /,\d{3}\./.test(cell)).length
  if (commas === points) return undefined
  return commas > points ? 'comma' : 'point'
}

/** A part above 12 is a day. Points mean that the day comes first. */
function datesOf(cells: readonly string[]): DateOrder | undefined {
  const parts = cells.flatMap((cell) => {
    const match = /^(\d{1,2})([-./])(\d{1,2})[-./]\d{4}/.exec(cell)
    return match ? [{ first: Number(match[1]), sign: match[2], second: Number(match[3]) }] : []
  })
  if (parts.length === 0) return cells.some((cell) => /^\d{4}-/.test(cell)) ? 'ymd' : undefined
  if (parts.some(({ first, sign }) => first > 12 || sign === '.')) return 'dmy'
  return parts.some(({ second }) => second > 12) ? 'mdy' : undefined
}
