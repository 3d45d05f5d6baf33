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
    super(say(...particulars))
    this.code = code
    this.particulars = particulars
  }
}

export const fileProblems = {
  too_large: (mebibytes: string) => `The file is larger than ${mebibytes} MiB: divide it into several.`,
  empty: () => 'The file has no rows.',
  workbook: () => 'This is a workbook or another packed file and no text: save it as CSV first.',
  utf_16: () => 'The file is in UTF-16: save it as CSV in UTF-8.',
  binary: (line: string) => `Line ${line} has a NUL byte: this is no text. Save the data as CSV first.`,
  not_closed: (line: string) => `A quotation mark is opened and never closed; the text in it ends at line ${line}.`,
  too_many_rows: (most: string) => `The file has more than ${most} rows: divide it into several.`,
  too_many_columns: (most: string) => `The file has more than ${most} columns: is the separator another one?`,
} satisfies { [code: string]: (...particulars: string[]) => string }
