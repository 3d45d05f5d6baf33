import type { Definition } from '#registry/definition.ts'
import { kindOf, referenceOf } from '#registry/fields/index.ts'
import type { Habits } from '#registry/fields/kind.ts'
import { decimalSignOf } from '#registry/fields/numeral.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { type LanguageCode, languages } from '#registry/words/index.ts'
import type { exportDelimiters } from './import/file.ts'
import { columnsOf, type Target } from './import/targets.ts'
import { columnLabel, valueLabels } from './labels.ts'
import { formatValue } from './parse-value.ts'

/** The export of a list as a file. Decisions, Console. */

/**
 * For people: labels, titles and values as the language writes them. For programs: names and values as `/v1` has them. For the
 * books: the columns of `list.books`.
 */
export const exportForms = ['people', 'programs', 'books'] as const
type ExportForm = (typeof exportForms)[number]

export type ExportStyle = {
  form: ExportForm
  language: LanguageCode
  delimiter: (typeof exportDelimiters)[number]
}

type StyleChoice = { [choice in keyof ExportStyle]?: ExportStyle[choice] | undefined }

/** Returns a style with the usual separator: a comma, unless people of the language write decimals behind it. */
export function styleOf({ form = 'programs', language = 'en', delimiter }: StyleChoice): ExportStyle {
  const usual = form === 'people' && decimalSignOf(languages[language].locale) === ',' ? ';' : ','
  return { form, language, delimiter: delimiter ?? usual }
}

/** A column of the file. A reference that is shown as a title says its field. */
export type ExportColumn = {
  title: string
  reference?: string
  read(record: JsonObject): Json
}

/** Returns the columns of an export: the id, and those of the fields. Lists of lines are for programs alone. */
export function exportColumns(
  definition: Definition,
  fields: readonly string[] | undefined,
  { form, language }: ExportStyle,
  currency: string,
): ExportColumn[] {
  const columns = columnsOf(definition).filter(({ name }) => name === 'id' || !fields || fields.includes(name))
  if (form === 'programs') return columns.map((column) => ({ title: column.path, read: readOf(column) }))
  const { locale, catalogue } = languages[language]
  const habits: Habits = { language: locale, currency, labelsOf: valueLabels([catalogue], definition) }
  return columns
    .filter(({ field }) => !kindOf(field).many)
    .map((column) => {
      const read = readOf(column)
      const title = columnLabel(catalogue, definition, column)
      if (referenceOf(column.field)) return { title, reference: column.name, read }
      return { title, read: (record) => formatValue(read(record), column.field, habits) }
    })
}

/** Returns the function that reads a column of a record: a field, or a member of one, such as `address.city`. */
function readOf({ name, member }: Target): ExportColumn['read'] {
  if (member === undefined) return (record) => record[name] ?? null
  return ({ [name]: whole }) => (isObject(whole) ? (whole[member] ?? null) : null)
}
