import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatRow, unescapeFormulas } from '#derive/csv.ts'
import { delimiters, exportDelimiters } from '#derive/import/file.ts'
import type { Json } from '#registry/json.ts'

/** The cells that a program sees which goes by this separator: quotes mean something at the beginning of a cell alone. */
function cellsBy(separator: string, text: string): string[] {
  const cells: string[] = []
  for (let at = 0; at <= text.length; at++) {
    let cell = ''
    if (text[at] === '"') {
      for (at++; at < text.length && (text[at] !== '"' || text[at + 1] === '"'); at++) {
        cell += text[at]
        if (text[at] === '"') at++
      }
      at++
    }
    for (; at < text.length && ![separator, '\r', '\n'].includes(text[at] as string); at++) cell += text[at]
    cells.push(cell)
  }
  return cells
}

const isRun = (cell: string): boolean => /^[\s"]*[=+\-@＝＋－＠]/.test(cell) && !/^[+-]?[\d.]+(e-\d+)?$/.test(cell)

const piece = fc.constantFrom(...'=+-@;,"\t\r\n\'a1 .＝＠', '""', '\r\n', '=1+1', '-5')
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
const value: fc.Arbitrary<Json> = fc.oneof(
  text,
  text.map((description) => [{ description }]),
  fc.constantFrom(null, true, -1, -1.5e-7, 2),
)

const pairs = exportDelimiters.flatMap((written) => delimiters.map((separator) => ({ written, separator })))

test.each(pairs)(
  'no cell of a file with $written is a formula for a program that goes by $separator [V1.3.3]',
  ({ written, separator }) => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), (values) => {
        expect(cellsBy(separator, formatRow([1, ...values], written)).filter(isRun)).toEqual([])
      }),
      { numRuns: 1000, seed: 1 },
    )
  },
)

test.each(exportDelimiters)(
  'reading takes off exactly the apostrophes that writing adds, in a file with %j',
  (delimiter) => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (cell) => {
        const [written] = cellsBy(delimiter, formatRow([cell], delimiter))
        expect(unescapeFormulas(written as string, delimiter)).toBe(cell)
      }),
      { numRuns: 3000, seed: 1 },
    )
  },
)

test.each(["'=Schein", "''=x", '- one\n- two', "- one\n'- two", 'a;=1', "it's; 'quoted'", "'", "''", "'\t=1"])(
  'a file has %j as it is, whichever its separator',
  (cell) => {
    for (const delimiter of exportDelimiters) {
      const [written] = cellsBy(delimiter, formatRow([cell], delimiter))
      expect(unescapeFormulas(written as string, delimiter)).toBe(cell)
    }
  },
)

test.each(['\u200b', '\u00ad', '\ufeff', '\u2060', '\u0001'])(
  'what shows nothing hides no formula: %j',
  (invisible) => {
    expect(formatRow([`${invisible}=1+1`])).toContain(`'${invisible}=1+1`)
  },
)

test('a number is written as it is, a text of any length in one go', () => {
  expect(formatRow([1, -2, -1.5e-7, '-12.5', null])).toBe('1,-2,-1.5e-7,-12.5,\r\n')
  expect(formatRow(['"'.repeat(300_000), ' '.repeat(300_000), '-'.repeat(300_000)])).toHaveLength(1_200_007)
})
