import { unzipSync, zipSync } from 'fflate'
import { type CellValue, type WriteSheet, writeXlsx } from 'hucre/xlsx'
import { describe, expect, test } from 'vitest'
import type { Encoding, FileOptions, ImportFile } from '#derive/import/file.ts'
import { FileProblem } from '#derive/import/file-problem.ts'
import { fingerprintOf, readFile } from './read-file.ts'

const bytesOf = (text: string, encoding: BufferEncoding = 'utf8'): Uint8Array => Buffer.from(text, encoding)
/** The names of fields that a header of these tests may have. */
const names = ['Name', 'City', 'Phone', 'Ref']
const countNames = (cells: readonly string[]) => cells.filter((cell) => names.includes(cell)).length
const read = (bytes: Uint8Array, options: FileOptions = {}, lastEncoding?: Encoding) =>
  readFile(bytes, options, { countNames, lastEncoding })
const fileOf = async (bytes: Uint8Array | string, options: FileOptions = {}): Promise<ImportFile> => {
  const file = await read(typeof bytes === 'string' ? bytesOf(bytes) : bytes, options)
  if ('candidates' in file) throw new Error(`The encoding is asked: ${JSON.stringify(file.candidates)}`)
  return file
}
const cellsOf = async (bytes: Uint8Array | string, options: FileOptions = {}) =>
  (await fileOf(bytes, options)).rows.map(({ cells }) => cells)

