import type { Definition } from '#registry/definition.ts'
import type { DoubtCode } from '#registry/field-codes.ts'
import type { FaultCode, Habits, OpenHabit } from '#registry/fields/kind.ts'
import { trimInvisible } from '#registry/invisible.ts'
import { isObject, type JsonObject, memberOf } from '#registry/json.ts'
import { valueLabels } from '../labels.ts'
import { faultMessage, parseValue } from '../parse-value.ts'
import type { CellProblem, FileFormat, FileRow, ImportFile } from './file.ts'
import { type ChosenHabits, decideHabits, type FileHabits, mapColumns, readerHabits } from './habits.ts'
import type { ImportInput, RowOutcome } from './importer.ts'
import { type Target, targetsOf } from './targets.ts'
import { type Words, wordOf } from './words.ts'

/** Converts a row of the file to the body of an operation, or to problems by column. */

/** The settings of an import. They are stored with it, and proposed for the next file of this sort. */
export type ImportSettings = ChosenHabits & {
  /** Column → path of its target. Columns that are absent are ignored. */
  columns: { readonly [column: string]: string }
  /** The field by which a row finds its record; null creates a record for each row. */
  match: string | null
  reading: FileFormat
  /** The doubts that are accepted, by their codes; each other one refuses its row. */
  accepts?: DoubtCode[]
  /** Whether cells that do not fit optional fields are left empty; else they refuse their row. */
  unfit?: Unfit
  words?: Words
  /** Index of a row → column → the text in place of its cell. */
  mended?: Mended
  /** Indexes of the rows that were refused, and stand once more behind the rows of the file. */
  again?: number[]
}

export const unfitChoices = ['refuse', 'empty'] as const
export type Unfit = (typeof unfitChoices)[number]
export type Mended = { readonly [n: string]: { readonly [column: string]: string } }

export type RowCode =
  | FaultCode
  | 'open'
  | CellProblem['code']
  | 'cells'
  | 'unreadable'
  | 'no_key'
  | 'twice'
  | 'unknown_name'
  | 'ambiguous_name'
  | 'refused'

/** Why a row is refused. `column` is null if the problem is the row's, or no column has it. */
export type RowProblem = {
  column: string | null
  value: string
  field: string
  code: RowCode
  message: string
  /** Names of records, or the number of a line, for the message. */
  told?: readonly string[]
  /** True if the cell could be left empty: its text does not fit an optional field. */
  isUnfit?: boolean
  /** The code of the doubt that it is: the row is written if that is accepted. */
  doubt?: DoubtCode
}

/**
 * A name in place of an id, which is put into the body at `path` when it is found. `isNew` if a record with the name is
 * to be created unless there is one.
 */
export type NamedReference = { path: string; column: string; text: string; isNew: boolean; isOptional: boolean }

export type RowReader = (row: FileRow, n: number) => RowOutcome

export function createRowReader({ definition, file, settings, currency, catalogues }: ImportInput): RowReader {
  const { columns } = file
  const { match } = settings
  const habits: Habits = {
    ...readerHabits(decideHabits(definition, file, settings, currency)),
    // Words of both languages are read, whatever the reader's is.
    ...{ language: 'en', currency, labelsOf: valueLabels(catalogues, definition) },
  }
  const mapped = mapColumns(definition, columns, settings.columns).map((each) => ({
    ...each,
    habits: { ...habits, isMinor: each.isExact },
  }))
  const byMatch = mapped.find(({ path }) => path === match)

  return ({ line, cells, typed, problems }, n) => {
    const read: RowOutcome = {
      n,
      line,
      body: {},
      names: [],
      key: null,
      outcome: 'created',
      id: null,
      title: '',
      fields: {},
      problems: [],
      doubles: [],
      emptied: [],
      accepted: [],
    }
    const refuse = (
      column: string | null,
      value: string,
      field: string,
      { code, message, told }: Pick<RowProblem, 'code' | 'message' | 'told'>,
      isUnfit = false,
    ): void => {
      const problem = { column, value: value.slice(0, valueShown), field, code, message, ...(told && { told }) }
      read.problems.push({ ...problem, ...(isUnfit && { isUnfit }) })
    }
    if (cells.length !== columns.length) {
      const message = `has ${cells.length} cells, where the columns are ${columns.length}`
      refuse(null, '', '', { code: 'cells', message })
      return read
    }
    for (const cell of mapped) {
      const { column, index, path, field, habits } = cell
      const isOptional = !field.required && path !== match
      const mended = memberOf(memberOf(settings.mended ?? {}, String(n)) ?? {}, column)
      const original = (mended ?? (cells[index] as string)).trim()
      const word = wordOf(settings, column, original)
      const text = typeof word === 'string' ? word : original
      const isAsInFile = mended === undefined && word === undefined
      // An empty cell leaves the stored value as it is.
      if (text === '') continue
      const problem = isAsInFile ? problems?.find((one) => one.index === index) : undefined
      const refuseCell = (why: Pick<RowProblem, 'code' | 'message' | 'told'>) =>
        refuse(column, text, path, why, isOptional)
      if (problem) refuseCell(problem)
      else if (unreadable.test(text)) refuseCell({ code: 'unreadable', message: notReadable })
      else if (field.kind === 'reference' && !cell.isExact)
        read.names.push({ path, column, text: trimInvisible(text).normalize('NFC'), isNew: word === true, isOptional })
      else {
        const outcome = parseValue(text, field, isAsInFile && typed?.has(index) ? { ...habits, decimal: '.' } : habits)
        if ('fault' in outcome) {
          const { code, part } = outcome.fault
          const message = faultMessage(outcome.fault, field, habits)
          refuseCell({ code, message, told: [part.slice(0, valueShown)] })
        } else if ('open' in outcome) refuseCell({ code: 'open', message: openMessages[outcome.open] })
        else if (outcome.value !== null) {
          if (path === match) read.key = String(outcome.value)
          if (!field.readOnly) put(read.body, cell, outcome.value)
        }
      }
    }
    if (byMatch && read.key === null && !read.problems.some((one) => one.column === byMatch.column)) {
      const reason = { code: 'no_key' as const, message: 'is empty, so no record can be found by it' }
      refuse(byMatch.column, '', byMatch.path, reason)
    }
    return read
  }
}

