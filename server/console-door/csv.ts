import type { Definition } from '#registry/definition.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { kindOf } from '#registry/kinds/index.ts'

/** CSV as RFC 4180 writes it, with a byte order mark: without one Excel takes UTF-8 for something else. */
export const byteOrderMark = '\ufeff'

/** A column of the file: a field, or a member of one, such as `address.city`. */
export type Column = { title: string; read(record: JsonObject): Json }

export function columnsOf({ fields }: Definition, wanted: readonly string[] | undefined): Column[] {
  return Object.entries(fields)
    .filter(([name]) => !wanted || name === 'id' || wanted.includes(name))
    .flatMap(([name, field]): Column[] => {
      const kind = kindOf(field)
      const members = kind.many ? undefined : kind.members?.(field)
      if (!members) return [{ title: name, read: (record) => record[name] ?? null }]
      return Object.keys(members).map((member) => ({
        title: `${name}.${member}`,
        read: ({ [name]: whole }) => (isObject(whole) ? (whole[member] ?? null) : null),
      }))
    })
}

export const row = (values: readonly Json[]): string => `${values.map(cell).join(',')}\r\n`

function cell(value: Json): string {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  const safe = harmless(text)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A cell that begins like a formula would be run by the program that opens the file. A number is only a number. */
const harmless = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
