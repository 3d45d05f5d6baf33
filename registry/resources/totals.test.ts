import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Line } from '../fields/lines.ts'
import { lineTotal, totals } from './totals.ts'

const line = (quantity: number, unit_price_minor: number): Line => ({
  description: 'x',
  quantity,
  unit: null,
  unit_price_minor,
})

describe('Each line, the discount and the tax are rounded once, half up', () => {
  const rows: { why: string; lines: Line[]; discount: number | null; tax: number | null; total: number }[] = [
    { why: 'nothing', lines: [], discount: 10, tax: 20, total: 0 },
    { why: 'half a cent rounds up', lines: [line(0.5, 1)], discount: null, tax: null, total: 1 },
    { why: 'less than half rounds down', lines: [line(0.4999, 1)], discount: null, tax: null, total: 0 },
    {
      why: 'lines are rounded before they are added',
      lines: [line(0.5, 1), line(0.5, 1)],
      discount: null,
      tax: null,
      total: 2,
    },
    {
      why: 'a quantity that a double cannot hold exactly',
      lines: [line(1.1, 100)],
      discount: null,
      tax: null,
      total: 110,
    },
    { why: 'tax comes after the discount', lines: [line(1, 1000)], discount: 10, tax: 20, total: 1080 },
    { why: 'the sales tax of New York', lines: [line(1, 10_000)], discount: null, tax: 8.875, total: 10_888 },
    { why: 'the sales taxes of Quebec', lines: [line(1, 10_000)], discount: 2.5, tax: 9.975, total: 10_723 },
    {
      why: 'half a cent by the fourth decimal',
      lines: [line(1, 500_000)],
      discount: null,
      tax: 0.0001,
      total: 500_001,
    },
    {
      why: 'the sum is rounded, not its lines',
      lines: [line(1, 40), line(1, 40)],
      discount: null,
      tax: 8.875,
      total: 87,
    },
    { why: 'everything off', lines: [line(3, 999)], discount: 100, tax: 20, total: 0 },
    {
      why: 'beyond what a double adds exactly',
      lines: [line(1, 9_000_000_000_000_000)],
      discount: 0.01,
      tax: null,
      total: 8_999_100_000_000_000,
    },
  ]
  test.each(rows)('$why', ({ lines, discount, tax, total }) => {
    expect(totals({ lines, discount_pct: discount, tax_pct: tax }).total_minor).toBe(total)
  })
})

test('the parts always add up to the total, and no part is negative', () => {
  const quantity = fc.integer({ min: 1, max: 10_000_000 }).map((tenThousandths) => tenThousandths / 10_000)
  const percent = fc.option(fc.integer({ min: 0, max: 1_000_000 }).map((tenThousandths) => tenThousandths / 10_000))
  const someLines = fc.array(
    fc.tuple(quantity, fc.nat(10_000_000)).map(([count, price]) => line(count, price)),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(someLines, percent, percent, (lines, discount, tax) => {
      const sums = totals({ lines, discount_pct: discount, tax_pct: tax })
      expect(sums.subtotal_minor).toBe(Number(lines.reduce((sum, one) => sum + lineTotal(one), 0n)))
      expect(sums.total_minor).toBe(sums.subtotal_minor - sums.discount_minor + sums.tax_minor)
      for (const part of Object.values(sums)) expect(part).toBeGreaterThanOrEqual(0)
    }),
  )
})
