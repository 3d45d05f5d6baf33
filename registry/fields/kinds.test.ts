import fc from 'fast-check'
import { Compile } from 'typebox/schema'
import { describe, expect, test } from 'vitest'
import { checkValue } from '#derive/check-value.ts'
import { valueSchema } from '#derive/schema.ts'
import type { Json } from '../json.ts'
import { type Field, kindOf, kinds } from './index.ts'
import { decimalsOf } from './number.ts'

/** One suite over every kind of field: a new kind adds a row, and is held to the same. */
type KindRow = { field: Field; accepts: Json[]; refuses: Json[] }

const about = 'A field.'
const rows: KindRow[] = [
  {
    field: { kind: 'text', max: 5, example: 'abc', about },
    accepts: ['a', 'abcde', '😀😀😀😀😀', ' ab '],
    refuses: ['', '   ', 'abcdef', 1, true, null, {}, []],
  },
  { field: { kind: 'paragraph', max: 5, example: 'abc', about }, accepts: ['a\nb'], refuses: ['', 'abcdef', 7] },
  {
    field: { kind: 'email', about },
    accepts: ['a@b.cd', 'ada.l+x@mail.example.com', 'ü@ö.de'],
    refuses: ['a', 'a@b', '@b.cd', 'a@', 'a b@c.de', 'a@b..c', 'a@b.c@d.e', `${'a'.repeat(250)}@b.cd`],
  },
  {
    field: { kind: 'phone', about },
    accepts: [
      '12345',
      '+44 (0)20 7946-0958',
      '0800/123.456x7',
      '0221 555010 ext. 7',
      '0221\u2013555\u00a0010',
      '1'.repeat(40),
    ],
    refuses: ['1234', '1'.repeat(41), '0800 FLOWERS', '0221 555010 next 7', 'ext. 555010', '\u200e0221 555010', 12345],
  },
  {
    field: { kind: 'url', about },
    accepts: ['https://example.com', 'http://a.bc/d?e=f#g', 'https://münchen.example/Straße', 'https://localhost/a.b'],
    refuses: [
      ...['example.com', 'javascript:alert(1)', 'https://localhost', 'ftp://a.bc', 'https://a b.cd', ' '],
      ...['https://a.bc:port', 'https://a.b%c', 'https://[a.b]/', 'https://1.2.3.999', `https://a.${'b'.repeat(500)}`],
    ],
  },
  { field: { kind: 'country', about }, accepts: ['GB', 'DE', 'US'], refuses: ['gb', 'XX', 'GBR', '', 44] },
  { field: { kind: 'currency', about }, accepts: ['USD', 'JPY'], refuses: ['usd', 'ABC', 'XAU', 'DEM', '', 840] },
  {
    field: { kind: 'iban', about },
    accepts: [
      ...['DE89370400440532013000', 'GB29NWBK60161331926819', 'NO9386011117947', 'MT84MALT011000012345MTLCAST001S'],
      'FR1420041010050500013M02606',
    ],
    refuses: [
      ...['DE89370400440532013001', 'DE98370400440532013000', 'GB29NWBK60161331926891', 'DE89 3704 0044 0532 0130 00'],
      ...['de89370400440532013000', 'DE89', '89370400440532013000', `DE89${'1'.repeat(31)}`, '', 89],
    ],
  },
  {
    field: { kind: 'time_zone', about },
    accepts: ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata', 'Etc/GMT+5', 'Europe/Kyiv'],
    refuses: ['+01:00', 'Mars/Olympus', 'Europe', 'CET1', 'Europe/Berlin; drop', '', 1, 'A'.repeat(61)],
  },
  {
    field: { kind: 'integer', min: 1, max: 5, example: 3, about },
    accepts: [1, 5],
    refuses: [0, 6, 1.5, '3', true, null],
  },
  {
    field: { kind: 'money', about },
    accepts: [0, 9_000_000_000_000_000],
    refuses: [-1, 0.5, 9_000_000_000_000_001, '1'],
  },
  {
    field: { kind: 'decimal', min: 0, max: 100, places: 2, example: 2.5, about },
    accepts: [0, 0.01, 99.99, 100],
    refuses: [-0.01, 100.01, 1.005, 1e-7, '1'],
  },
  {
    field: { kind: 'decimal', min: 0, above: true, max: 10, places: 4, example: 1, about },
    accepts: [0.0001, 10],
    refuses: [0, 0.00001],
  },
  {
    field: { kind: 'date', example: '2026-01-31', about },
    accepts: ['2026-01-31', '2028-02-29', '0001-01-01', '9999-12-31'],
    refuses: ['2026-02-29', '0000-01-01', '2026-1-31', '31.01.2026', '2026-13-01', '2026-01-31T00:00:00Z', 20260131],
  },
  { field: { kind: 'instant', about }, accepts: ['2026-01-31T12:00:00Z'], refuses: ['2026-01-31', 1, 'now'] },
  { field: { kind: 'choice', values: ['A', 'B'], about }, accepts: ['A', 'B'], refuses: ['a', '', 'C', 1] },
  { field: { kind: 'flag', about }, accepts: [true, false], refuses: [0, 1, 'true', ''] },
  { field: { kind: 'id', about }, accepts: [1, Number.MAX_SAFE_INTEGER], refuses: [0, -1, 1.5, '1'] },
  { field: { kind: 'reference', to: 'clients', about }, accepts: [1], refuses: [0, -1, 1.5, '1', true] },
  {
    field: { kind: 'address', about },
    accepts: [{}, { city: 'Bath' }, { city: null, country: 'GB' }],
    refuses: ['Bath', [], { town: 'Bath' }, { city: '' }, { country: 'XX' }, { line1: 'x'.repeat(201) }],
  },
  {
    field: { kind: 'lines', about },
    accepts: [[], [{ description: 'a' }], [{ description: 'a', quantity: 1.5, unit: null, unit_price_minor: 1 }]],
    refuses: [
      'a',
      {},
      [{}],
      [{ description: '' }],
      [{ description: 'a', quantity: 0 }],
      [{ description: 'a', price: 1 }],
      ['a'],
      [null],
    ],
  },
]