describe('A file is read, whoever has written it', () => {
  const rows: [title: string, bytes: Uint8Array, columns: string[], cells: string[][]][] = [
    ['commas', bytesOf('Name,City\nA,B\n'), ['Name', 'City'], [['A', 'B']]],
    ['semicolons', bytesOf('Name;City, State\nA;B\n'), ['Name', 'City, State'], [['A', 'B']]],
    ['tabs', bytesOf('Name\tCity\nA\tB\n'), ['Name', 'City'], [['A', 'B']]],
    ['pipes', bytesOf('Name|City\nA, Ltd|B; C\n'), ['Name', 'City'], [['A, Ltd', 'B; C']]],
    ['pipes below a title with commas', bytesOf('A, B, C and D\nName|City\nA|B\n'), ['Name', 'City'], [['A', 'B']]],
    ['semicolons in quotes', bytesOf('"Name";"City"\n"A,B";"C"\n'), ['Name', 'City'], [['A,B', 'C']]],
    ['the line sep=;', bytesOf('sep=;\r\nName;City\r\nA;B,C\r\n'), ['Name', 'City'], [['A', 'B,C']]],
    ['the line sep=, in quotes', bytesOf('\ufeff"sep=,"\rName,City\rA,B;C\r'), ['Name', 'City'], [['A', 'B;C']]],
    ['the line sep= with a tab', bytesOf('sep=\t\nName\tCity\nA\tB\n'), ['Name', 'City'], [['A', 'B']]],
    ['a byte order mark', bytesOf('\ufeffName;City\r\nA;B\r\n'), ['Name', 'City'], [['A', 'B']]],
    [
      'CR alone',
      bytesOf('Name;City\rA;B\rC;D'),
      ['Name', 'City'],
      [
        ['A', 'B'],
        ['C', 'D'],
      ],
    ],
    ['CRLF, LF and CR', bytesOf('Name\r\nA\nB\rC\r\n'), ['Name'], [['A'], ['B'], ['C']]],
    [
      'CRLF behind quotes and LF',
      bytesOf('Name;City\nA;"B"\r\nC;"D"\n'),
      ['Name', 'City'],
      [
        ['A', 'B'],
        ['C', 'D'],
      ],
    ],
    ['line breaks and quotes in quotes', bytesOf('a;b\n"x\ny";"say ""hi"""\n'), ['a', 'b'], [['x\ny', 'say "hi"']]],
    ['line breaks of cells as they are', bytesOf('a;b\r\n"x\r\ny";"z\rw"\r\n'), ['a', 'b'], [['x\r\ny', 'z\rw']]],
    ['a quote within a text', bytesOf('a;b\n5" pipe;1\n'), ['a', 'b'], [['5" pipe', '1']]],
    ['zeros kept by a formula', bytesOf('a,b\n="01067",="say ""hi"""\n'), ['a', 'b'], [['01067', 'say "hi"']]],
    ['zeros kept by a formula in quotes', bytesOf('a,b\n"=""01067""",x\n'), ['a', 'b'], [['01067', 'x']]],
    ['other formulas as they are', bytesOf('a,b\n=1+2,"=x"\n'), ['a', 'b'], [['=1+2', '=x']]],
    [
      'UTF-16, the low byte first',
      bytesOf('\ufeffName\tCity\r\nŁódź\tKöln\r\n', 'utf16le'),
      ['Name', 'City'],
      [['Łódź', 'Köln']],
    ],
    [
      'UTF-16, the high byte first',
      Buffer.from('\ufeffName\tCity\r\nŁódź\tKöln\r\n', 'utf16le').swap16(),
      ['Name', 'City'],
      [['Łódź', 'Köln']],
    ],
    ['empty rows, which are none', bytesOf('a;b\n\n;\n1;2\n'), ['a', 'b'], [['1', '2']]],
    [
      'a name that is given twice, or not at all',
      bytesOf('a;a;\n1;2;3\n'),
      ['a', 'a (2)', 'Column 3'],
      [['1', '2', '3']],
    ],
  ]
  test.each(rows)('%s', async (_, bytes, columns, cells) => {
    const file = await fileOf(bytes)
    expect(file.columns).toEqual(columns)
    expect(file.rows.map((row) => row.cells)).toEqual(cells)
    // What was found out reads the same rows again.
    expect(await fileOf(bytes, file.reading)).toEqual(file)
  })

  const lines: [title: string, text: string, lines: number[]][] = [
    ['LF', 'a;b\n1;"x\ny"\n\n2;z\n', [2, 5]],
    ['CRLF', 'a;b\r\n1;"x\r\ny\r\nz"\r\n2;z\r\n', [2, 5]],
    ['CR', 'a;b\r1;"x\ry"\r\r2;z\r', [2, 5]],
    ['mixed', 'a;b\r\n1;"x\ny\rz"\n2;z\r3;w', [2, 5, 6]],
    ['behind the line sep=;', 'sep=;\r\na;b\r\n1;2\r\n', [3]],
    ['behind a title of two lines', '"x\r\ny"\r\nName;City\r\n1;2\r\n', [4]],
  ]
  test.each(lines)('each row knows its line, as an editor counts it: %s', async (_, text, expected) => {
    expect((await fileOf(text)).rows.map(({ line }) => line)).toEqual(expected)
  })

  test('two files are told apart, and one is known again', () => {
    const [one, again, other] = ['a\n1\n', 'a\n1\n', 'a\n2\n'].map((text) => fingerprintOf(bytesOf(text)))
    expect(one).toBe(again)
    expect(one).not.toBe(other)
  })

  const refused: [code: string, bytes: Uint8Array, options?: FileOptions][] = [
    ['too_large', new Uint8Array(100 * 1024 ** 2)],
    ['empty', bytesOf('')],
    ['empty', bytesOf('Name;City\n')],
    ['empty', bytesOf('\n;\n')],
    ['empty', bytesOf('Name;City\nTotal;\n')],
    ['workbook', Uint8Array.from([0x50, 0x4b, 0x03, 0x04, 0, 0])],
    ['workbook', zipSync({ 'word/document.xml': bytesOf('<x/>') })],
    ['old_workbook', Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0])],
    ['no_workbook', bytesOf('Name\nA\n'), { sheet: 'One' }],
    ['no_header_row', bytesOf('Name\n\nA\n'), { headerRow: 2 }],
    ['no_header_row', bytesOf('Name\nA\n'), { headerRow: 9 }],
    ['binary', bytesOf('a;b\n1;\0\n')],
    ['binary', bytesOf('a;b\n\xff;\0\n', 'latin1')],
    ['not_closed', bytesOf('a;b\n"1;2\n')],
    ['too_many_rows', bytesOf(`a\n${'1\n'.repeat(50_001)}`)],
    ['too_many_columns', bytesOf(`${'a;'.repeat(300)}\n1\n`)],
  ]
  test.each(refused)('is refused as a whole: %s [V5.2.1] [V5.2.2] [V5.2.3]', async (code, bytes, options = {}) => {
    const error = await read(bytes, options).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(FileProblem)
    expect((error as FileProblem).code).toBe(code)
    expect((error as FileProblem).message).toMatch(/^[A-Z].*[.?]$/)
  })
})

