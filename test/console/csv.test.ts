import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatRow } from '#derive/csv.ts'
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

test.each([',', ';', '\t'])('no cell is a formula for a program that goes by %j [V1.3.3]', (separator) => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), (values) => {
      const written = formatRow([1, ...values])
      expect(cellsBy(separator, written).filter(isRun)).toEqual([])
    }),
    { numRuns: 3000, seed: 1 },
  )
})

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