test('every kind has a row', () => {
  expect(new Set(rows.map(({ field }) => field.kind))).toEqual(new Set(Object.keys(kinds)))
})

describe.each(rows)('$field.kind', ({ field, accepts, refuses }) => {
  const kind = kindOf(field)
  const problemsOf = (value: Json) => checkValue(field, value, 'it').problems

  test.each(accepts.map((value) => ({ value })))('accepts $value', ({ value }) => {
    expect(problemsOf(value)).toEqual([])
  })

  test.each(refuses.map((value) => ({ value })))(
    'refuses $value, in a sentence that begins with "must" or names the member [V1.2.2] [V2.2.1]',
    ({ value }) => {
      const problems = problemsOf(value)
      expect(problems.length).toBeGreaterThan(0)
      for (const { field: at, message } of problems) {
        expect(at).toMatch(/^it/)
        expect(message).toMatch(/^(must be .+|is required|is not a field here.*|cannot be null)$/)
      }
    },
  )

  test('accepts its own example, which its schema accepts too', () => {
    const example = kind.example(field)
    expect(problemsOf(example)).toEqual([])
    expect(Compile(valueSchema(field)).Check(example)).toBe(true)
  })

  // A body may have a megabyte. What looks at all of it more than once takes minutes, so this ends or it does not.
  test('refuses a megabyte in one text, whatever it repeats, without going over it again', () => {
    const texts = ['a', '.', 'a.', ' x', '@', '0', '-', 'http://', 'é', '😀'].flatMap((part) => {
      const many = part.repeat(Math.ceil(1_000_000 / part.length))
      return [many, `https://${many} !`, `a@${many}`, `x${many} `, `${many}!`, `2026-01-01${many}`]
    })
    for (const text of texts) {
      const [problem, ...more] = problemsOf(text)
      expect(more).toEqual([])
      const { maxLength } = kind.schema(field)
      if (maxLength !== undefined) expect(problem?.code).toBe('too_long')
      else expect(problem).toBeDefined()
    }
    const members = kind.members?.(field) ?? {}
    for (const [name, member] of Object.entries(members)) {
      const wrong = { [name]: 'a.'.repeat(500_000) }
      const [problem] = problemsOf(kind.many ? [{ description: 'x', ...wrong }] : wrong)
      if (kindOf(member).schema(member).maxLength !== undefined) expect(problem?.code).toBe('too_long')
      else expect(problem).toBeDefined()
    }
  })

  test('accepts nothing that its documented schema refuses [V15.3.5]', () => {
    const documented = Compile(valueSchema(field))
    const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(...accepts, ...refuses))
    fc.assert(
      fc.property(anything, (value) => {
        const { value: kept, problems } = checkValue(field, value as Json, 'it')
        // Text is trimmed before it is checked, and empty addresses are kept as none.
        if (problems.length === 0 && kept !== null) expect(documented.Check(kept)).toBe(true)
      }),
    )
  })

  test('names a column type', () => {
    expect(kind.column(field)).toMatch(/^(text|integer|bigint|boolean|date|timestamptz|json|numeric)$/)
  })
})

test('decimals are counted in the shortest spelling of a number', () => {
  expect([1, 0.5, 0.25, 1e21, 1e-7, 1.5e-7, 100].map(decimalsOf)).toEqual([0, 1, 2, 0, 7, 8, 0])
})
