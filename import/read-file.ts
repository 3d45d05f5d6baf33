import type { Encoding, EncodingQuestion, FileOptions, ImportFile } from '#derive/import/file.ts'
import { FileProblem } from '#derive/import/file-problem.ts'
import { importBytesMax } from '#registry/limits.ts'
import { decideEncoding, decodeText, nameBytes } from './encoding.ts'
import { type CountNames, divideRows } from './header.ts'
import { readSeparated } from './separated.ts'
import { readWorkbook } from './workbook.ts'

/** Reads a text with separators or a workbook as rows of texts. */

export type FileReader = {
  countNames: CountNames
  /** The encoding that was chosen last for such a file. */
  lastEncoding?: Encoding | undefined
}

/** Reads a file; or returns its possible encodings if nothing decides it. Throws a `FileProblem`. */
export async function readFile(
  bytes: Uint8Array,
  { headerRow, encoding: chosen, delimiter, sheet }: FileOptions,
  { countNames, lastEncoding }: FileReader,
): Promise<ImportFile | EncodingQuestion> {
  checkSize(bytes.length)
  if (startsWith(bytes, [0xd0, 0xcf, 0x11])) throw new FileProblem('old_workbook')
  if (startsWith(bytes, [0x50, 0x4b, 0x03])) {
    const workbook = await readWorkbook(bytes, sheet)
    const { headerRow: line, ...divided } = divideRows(workbook.rows, headerRow, countNames)
    return { ...divided, sheets: workbook.sheets, reading: { headerRow: line, sheet: workbook.sheet } }
  }
  if (sheet !== undefined) throw new FileProblem('no_workbook')
  const encoding = decideEncoding(bytes, { chosen, last: lastEncoding })
  const isQuestion = typeof encoding !== 'string'
  if (isQuestion || !encoding.startsWith('utf-16')) checkText(bytes)
  if (isQuestion) return encoding
  const { text, broken } = decodeText(bytes, encoding)
  const separated = await readSeparated(text, delimiter, countNames)
  const rows = broken.length === 0 ? separated.rows : nameBytes(separated.rows, broken)
  const { headerRow: line, ...divided } = divideRows(rows, headerRow, countNames)
  return { ...divided, sheets: [], reading: { headerRow: line, encoding, delimiter: separated.delimiter } }
}

/** Throws if a file is too large, before it is read into memory. */
export function checkSize(bytes: number): void {
  if (bytes > importBytesMax) throw new FileProblem('too_large', String(importBytesMax / 1024 ** 2))
}

const startsWith = (bytes: Uint8Array, start: readonly number[]): boolean =>
  start.every((byte, index) => bytes[index] === byte)

function checkText(bytes: Uint8Array): void {
  const nul = bytes.indexOf(0)
  if (nul < 0) return
  let line = 1
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < nul; at = bytes.indexOf(0x0a, at + 1)) line++
  throw new FileProblem('binary', String(line))
}

/** FNV-1a twice, with two offsets. Pages without TLS have no Web Crypto, and a collision helps nobody. */
export function fingerprintOf(bytes: Uint8Array): string {
  let [one, other] = [0x811c9dc5, 0x1b873593]
  for (const byte of bytes) {
    one = Math.imul(one ^ byte, 0x01000193)
    other = Math.imul(other ^ byte, 0x01000193) ^ (other >>> 15)
  }
  return [bytes.length, one >>> 0, other >>> 0].map((part) => part.toString(36)).join('-')
}
