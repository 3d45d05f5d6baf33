import type { Definition } from '#registry/definition.ts'
import type { FaultCode, Habits, OpenHabit } from '#registry/fields/kind.ts'
import { trimInvisible } from '#registry/invisible.ts'
import { isObject, type JsonObject } from '#registry/json.ts'
import { valueLabels } from '../labels.ts'
import { faultMessage, parseValue } from '../parse-value.ts'
import type { CellProblem, FileFormat, FileRow, ImportFile } from './file.ts'
import { type ChosenHabits, decideHabits, type FileHabits, mapColumns, readerHabits } from './habits.ts'
import type { ImportInput, RowOutcome } from './importer.ts'
import { type Target, targetsOf } from './targets.ts'

/** Converts a row of the file to the body of an operation, or to problems by column. */

/** The settings of an import. They are stored with it, and proposed for the next file of this sort. */
export type ImportSettings = ChosenHabits & {
  /** Column → path of its target. Columns that are absent are ignored. */
  columns: { readonly [column: string]: string }
  /** The field by which a row finds its record; null creates a record for each row. */
  match: string | null
  reading: FileFormat
}

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
}

/** A name in place of an id, which is put into the body at `path` when it is found. */
export type NamedReference = { path: string; column: string; text: string }

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
    }
    const refuse = (
      ...[column, value, field, code, message, told]: [
        string | null,
        string,
        string,
        RowCode,
        string,
        (readonly string[])?,
      ]
    ): void => {
      read.problems.push({ column, value: value.slice(0, valueShown), field, code, message, ...(told && { told }) })
    }
    if (cells.length !== columns.length) {
      refuse(null, '', '', 'cells', `has ${cells.length} cells, where the columns are ${columns.length}`)
      return read
    }
    for (const cell of mapped) {
      const { column, index, path, field, habits } = cell
      const text = (cells[index] as string).trim()
      // An empty cell leaves the stored value as it is.
      if (text === '') continue
      const problem = problems?.find((one) => one.index === index)
      if (problem) refuse(column, text, path, problem.code, problem.message, problem.told)
      else if (unreadable.test(text)) refuse(column, text, path, 'unreadable', notReadable)
      else if (field.kind === 'reference' && !cell.isExact)
        read.names.push({ path, column, text: trimInvisible(text).normalize('NFC') })
      else {
        const outcome = parseValue(
          removeApostrophe(text),
          field,
          typed?.has(index) ? { ...habits, decimal: '.' } : habits,
        )
        if ('fault' in outcome) {
          const { code, part } = outcome.fault
          refuse(column, text, path, code, faultMessage(outcome.fault, field, habits), [part.slice(0, valueShown)])
        } else if ('open' in outcome) refuse(column, text, path, 'open', openMessages[outcome.open])
        else if (outcome.value !== null) put(read.body, cell, outcome.value)
      }
    }
    if (byMatch) {
      const { column, path } = byMatch
      const value = read.body[path]
      read.key = typeof value === 'string' ? value : null
      if (read.key === null && read.problems.length === 0)
        refuse(column, '', path, 'no_key', 'is empty, so no record can be found by it')
    }
    return read
  }
}

export const valueShown = 200

/** Removes the apostrophe by which an export keeps a text from being a formula. */
const removeApostrophe = (text: string): string => (/^'[\s"]*[=+\-@＝＋－＠]/.test(text) ? text.slice(1) : text)

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
