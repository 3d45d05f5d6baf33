import { describe, expect, test } from 'vitest'
import type { Line } from '#registry/fields/lines.ts'
import type { Priced } from '#registry/resources/totals.ts'
import { type Part, valuesOfPart, waysToBill } from './part.ts'

const line = (quantity: number, unit_price_minor: number): Line => ({
  description: 'Wall',
  quantity,
  unit: 'm2',
  unit_price_minor,
})
const [wall, coping] = [line(2, 5000), line(0.5, 1001)]
const offer: Priced = { lines: [wall, coping], discount_pct: null, discount_minor: 1001, tax_pct: 20 }
const share: Priced = { ...offer, discount_pct: 10, discount_minor: 1050 }
const single = (amount: number) => ({
  lines: [{ description: 'Part', quantity: 1, unit: null, unit_price_minor: amount }],
  discount_pct: null,
  discount_minor: 0,
})

describe('A part of an offer is billed', () => {
  const rows: { why: string; of?: Priced; part: Part; billed?: number; values: object }[] = [
    { why: 'a share is one line of the net', part: { by: 'percent', percent: 40 }, values: single(3800) },
    {
      why: 'half a cent rounds up',
      of: { lines: [line(1, 101)] },
      part: { by: 'percent', percent: 50 },
      values: single(51),
    },
    {
      why: 'less than half rounds down',
      of: { lines: [line(1, 101)] },
      part: { by: 'percent', percent: 49.5 },
      values: single(50),
    },
    { why: 'an amount is one line', part: { by: 'amount', amount: 123 }, values: single(123) },
    { why: 'the rest is one line of what is left', part: { by: 'rest' }, billed: 3800, values: single(5700) },
    {
      why: 'all is the offer as it is',
      part: { by: 'all' },
      values: { lines: offer.lines, discount_pct: null, discount_minor: 1001 },
    },
    {
      why: 'lines have the percentage of the offer',
      of: share,
      part: { by: 'lines', lines: [wall] },
      values: { lines: [wall], discount_pct: 10, discount_minor: 1000 },
    },
    {
      why: 'lines have their share of a discount in money',
      part: { by: 'lines', lines: [wall] },
      values: { lines: [wall], discount_pct: null, discount_minor: 953 },
    },
    {
      why: 'all of the lines have all of it',
      part: { by: 'lines', lines: [wall, coping] },
      values: { lines: [wall, coping], discount_pct: null, discount_minor: 1001 },
    },
    {
      why: 'lines that cost nothing have none',
      of: { lines: [line(1, 0)] },
      part: { by: 'lines', lines: [line(1, 0)] },
      values: { lines: [line(1, 0)], discount_pct: null, discount_minor: 0 },
    },
  ]
  test.each(rows)('$why', ({ of = offer, part, billed = 0, values }) => {
    expect(valuesOfPart(of, part, billed, 'Part')).toEqual(values)
  })

  test('nothing is left to bill of an offer that is billed', () => {
    expect(waysToBill(offer)).toEqual(['percent', 'amount', 'lines', 'all'])
    expect(waysToBill(offer, 1)).toEqual(['percent', 'amount', 'lines', 'rest'])
    expect(waysToBill(offer, 9500)).toEqual([])
    expect(waysToBill(offer, 9501)).toEqual([])
  })
})
