import type { Definition } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'

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

export const formatRow = (values: readonly Json[]): string => `${values.map(cell).join(',')}\r\n`

function cell(value: Json): string {
  if (value === null || typeof value === 'number') return String(value ?? '')
  const safe = escapeFormula(typeof value === 'object' ? JSON.stringify(value) : String(value))
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * A program that opens the file runs a cell that begins like a formula. Which separator it goes by depends on its
 * country, and it heeds quotes only at the beginning of what it takes for a cell: so each part that some program could
 * take for one is looked at, and gets the apostrophe that makes it text; a cell that is a number and nothing else stays
 * one. OWASP, CSV Injection.
 */
function escapeFormula(text: string): string {
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return text
  const parts = text.split(/([;\t\r\n])/).map((part) => (isFormula(part) ? `'${part}` : part))
  return (/^[\t\r\n]/.test(text) ? "'" : '') + parts.join('')
}

/** Invisible characters hide no sign. The second half are full-width signs, which Excel treats like the first. */
const isFormula = (text: string): boolean => /^[\s"\p{Cf}\p{Cc}]*[=+\-@＝＋－＠]/u.test(text)