describe('The encoding is decided by the bytes, or asked', () => {
  test('a few bytes that are not UTF-8 refuse their cells, by value and offset', async () => {
    const bytes = Buffer.concat([bytesOf('Name;City\nMüller;Köln\nDock'), Buffer.from([0xa0]), bytesOf(' Nine;Hull\n')])
    const { rows, reading } = await fileOf(bytes)
    expect(reading.encoding).toBe('utf-8')
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['Müller', 'Köln'],
      ['Dock\ufffd Nine', 'Hull'],
    ])
    const told = ['0xA0', String(bytes.indexOf(0xa0))]
    expect(rows.map(({ problems }) => problems)).toEqual([
      undefined,
      [
        {
          index: 0,
          code: 'broken_byte',
          told,
          message: `has the byte ${told[0]} at offset ${told[1]} of the file, which is not UTF-8`,
        },
      ],
    ])
  })

  const broken: [title: string, bytes: number[], offsets: number[]][] = [
    ['a lone continuation', [0x80], [0]],
    ['a lead without its continuation', [0xc3], [0]],
    ['a form that is too long', [0xc0, 0xaf], [0, 1]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80], [0, 1, 2]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80], [0, 1, 2, 3]],
    ['three bytes of four', [0xf0, 0x9f, 0x92], [0, 1, 2]],
    ['a byte that no sequence has', [0xff], [0]],
  ]
  test.each(broken)('UTF-8 has not %s', async (_, bytes, offsets) => {
    const start = bytesOf('Name;City\nüüüüü;')
    const { rows } = await fileOf(Buffer.concat([start, Buffer.from(bytes), bytesOf('x\n')]))
    expect(rows[0]?.problems?.map(({ told }) => Number(told[1]) - start.length)).toEqual(offsets)
  })

  test.each(['é', '߿', 'ࠀ', '퟿', '', '￿', '𐀀', '💩', '\u{10ffff}'])('UTF-8 has %s', async (text) => {
    expect(await cellsOf(`Name;City\nA;${text}\n`)).toEqual([['A', text]])
  })

  /** Bytes as programs of the time wrote them, and the cell that they mean. */
  const asked: [encoding: Encoding, bytes: number[], text: string][] = [
    ['windows-1252', [0x43, 0x61, 0x66, 0xe9, 0x20, 0x4e, 0x6f, 0xeb, 0x6c], 'Café Noël'],
    ['windows-1252', [0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72], 'Müller'],
    ['windows-1252', [0x47, 0x72, 0xf6, 0xdf, 0x65, 0x20, 0x80], 'Größe €'],
    [
      'windows-1250',
      [0xa3, 0xf3, 0x64, 0x9f, 0x20, 0x57, 0xb3, 0x61, 0x64, 0x79, 0x73, 0xb3, 0x61, 0x77],
      'Łódź Władysław',
    ],
    ['windows-1253', [0xc1, 0xe8, 0xde, 0xed, 0xe1, 0x20, 0xcf, 0xe4, 0xfc, 0xf2], 'Αθήνα Οδός'],
    ['macintosh', [0x4d, 0x9f, 0x6c, 0x6c, 0x65, 0x72], 'Müller'],
    ['macintosh', [0x47, 0x72, 0x9a, 0xa7, 0x65, 0x20, 0xdb], 'Größe €'],
    ['cp850', [0x4d, 0x81, 0x6c, 0x6c, 0x65, 0x72], 'Müller'],
    ['cp850', [0x53, 0x94, 0x68, 0x6e, 0x65, 0x20, 0x47, 0x72, 0x94, 0xe1, 0x65], 'Söhne Größe'],
  ]
  test.each(asked)('%s is asked about and is the likeliest: %o', async (encoding, bytes, text) => {
    const file = Buffer.concat([bytesOf('Name;City\nA;"'), Buffer.from(bytes), bytesOf('"\n')])
    const question = await read(file)
    if (!('candidates' in question)) throw new Error('It is not asked.')
    expect(question.candidates[0]).toEqual({ encoding, samples: [text] })
    const samples = question.candidates.map((one) => one.samples.join())
    expect(new Set(samples).size).toBe(samples.length)
    expect(await cellsOf(file, { encoding })).toEqual([['A', text]])
    expect(await read(file, {}, encoding)).toMatchObject({ reading: { encoding }, rows: [{ cells: ['A', text] }] })
  })

  test('candidates that give one text are one, and one that has no character for a byte is none', async () => {
    const encodingsOf = async (...bytes: number[]) => {
      const question = await read(Buffer.concat([bytesOf('Name\nA'), Buffer.from(bytes), bytesOf('B\n')]))
      return 'candidates' in question ? question.candidates.map(({ encoding }) => encoding).toSorted() : []
    }
    // é is the same in Windows-1252 and 1250.
    expect(await encodingsOf(0xe9)).toEqual(['cp850', 'macintosh', 'windows-1252', 'windows-1253'])
    expect(await encodingsOf(0x81)).toEqual(['cp850', 'macintosh'])
  })

  test('samples are cells that differ, each with bytes that none before has', async () => {
    const question = await read(bytesOf('Name;City\nPlain;Bath\nMüller;Köln\nMüller;Hull\nÀ;x\n', 'latin1'))
    expect('candidates' in question && question.candidates[0]?.samples).toEqual(['Müller', 'Köln', 'À'])
  })

  test('a byte order mark counts more than what was chosen, and that more than what was chosen last', async () => {
    const marked = bytesOf('\ufeffName;City\nMüller;Köln\n')
    expect((await fileOf(marked, { encoding: 'cp850' })).reading.encoding).toBe('utf-8')
    const plain = bytesOf('Name;City\nMüller;Köln\n')
    expect(await cellsOf(plain, { encoding: 'windows-1252' })).toEqual([['MÃ¼ller', 'KÃ¶ln']])
    expect(await read(plain, {}, 'windows-1252')).toMatchObject({ reading: { encoding: 'utf-8' } })
    expect(await cellsOf(bytesOf('Name\tCity\nŁ\tK\n', 'utf16le'), { encoding: 'utf-16le' })).toEqual([['Ł', 'K']])
  })
})

