import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { DayOrder, DecimalSign, Habits, OpenHabit } from '#registry/fields/kind.ts'
import { memoize } from '#registry/memoize.ts'
import { parseOpen, parseValue } from '../parse-value.ts'
import type { ImportFile } from './file.ts'
import { type Target, targetsOf } from './targets.ts'

/** How a file writes numbers and days: as it was chosen, else as its cells decide. */

/** The words of settings and options for the sign before decimals, and for the first part of a day. */
export const decimalWords = { comma: ',', point: '.' } as const satisfies { readonly [word: string]: DecimalSign }
export const dateWords = { dmy: 'day', mdy: 'month' } as const satisfies { readonly [word: string]: DayOrder }

export type DecimalWord = keyof typeof decimalWords
export type DateWord = keyof typeof dateWords
export type ChosenHabits = { decimal?: DecimalWord; dates?: DateWord }

/** A cell that two choices of a habit read as different values, or of which each reads what the other refuses. */
type OpenCell = { column: string; line: number; text: string }

/** The habits that are decided, and a cell for each that is not and has to be. */
export type FileHabits = {
  decimal: DecimalWord | undefined
  dates: DateWord | undefined
  open: { readonly [habit in OpenHabit]?: OpenCell }
}

export type MappedColumn = Target & { column: string; index: number; isExact: boolean }

/** Returns the columns that are for a field. */
export function mapColumns(
  definition: Definition,
  columns: readonly string[],
  mapping: { readonly [column: string]: string },
): MappedColumn[] {
  const targets = new Map(targetsOf(definition).map((target) => [target.path, target]))
  return columns.flatMap((column, index) => {
    const target = targets.get(Object.hasOwn(mapping, column) ? (mapping[column] as string) : '')
    return target ? [{ ...target, column, index, isExact: column === target.path }] : []
  })
}

/** Decides the habits of a file: by the choice, else by all cells that only one choice can read. */
export function decideHabits(
  definition: Definition,
  { columns, rows }: Pick<ImportFile, 'columns' | 'rows'>,
  { columns: mapping, decimal, dates }: ChosenHabits & { columns: { readonly [column: string]: string } },
  currency: string,
): FileHabits {
  const votes = mapColumns(definition, columns, mapping).map(({ column, index, field, isExact }) => ({
    ...countVotes(field)(rows, String(index), currency, isExact ? 'exact' : ''),
    column,
  }))
  const open: { [habit in OpenHabit]?: OpenCell } = {}
  const decide = <Word extends string>(
    habit: OpenHabit,
    chosen: Word | undefined,
    words: { readonly [word in Word]: string },
  ) => {
    if (chosen !== undefined && Object.hasOwn(words, chosen)) return chosen
    const some = votes.filter((each) => each.habit === habit)
    const voted = (Object.keys(words) as Word[]).filter((word) => some.some(({ firsts }) => firsts[words[word]]))
    if (voted.length === 1) return voted[0]
    for (const { column, doubt, firsts } of some) {
      const cell = doubt ?? (voted.length > 1 ? Object.values(firsts)[0] : undefined)
      if (cell) open[habit] ??= { column, ...cell }
    }
    return undefined
  }
  return { decimal: decide('decimal', decimal, decimalWords), dates: decide('dayOrder', dates, dateWords), open }
}

type Cell = { line: number; text: string }

/** The first cell that each choice alone can read, and the first one that both read as different values. */
type Votes = { habit?: OpenHabit; firsts: { [choice: string]: Cell }; doubt?: Cell }

const countVotes = memoize((field: Field) =>
  memoize((rows: ImportFile['rows'], index: string, currency: string, exact: string): Votes => {
    const habits: Habits = { language: 'en', currency, isMinor: exact !== '' }
    const votes: Votes = { firsts: {} }
    for (const { line, cells, typed } of rows) {
      if (typed?.has(Number(index))) continue
      const text = cells[Number(index)] ?? ''
      const read = kindOf(field).parse(text, field, habits)
      if (!('open' in read)) continue
      votes.habit = read.open
      const choices = parseOpen(read.open, text, field, habits).filter(([, each]) => 'value' in each)
      if (choices.length === 1) votes.firsts[choices[0]?.[0] as string] ??= { line, text }
      else if ('open' in parseValue(text, field, habits)) votes.doubt ??= { line, text }
    }
    return votes
  }),
)

/** Returns the habits by which the cells of a file are parsed. */
export const readerHabits = ({ decimal, dates }: FileHabits): Pick<Habits, OpenHabit> => ({
  decimal: decimal && decimalWords[decimal],
  dayOrder: dates && dateWords[dates],
})
