import type { Json } from '#registry/json.ts'
import type { Delimiter } from './import/file.ts'

/** CSV as RFC 4180 writes it, with a byte order mark: without one Excel takes UTF-8 for something else. */
export const byteOrderMark = '\ufeff'

export const formatRow = (values: readonly Json[], delimiter: Delimiter = ','): string =>
  `${values.map((value) => formatCell(value, delimiter)).join(delimiter)}\r\n`

function formatCell(value: Json, delimiter: Delimiter): string {
  if (value === null || typeof value === 'number') return String(value ?? '')
  const safe = escapeFormulas(typeof value === 'object' ? JSON.stringify(value) : String(value), delimiter)
  return /[",;|\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * A program that opens the file runs a cell that begins like a formula. Which separator it goes by depends on its
 * country, and it heeds quotes only at the beginning of what it takes for a cell: so each part that some program could
 * take for one is looked at, and gets the apostrophe that makes it text; a cell that is a number and nothing else stays
 * one. A part that is like an escaped one gets a further apostrophe, so that `unescapeFormulas` is the exact inverse.
 * OWASP, CSV Injection.
 */
function escapeFormulas(text: string, delimiter: Delimiter): string {
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return text
  const safe = replaceParts(text, delimiter, (part) => (needsApostrophe(part) ? `'${part}` : part))
  return /^'*[\t\r\n]/.test(text) ? `'${safe}` : safe
}

/** Removes the apostrophes that `formatRow` adds to a cell, and no others. */
export function unescapeFormulas(cell: string, delimiter: Delimiter = ','): string {
  if (!cell.includes("'")) return cell
  const parts = /^'+[\t\r\n]/.test(cell) ? cell.slice(1) : cell
  return replaceParts(parts, delimiter, (part) =>
    part.startsWith("'") && needsApostrophe(part) ? part.slice(1) : part,
  )
}

/** Replaces each part between the separators that a program may go by. That of the file stands in quotes. */
const replaceParts = (text: string, delimiter: Delimiter, replace: (part: string) => string): string =>
  text
    .split(delimiter === ',' ? /([;\t\r\n])/ : /([,;\t\r\n])/)
    .map(replace)
    .join('')

/** Returns whether a part is a formula, or would be one without the apostrophes before it. */
const needsApostrophe = (part: string): boolean => formula.test(part.slice(part.search(/[^']|$/)))

/** Invisible characters hide no sign. The second half are full-width signs, which Excel treats like the first. */
const formula = /^[\s"\p{Cf}\p{Cc}]*[=+\-@＝＋－＠]/u