describe('Titles and totals are no records, and are listed', () => {
  type Divided = { header: number; left: number[]; lines: number[] }
  const rows: [title: string, text: string, divided: Divided, options?: FileOptions][] = [
    ['a plain file', 'Name;City\nA;B\n', { header: 1, left: [], lines: [2] }],
    ['titles', 'Yard Ltd;\nList;\n;\nName;City\nA;B\n', { header: 4, left: [1, 2], lines: [5] }],
    ['a title without separators', 'Customers of 2026\n\nName;City\nA;B\n', { header: 3, left: [1], lines: [4] }],
    ['one known name, which proves nothing', 'A;B\nName;C\n', { header: 1, left: [], lines: [2] }],
    ['the row with the most names', 'Name;City;x\nName;City;Phone\nA;B;C\n', { header: 2, left: [1], lines: [3] }],
    ['a chosen header', 'Name;City\nX;Y\nA;B\n', { header: 2, left: [1], lines: [3] }, { headerRow: 2 }],
    ['no header', 'Name;City\nA;B\n\nTotal;\n', { header: 0, left: [], lines: [1, 2, 4] }, { headerRow: 0 }],
    ['a total', 'Name;City\nA;B\nTotal;2\n', { header: 1, left: [3], lines: [2] }],
    [
      'a total in German, and below it another',
      'Name;City\nA;B\nZwischensumme:;1\nSUMME ;2\n',
      { header: 1, left: [3, 4], lines: [2] },
    ],
    [
      'a name that begins like a total',
      'Name;City\nA;B\nTotal Clean Ltd;Bath\n',
      { header: 1, left: [], lines: [2, 3] },
    ],
    ['a total that is followed by records', 'Name;City\nTotal;Bath\nA;B\n', { header: 1, left: [], lines: [2, 3] }],
    [
      'a single cell behind an empty row',
      'Name;City\nA;B\n;\nTotal: 2 customers;\n',
      { header: 1, left: [4], lines: [2] },
    ],
    [
      'notes behind an empty line',
      'Name;City\nA;B\n\nPrinted by X\nPage 1 of 1\n',
      { header: 1, left: [4, 5], lines: [2] },
    ],
    ['a note behind a total', 'Name;City\nA;B\nTotal;1\n\nPrinted by X\n', { header: 1, left: [3, 5], lines: [2] }],
    ['a single cell without an empty row', 'Name;City\nA;B\nC;\n', { header: 1, left: [], lines: [2, 3] }],
    ['a record behind an empty row', 'Name;City\nA;B\n\nC;D\n', { header: 1, left: [], lines: [2, 4] }],
    ['one column, whose rows are single cells', 'Name\nA\n\nB\n', { header: 1, left: [], lines: [2, 4] }],
  ]
  test.each(rows)('%s', async (_, text, { header, left, lines }, options = {}) => {
    const file = await fileOf(text, options)
    expect(file.reading.headerRow).toBe(header)
    expect(file.leftOut.map(({ line }) => line)).toEqual(left)
    expect(file.rows.map(({ line }) => line)).toEqual(lines)
    expect(file.firstRows[0]?.line).toBe(1)
  })
})

