import { inLine } from '../format-printable.ts'

/**
 * The problems of an imported file. They are apart from the reader, so that texts have the codes without the parser.
 */

/** The file cannot be imported at all. The message says why and what to do. */
export class FileProblem extends Error {
  override name = 'FileProblem'
  readonly code: keyof typeof fileProblems
  readonly particulars: readonly string[]
  constructor(code: keyof typeof fileProblems, ...particulars: string[]) {
    const say: (...particulars: string[]) => string = fileProblems[code]
    super(say(...particulars.map((one) => inLine(one))))
    this.code = code
    this.particulars = particulars
  }
}

export const fileProblems = {
  too_large: (mebibytes: string) => `The file is larger than ${mebibytes} MiB: divide it into several.`,
  empty: () => 'The file has no rows.',
  workbook: (reason: string) =>
    `This packed file cannot be read as a workbook (${reason}): save it as .xlsx or CSV first.`,
  old_workbook: () => 'This is a workbook of an old form or with a password: save it as .xlsx or CSV first.',
  no_workbook: () => 'The file is no workbook, so it has no sheets.',
  no_sheet: (sheet: string, sheets: string) =>
    `The workbook has no sheet ${JSON.stringify(sheet)}; there are ${sheets}.`,
  no_header_row: (line: string) => `Line ${line} is empty or not there, so it cannot be the header.`,
  binary: (line: string) =>
    `Line ${line} has a NUL byte: this is no text, or UTF-16 without a byte order mark. Save the data as CSV in UTF-8 first.`,
  not_closed: (line: string) => `A quotation mark is opened and never closed; the text in it ends at line ${line}.`,
  read_otherwise: (write: string) =>
    `This version reads other rows in the file than the one that began its import: take that back (write ${write}) and begin anew.`,
  too_many_rows: (most: string) => `The file has more than ${most} rows: divide it into several.`,
  too_many_columns: (most: string) => `The file has more than ${most} columns: is the separator another one?`,
} satisfies { [code: string]: (...particulars: string[]) => string }
