import { type CsvError, parse } from 'csv-parse'
import { importBytesMax, importColumnsMax, importRowsMax } from '#registry/limits.ts'
import { FileProblem } from './file-problem.ts'

/** Reads comma-separated values as rows of texts, with the separators and encodings of any country. */

export const encodings = ['utf-8', 'windows-1252'] as const
export type Encoding = (typeof encodings)[number]
export const delimiters = [',', '\t', ';'] as const
export type Delimiter = (typeof delimiters)[number]

/** How a file is read. The same format gives the same rows again. */
export type FileFormat = {
  encoding: Encoding
  delimiter: Delimiter
  /** True if the first row is data too. Columns are then numbered. */
  noHeader: boolean
}

/** How to read a file. Options that are absent are detected. */
export type FileOptions = { [name in keyof FileFormat]?: FileFormat[name] | undefined }

export type ImportFile = {
  reading: FileFormat
  /** The names of the columns, each once. */
  columns: string[]
  rows: FileRow[]
  /** Identifies the content of the file. */
  fingerprint: string
}

/** `line` is the first line of the row in the file, from 1. */
export type FileRow = { line: number; cells: string[] }

export async function readFile(
  bytes: Uint8Array,
  { encoding, delimiter, noHeader = false }: FileOptions,
): Promise<ImportFile> {
  onlyText(bytes)
  const decoded = decode(bytes, encoding)
  // The parser of the browser never ends without a text.
  if (decoded.text.trim() === '') throw new FileProblem('empty')
  const separator = delimiter ?? delimiterOf(decoded.text)
  const read = await parseRows(decoded.text, separator)
  const said = read.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  const [first] = said
  if (!first) throw new FileProblem('empty')
  const header = noHeader ? Array(Math.max(...said.map(({ cells }) => cells.length))).fill('') : first.cells
  if (header.length > importColumnsMax) throw new FileProblem('too_many_columns', String(importColumnsMax))
  const rows = noHeader ? said : said.slice(1)
  if (rows.length === 0) throw new FileProblem('empty')
  const reading = { encoding: decoded.encoding, delimiter: separator, noHeader }
  return { reading, columns: nameColumns(header), rows, fingerprint: fingerprintOf(bytes) }
}

/** Throws if a file is too large, before it is read into memory. */
export function checkSize(bytes: number): void {
  if (bytes > importBytesMax) throw new FileProblem('too_large', String(importBytesMax / 1024 ** 2))
}

function onlyText(bytes: Uint8Array): void {
  checkSize(bytes.length)
  const [first, second, third] = bytes
  if (first === 0x50 && second === 0x4b && third === 0x03) throw new FileProblem('workbook')
  if (first === 0xd0 && second === 0xcf && third === 0x11) throw new FileProblem('workbook')
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) throw new FileProblem('utf_16')
  const nul = bytes.indexOf(0)
  if (nul < 0) return
  let line = 1
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < nul; at = bytes.indexOf(0x0a, at + 1)) line++
  throw new FileProblem('binary', String(line))
}

/**
 * Decodes valid UTF-8, and anything else as Windows-1252, in which every byte is a character. If UTF-8 is requested,
 * an invalid byte becomes U+FFFD, and its row is refused.
 */
function decode(bytes: Uint8Array, wanted: Encoding | undefined): { text: string; encoding: Encoding } {
  if (wanted) return { text: new TextDecoder(wanted).decode(bytes), encoding: wanted }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8' }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' }
  }
}

/**
 * Returns the most frequent delimiter of the first line outside of quotes. The comma comes last, because it may stand
 * within a name.
 */
function delimiterOf(text: string): Delimiter {
  // Every second part between quotes is outside of them.
  const outside = text
    .slice(0, sampleLength)
    .split('"')
    .filter((_, index) => index % 2 === 0)
  const line =
    outside
      .join('')
      .trimStart()
      .split(/\r?\n|\r/, 1)[0] ?? ''
  const counted = delimiters.toReversed().map((one) => ({ one, count: line.split(one).length }))
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).one
}

const sampleLength = 100_000
/** Characters that are parsed between two pauses. */
const sliceLength = 64 * 1024

async function parseRows(text: string, delimiter: string): Promise<FileRow[]> {
  const rows: FileRow[] = []
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  // Rows of another length are refused one by one. A quotation mark within a text is part of the text.
  const relaxed = { relax_column_count: true, relax_quotes: true }
  const parser = parse({ delimiter, info: true, skip_empty_lines: true, ...relaxed })
  parser.once('end', resolve)
  parser.once('error', (error: CsvError & { lines?: number }) =>
    reject(error.code === 'CSV_QUOTE_NOT_CLOSED' ? new FileProblem('not_closed', String(error.lines)) : error),
  )
  parser.on('data', ({ record, info }: { record: string[]; info: { lines: number } }) => {
    const within = record.reduce((count, cell) => count + (cell.split('\n').length - 1), 0)
    rows.push({ line: info.lines - within, cells: record })
    if (rows.length > importRowsMax + 1) reject(new FileProblem('too_many_rows', String(importRowsMax)))
  })
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = text.indexOf('\n', at + sliceLength) + 1 || text.length
    parser.write(text.slice(at, end))
    // Yields to other work, so that a page stays responsive.
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 0))])
  }
  parser.end()
  await ended
  return rows
}

/** Returns unique names: a repeated or empty one gets its number. */
function nameColumns(header: readonly string[]): string[] {
  const names: string[] = []
  for (const [index, given] of header.entries()) {
    const name = given.trim() || `Column ${index + 1}`
    let unlike = name
    for (let n = 2; names.includes(unlike); n++) unlike = `${name} (${n})`
    names.push(unlike)
  }
  return names
}

/** FNV-1a twice, with two offsets. Pages without TLS have no Web Crypto, and a collision helps nobody. */
function fingerprintOf(bytes: Uint8Array): string {
  let [one, other] = [0x811c9dc5, 0x1b873593]
  for (const byte of bytes) {
    one = Math.imul(one ^ byte, 0x01000193)
    other = Math.imul(other ^ byte, 0x01000193) ^ (other >>> 15)
  }
  return [bytes.length, one >>> 0, other >>> 0].map((part) => part.toString(36)).join('-')
}
