import { byteOrderMark, formatRow } from '#derive/csv.ts'
import type { ExportStyle } from '#derive/export.ts'
import { columnLabel } from '#derive/labels.ts'
import { dayMilliseconds } from '#derive/moment.ts'
import { formatValue } from '#derive/parse-value.ts'
import type { Sheet } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import type { Habits } from '#registry/fields/kind.ts'
import type { JsonObject } from '#registry/json.ts'
import type { ListRequest } from '#registry/listing.ts'
import { languages } from '#registry/words/index.ts'
import { createNames } from './export-names.ts'
import type { Source } from './export-records.ts'

/** Returns the listing without the records outside of the week of a day, which begins on Monday. */
export function weekListing(listing: ListRequest, { day }: Sheet, inWeek: string): ListRequest {
  const days = daysOfWeek(inWeek)
  const range = { field: day, from: days[0] as string, to: days[6] as string }
  return { ...listing, fields: undefined, ranges: [...(listing.ranges ?? []), range] }
}

function daysOfWeek(day: string): string[] {
  const at = Date.parse(`${day}T00:00:00Z`)
  const monday = at - ((new Date(at).getUTCDay() + 6) % 7) * dayMilliseconds
  return Array.from({ length: 7 }, (_, n) => new Date(monday + n * dayMilliseconds).toISOString().slice(0, 10))
}

/** Formats the records of a week as one row for each record of the sheet's rows, with its days and their sum. */
export async function* formatWeek(
  { database, actor, definition, currency }: Source,
  pages: AsyncIterable<JsonObject[]>,
  { sheet, week, style }: { sheet: Sheet; week: string; style: ExportStyle },
) {
  const { row, day, cell } = sheet
  const { language, delimiter } = style
  const { locale, catalogue } = languages[language]
  const habits: Habits = { language: locale, currency }
  const days = daysOfWeek(week)
  const names = createNames(database, actor, definition)
  const rows = new Map<string, number[]>()
  for await (const records of pages) {
    await names.read(
      row,
      records.map((record) => record[row] ?? null),
    )
    for (const record of records) {
      const name = names.of(row, record[row] ?? null)
      const units = rows.get(name) ?? days.map(() => 0)
      const at = days.indexOf(String(record[day]))
      units[at] = (units[at] ?? 0) + Math.round(Number(record[cell]) * unitsOfOne)
      rows.set(name, units)
    }
  }
  const label = (name: string): string => columnLabel(catalogue, definition, { name, member: undefined })
  const format = (name: string, value: string | number): string =>
    formatValue(value, definition.fields[name] as Field, habits)
  yield byteOrderMark + formatRow([label(row), ...days.map((one) => format(day, one)), catalogue.sheet.sum], delimiter)
  for (const [name, units] of [...rows].toSorted(([one], [other]) => one.localeCompare(other, locale))) {
    const sum = units.reduce((whole, part) => whole + part, 0)
    const cells = [...units, sum].map((part) => (part === 0 ? '' : format(cell, part / unitsOfOne)))
    yield formatRow([name, ...cells], delimiter)
  }
}

/** Sums are of whole parts of a unit, so that they are exact. */
const unitsOfOne = 10_000
