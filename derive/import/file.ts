/** A file of records: how it is read, and its rows. Pages and command read it by `import/read-file.ts`. */

/** Encodings of texts, the Unicode ones first. Every byte is a character in the others. */
export const encodings = [
  ...['utf-8', 'utf-16le', 'utf-16be'],
  ...['windows-1252', 'windows-1250', 'windows-1253', 'macintosh', 'cp850'],
] as const
export type Encoding = (typeof encodings)[number]
export const delimiters = [',', '\t', ';', '|'] as const
export type Delimiter = (typeof delimiters)[number]
/** The separators of cells that an export may have. */
export const exportDelimiters = [',', ';'] as const satisfies readonly Delimiter[]

/** How a file is read. The same format gives the same rows again. */
export type FileFormat = {
  /** The line of the header; 0 if every row is data. Columns are then numbered. */
  headerRow: number
  /** Of a text. */
  encoding?: Encoding
  delimiter?: Delimiter
  /** Of a workbook: the name of the sheet. */
  sheet?: string
}

/** How to read a file. Options that are absent are detected. */
export type FileOptions = { [name in keyof FileFormat]?: FileFormat[name] | undefined }

export type ImportFile = {
  reading: FileFormat
  /** The names of the columns, each once. */
  columns: string[]
  rows: FileRow[]
  /** The first rows, one of which is the header. */
  firstRows: readonly FileRow[]
  /** Rows that are no records: titles above the header, totals at the end. */
  leftOut: readonly FileRow[]
  /** The names of the sheets of a workbook. */
  sheets: readonly string[]
}

/** `line` is the first line of the row in the file, or its number in the sheet, from 1. */
export type FileRow = {
  line: number
  cells: string[]
  /** Indexes of cells that a workbook types, such as numbers: texts as programs write them. */
  typed?: ReadonlySet<number>
  /** Why cells have no text that could be stored. */
  problems?: readonly CellProblem[]
}

/** A message for a cell with its index, and the particulars of the message. */
export type CellProblem = {
  index: number
  code: 'broken_byte' | 'formula_error'
  message: string
  told: readonly string[]
}

/** Bytes that are text in several encodings, of which a person knows the right one. */
export type EncodingQuestion = {
  /** The likeliest first. Each has the same cells as samples. */
  candidates: readonly { encoding: Encoding; samples: readonly string[] }[]
}
