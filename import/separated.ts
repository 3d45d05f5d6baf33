import { type CsvError, parse } from 'csv-parse'
import { unescapeFormulas } from '#derive/csv.ts'
import { type Delimiter, delimiters, type FileRow } from '#derive/import/file.ts'
import { FileProblem } from '#derive/import/file-problem.ts'
import { importRowsMax } from '#registry/limits.ts'
import type { CountNames } from './header.ts'

/** Splits a text into rows of cells. */

export async function readSeparated(
  text: string,
  chosen: Delimiter | undefined,
  countNames: CountNames,
): Promise<{ delimiter: Delimiter; rows: FileRow[] }> {
  // A line such as sep=; names the separator to spreadsheets.
  const [line = '', sign] = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r|$)/i.exec(text) ?? []
  const delimiter = chosen ?? (sign as Delimiter | undefined) ?? findDelimiter(text, countNames)
  return { delimiter, rows: await parseRows(text.slice(line.length), delimiter, line === '' ? 1 : 2) }
}

const lineEnd = /\r\n|\n|\r/
const lineEnds = /\r\n|\n|\r/g
const sampleLength = 100_000
const sampleLines = 30

/**
 * Returns the delimiter by which a line has the most known names of columns, or else the most frequent one of the first
 * line that has any, outside of quotes. The comma comes last, because it may stand within a name.
 */
function findDelimiter(text: string, countNames: CountNames): Delimiter {
  const sample = text.slice(0, sampleLength)
  const lines = sample.split(lineEnd, sampleLines)
  // Every second part between quotes is outside of them.
  const outside = sample
    .split('"')
    .filter((_, index) => index % 2 === 0)
    .join('')
    .split(lineEnd)
  const first = outside.find((line) => delimiters.some((one) => line.includes(one))) ?? ''
  const counted = delimiters.toReversed().map((one) => {
    const named = lines
      .filter((line) => line.includes(one))
      .map((line) => countNames(line.split(one).map((cell) => cell.replaceAll('"', ''))))
    return { one, names: Math.max(0, ...named), count: first.split(one).length }
  })
  return counted.reduce((best, next) => {
    const more = next.names - best.names || next.count - best.count
    return more > 0 ? next : best
  }).one
}

/** Characters that are parsed between two pauses. */
const sliceLength = 64 * 1024

async function parseRows(text: string, delimiter: Delimiter, firstLine: number): Promise<FileRow[]> {
  const rows: FileRow[] = []
  // The parser of the browser never ends without a text.
  if (text === '') return rows
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    raw: true,
    // Rows of another length are refused one by one. A quotation mark within a text is part of the text.
    relax_column_count: true,
    relax_quotes: true,
  })
  let line = firstLine
  parser.once('end', resolve)
  parser.once('error', (error: CsvError) =>
    reject(error.code === 'CSV_QUOTE_NOT_CLOSED' ? new FileProblem('not_closed', String(line)) : error),
  )
  parser.on('data', ({ record, raw }: { record: string[]; raw: string }) => {
    rows.push({ line, cells: record.map((cell) => unescapeFormulas(removeFormula(cell), delimiter)) })
    // An editor counts an end of line within a cell too, and CRLF once.
    line += raw.match(lineEnds)?.length ?? 0
    if (rows.length > importRowsMax + rowsBesideRecords) reject(new FileProblem('too_many_rows', String(importRowsMax)))
  })
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = text.indexOf('\n', at + sliceLength) + 1 || text.length
    parser.write(text.slice(at, end))
    // Yields to other work, so that a page stays responsive.
    await Promise.race([ended, new Promise((resume) => setTimeout(resume, 0))])
  }
  parser.end()
  await ended
  return rows
}

/** Rows that may be empty, titles or totals. */
const rowsBesideRecords = 10_000

/** Returns the text of a formula such as ="01067", by which programs keep spreadsheets from dropping zeros. */
const removeFormula = (cell: string): string =>
  cell.startsWith('="') && cell.endsWith('"') && cell.length > 2 ? cell.slice(2, -1).replaceAll('""', '"') : cell