describe('A workbook is read with the types of its cells', () => {
  const sheetOf = (name: string, rows: CellValue[][], cells?: WriteSheet['cells']): WriteSheet => ({
    name,
    rows,
    ...(cells && { cells }),
  })
  const workbookOf = (...sheets: WriteSheet[]) => writeXlsx({ sheets })
  const day = (text: string) => new Date(`${text}Z`)
  type Styled = {
    value: CellValue
    numFmt?: string
    formula?: string
    formulaResult?: CellValue
    type?: 'error' | 'formula'
  }
  /** Returns what is read of one cell. */
  const readCell = async ({ numFmt, ...cell }: Styled) => {
    const shown = { ...cell, ...(numFmt && { style: { numFmt } }) }
    const bytes = await workbookOf(sheetOf('One', [['Name', 'City'], ['A']], new Map([['1,1', shown]])))
    const [row] = (await fileOf(bytes)).rows
    return { text: row?.cells[1], isTyped: row?.typed?.has(1) ?? false, problem: row?.problems?.[0]?.code }
  }
  const rows: [title: string, cell: Styled, text: string, isTyped: boolean][] = [
    ['a text', { value: '01067' }, '01067', false],
    ['a number', { value: 1234.5, numFmt: '#,##0.00 €' }, '1234.5', true],
    ['a number with its binary rest', { value: 0.1 + 0.2 }, '0.3', true],
    ['a negative number', { value: -5 }, '-5', true],
    ['zeros that the sheet shows', { value: 1067, numFmt: '00000' }, '01067', true],
    ['a share', { value: 0.19, numFmt: '0%' }, '19%', true],
    ['a share with decimals', { value: 0.08875, numFmt: '0.000%' }, '8.875%', true],
    ['a sign of percent that is text', { value: 19, numFmt: '0"%"' }, '19', true],
    ['yes', { value: true }, 'true', true],
    ['no', { value: false }, 'false', true],
    ['a day', { value: day('2026-03-31'), numFmt: 'dd.mm.yyyy' }, '2026-03-31', true],
    ['a day and a time', { value: day('2026-03-31T14:30'), numFmt: 'dd.mm.yyyy hh:mm' }, '2026-03-31 14:30', true],
    ['hours', { value: 0.3125, numFmt: 'h:mm' }, '07:30', true],
    ['a formula by its value', { value: 3, formula: '1+2', formulaResult: 3, type: 'formula' }, '3', true],
    ['an empty cell', { value: null }, '', false],
  ]
  test.each(rows)('%s', async (_, cell, text, isTyped) => {
    expect(await readCell(cell)).toEqual({ text, isTyped, problem: undefined })
  })

  test.each([
    ['an error', { value: '#N/A', type: 'error' as const }],
    ['a formula without a value', { value: null, formula: 'A1&"x"', type: 'formula' as const }],
  ])('%s is refused', async (_, cell) => {
    expect(await readCell(cell)).toMatchObject({ problem: 'formula_error' })
  })

  test('the first sheet, or the one that is named', async () => {
    const bytes = await workbookOf(sheetOf('One', [['Name'], ['A']]), sheetOf('Two & more', [['Name'], ['B'], ['C']]))
    expect(await fileOf(bytes)).toMatchObject({
      sheets: ['One', 'Two & more'],
      reading: { sheet: 'One', headerRow: 1 },
    })
    expect(await cellsOf(bytes, { sheet: 'Two & more' })).toEqual([['B'], ['C']])
    await expect(read(bytes, { sheet: 'Three' })).rejects.toThrow('no sheet "Three"; there are One, Two & more')
    const turning = await workbookOf(sheetOf('A\u202eB', [['Name'], ['A']]))
    await expect(read(turning, { sheet: 'Three' })).rejects.toThrow('there are A⟨U+202E⟩B')
  })

  test('titles and totals are left out, and rows have the numbers of the sheet', async () => {
    const bytes = await workbookOf(
      sheetOf('One', [['List'], [], ['Name', 'City'], ['A', 'B'], [], ['C', 'D'], ['Total', 2]]),
    )
    const file = await fileOf(bytes)
    expect(file.rows.map(({ line }) => line)).toEqual([4, 6])
    expect(file.leftOut.map(({ line }) => line)).toEqual([1, 7])
  })

  /** A workbook with a sheet of this XML, or of so many blanks. */
  const workbookWith = async (change: (sheet: string) => Uint8Array) => {
    const parts = unzipSync(await workbookOf(sheetOf('One', [['Name'], ['A']])))
    const path = 'xl/worksheets/sheet1.xml'
    return zipSync({ ...parts, [path]: change(new TextDecoder().decode(parts[path])) }, { level: 9 })
  }
  const blanks = 120 * 1024 ** 2
  const bomb = () =>
    workbookWith((sheet) => {
      const bytes = new Uint8Array(sheet.length + blanks).fill(0x20)
      bytes.set(bytesOf(sheet))
      return bytes
    })

  test('one that is too large when it is unpacked is refused before it is, also if it says that it is small', async () => {
    const honest = await bomb()
    expect(honest.length).toBeLessThan(1024 ** 2)
    const before = process.memoryUsage().rss
    await expect(read(honest)).rejects.toMatchObject({ code: 'too_large' })
    expect(process.memoryUsage().rss - before).toBeLessThan(blanks / 2)
    const liar = honest.slice()
    const view = new DataView(liar.buffer)
    const entry = Array.from({ length: liar.length - 46 }, (_, at) => at).find(
      (at) => view.getUint32(at, true) === 0x02014b50 && view.getUint32(at + 24, true) > blanks,
    )
    view.setUint32((entry as number) + 24, 1000, true)
    await expect(read(liar)).rejects.toMatchObject({ code: 'workbook' })
  })

  test('two cells far apart are refused, and not the rectangle between them filled', async () => {
    const far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    const bytes = await workbookWith((sheet) => bytesOf(sheet.replace(/(?<=<sheetData>).*(?=<\/sheetData>)/s, far)))
    await expect(read(bytes)).rejects.toMatchObject({ code: 'workbook' })
  })
})