export const valueShown = 200

const notReadable = 'has characters that cannot be read: is the encoding another one?'
/** Replacement characters of undecodable bytes, and control characters except tab and line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unreadable = /[\ufffd\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

function put(body: JsonObject, { name, member }: Target, value: JsonObject[string]): void {
  if (member === undefined) body[name] = value
  else body[name] = { ...(isObject(body[name]) ? body[name] : {}), [member]: value }
}

/** Returns the column of a field of an operation. */
export const columnOf = ({ columns }: ImportSettings, path: string): string | null =>
  Object.entries(columns).find(
    ([, target]) => target === path || path.startsWith(`${target}.`) || target.startsWith(`${path}.`),
  )?.[0] ?? null

/** Why settings cannot be used. The message names columns and fields as programs spell them. */
export type SettingsProblem = {
  code: 'no_field' | 'no_column' | 'used_twice' | 'match_lost' | 'no_columns' | 'open_decimal' | 'open_dayOrder'
  /** The path of a field, the name of a column, or the text of a cell. */
  about: string
  message: string
}

const openMessages: { readonly [habit in OpenHabit]: string } = {
  decimal: 'can be read with decimals or with thousands: say --decimal point or --decimal comma',
  dayOrder: 'can be read with the day or the month first: say --dates dmy or --dates mdy',
}

/** Returns all reasons why settings cannot be used. */
export function settingsProblems(
  definition: Definition,
  { columns }: Pick<ImportFile, 'columns'>,
  { columns: mapping, match }: ImportSettings,
  { open }: Pick<FileHabits, 'open'>,
): SettingsProblem[] {
  const paths = Object.values(mapping)
  const known = targetsOf(definition).map(({ path }) => path)
  const problems: SettingsProblem[] = []
  const refuse = (code: SettingsProblem['code'], about: string, message: string): void => {
    problems.push({ code, about, message: `${message}.` })
  }
  for (const path of paths.filter((one) => !known.includes(one))) {
    const field = `${definition.name} have no field ${JSON.stringify(path)} that can be imported`
    refuse('no_field', path, `${field}; there are ${known.join(', ')}`)
  }
  for (const column of Object.keys(mapping).filter((one) => !columns.includes(one)))
    refuse('no_column', column, `The file has no column ${JSON.stringify(column)}; there are ${columns.join(', ')}`)
  for (const path of new Set(paths.filter((one, index) => paths.indexOf(one) !== index)))
    refuse('used_twice', path, `Two columns are for ${path}; leave one out`)
  if (paths.length === 0) refuse('no_columns', '', 'No column is for a field; say at least one')
  if (match !== null && !paths.includes(match))
    refuse('match_lost', match, `No column is for ${match}, by which records are to be found`)
  for (const [habit, cell] of Object.entries(open)) {
    const { column, line, text } = cell
    const where = `${JSON.stringify(text)} in line ${line}, column ${JSON.stringify(column)},`
    refuse(`open_${habit as OpenHabit}`, text, `${where} ${openMessages[habit as OpenHabit]}`)
  }
  return problems
}
