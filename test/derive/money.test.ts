import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkRecord } from '#derive/input.ts'
import { leftOf, type Part, valuesOfPart, waysToBill } from '#derive/part.ts'
import type { JsonObject } from '#registry/json.ts'
import { moneyMax } from '#registry/limits.ts'
import { invoices } from '#registry/resources/invoices.ts'
import { timeEntries } from '#registry/resources/time-entries.ts'
import { netOf, type Priced, totals } from '#registry/resources/totals.ts'
import { fraction, percentOf, round, subtotalOf, times } from './fractions.ts'

/** Each amount is that of plain fractions, rounded once, half up; parts and the rest are the whole. */

const runs = { numRuns: 10_000 }

const decimal = (max: number) => fc.integer({ min: 0, max: max * 10_000 }).map((count) => count / 10_000)
const lines = fc.array(
  fc.record({
    description: fc.constant('Wall'),
    quantity: fc.integer({ min: 1, max: 100_000_000 }).map((count) => count / 10_000),
    unit: fc.constant(null),
    unit_price_minor: fc.oneof(fc.nat(1000), fc.nat(1_000_000_000)),
  }),
  { maxLength: 8 },
)
/** Lines with no discount, a share, or an amount of their sum. */
const priced = fc
  .record({
    lines,
    share: decimal(100),
    tax_pct: fc.option(decimal(100)),
    by: fc.constantFrom('none', 'share', 'amount'),
  })
  .map(({ lines, share, tax_pct, by }) => ({
    lines,
    tax_pct,
    discount_pct: by === 'share' ? share : null,
    discount_minor: by === 'none' ? 0 : Number(round(percentOf(subtotalOf(lines), share))),
  }))

function discountOf(
  { discount_pct, discount_minor }: { discount_pct: number | null; discount_minor: number },
  of: bigint,
) {
  return discount_pct === null ? BigInt(discount_minor) : round(percentOf(of, discount_pct))
}

test('the totals of lines, a discount and a tax are those of fractions', () => {
  fc.assert(
    fc.property(priced, (offer) => {
      const subtotal = subtotalOf(offer.lines)
      const discount = discountOf(offer, subtotal)
      const tax = round(percentOf(subtotal - discount, offer.tax_pct ?? 0))
      expect(totals(offer)).toEqual({
        subtotal_minor: Number(subtotal),
        discount_minor: Number(discount),
        tax_minor: Number(tax),
        total_minor: Number(subtotal - discount + tax),
      })
    }),
    runs,
  )
})

/** A way to bill a part, its share in percent, and which lines in which share of their quantity. */
const asked = fc.array(
  fc.record({
    by: fc.constantFrom<Part['by']>('percent', 'amount', 'lines', 'rest', 'all'),
    share: fc.integer({ min: 100, max: 1_000_000 }).map((count) => count / 10_000),
    ticks: fc.array(fc.option(fc.integer({ min: 1, max: 4 })), { minLength: 8, maxLength: 8 }),
  }),
  { maxLength: 6 },
)

test('parts of an offer are those of fractions, and with the rest they are its net exactly', () => {
  fc.assert(
    fc.property(priced, asked, (offer, parts) => {
      const subtotal = subtotalOf(offer.lines)
      const net = subtotal - discountOf(offer, subtotal)
      expect(netOf(offer)).toBe(Number(net))
      let billed = 0n
      for (const { by, share, ticks } of parts) {
        if (!waysToBill(offer, Number(billed)).includes(by)) continue
        const left = net - billed
        const some = offer.lines.flatMap((line, index) => {
          const tick = ticks[index]
          return tick ? [{ ...line, quantity: Math.ceil((line.quantity * 10_000) / tick) / 10_000 }] : []
        })
        const own = subtotalOf(some)
        const expected = {
          percent: () => round(percentOf(net, share)),
          amount: () => round(percentOf(left, share)),
          lines: () =>
            own -
            (offer.discount_pct === null && subtotal > 0n
              ? round([BigInt(offer.discount_minor) * own, subtotal])
              : discountOf(offer, own)),
          rest: () => left,
          all: () => net,
        }[by]()
        const part = { by, percent: share, amount: Number(expected), lines: some } as Part
        const values = valuesOfPart(offer, part, Number(billed), 'Part') as Priced
        expect(netOf(values)).toBe(Number(expected))
        if (expected <= left) billed += expected
      }
      const rest = leftOf(offer, Number(billed))
      expect(rest).toBeGreaterThanOrEqual(0)
      if (rest > 0) billed += BigInt(netOf(valuesOfPart(offer, { by: 'rest' }, Number(billed), 'Rest') as Priced))
      expect(billed).toBe(net)
      expect(waysToBill(offer, Number(billed))).toEqual([])
    }),
    runs,
  )
})

test('an invoice takes each part as it is', () => {
  fc.assert(
    fc.property(priced, asked, (offer, parts) => {
      for (const { by, share } of parts) {
        const part = { by, percent: share, amount: 1, lines: offer.lines.slice(0, 1) } as Part
        if (!waysToBill(offer, by === 'rest' ? 1 : 0).includes(by)) continue
        const values = valuesOfPart(offer, part, 0, 'Part')
        const { record, problems } = checkRecord(invoices, { client_id: 1, tax_pct: offer.tax_pct, ...values }, null, {
          today: () => '2026-01-01',
        })
        if (Number(record.total_minor) > moneyMax) continue
        expect(problems).toEqual([])
        expect(record).toMatchObject(totals({ ...(values as Priced), tax_pct: offer.tax_pct }))
      }
    }),
    { numRuns: 500 },
  )
})

test('hours cost what they did when they were approved, whatever the rate is later', () => {
  const step = fc.record({
    status: fc.constantFrom('DRAFT', 'APPROVED'),
    rate: fc.option(fc.nat(1_000_000)),
  })
  const hours = fc.integer({ min: 1, max: 2400 }).map((count) => count / 100)
  fc.assert(
    fc.property(hours, fc.array(step, { maxLength: 8 }), (hours, steps) => {
      let before: JsonObject | null = null
      let cost: number | null = null
      for (const { status, rate } of steps) {
        const record: JsonObject = { ...before, worker_id: 1, hours, status }
        const found = { worker_id: { hourly_cost_minor: rate } }
        const calculated: JsonObject = timeEntries.computed(record, { before, sent: {}, found, sums: {} })
        if (status === 'DRAFT') cost = null
        else if (before?.status !== 'APPROVED')
          cost = rate === null ? null : Number(round(times(fraction(hours), [BigInt(rate), 1n])))
        expect(calculated).toEqual({ cost_minor: cost })
        before = { ...record, ...calculated }
      }
    }),
    runs,
  )
})

test('an issued invoice is PAID if its payments come to its total, and until then paid and open are the total', () => {
  const acts = fc.array(
    fc.oneof(
      fc.record({ pay: fc.integer({ min: 1, max: 130 }) }),
      fc.record({ takeBack: fc.nat(10) }),
      fc.record({ state: fc.constantFrom('ISSUED', 'VOID') }),
    ),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(priced, acts, (offer, acts) => {
      const total = totals(offer).total_minor
      const work = (record: JsonObject, before: JsonObject | null, paid: number): JsonObject => ({
        ...record,
        ...invoices.computed(record, { before, sent: {}, found: {}, sums: { paid_minor: paid } }),
      })
      let payments: number[] = []
      let invoice = work({ ...offer, status: 'DRAFT', paid_minor: 0, open_minor: 0 }, null, 0)
      for (const act of acts) {
        const state = invoice.status
        if ('state' in act) {
          if (state === 'DRAFT' && act.state === 'ISSUED') invoice = work({ ...invoice, status: 'ISSUED' }, invoice, 0)
          else if (state !== 'DRAFT' && act.state === 'VOID' && payments.length === 0)
            invoice = work({ ...invoice, status: 'VOID' }, invoice, 0)
        } else if (state === 'ISSUED' || state === 'PAID') {
          if ('pay' in act) payments.push(Math.ceil((total * act.pay) / 100) || 1)
          else payments = payments.toSpliced(act.takeBack % (payments.length || 1), 1)
          invoice = work(
            invoice,
            invoice,
            payments.reduce((sum, one) => sum + one, 0),
          )
        }
        const paid = payments.reduce((sum, one) => sum + one, 0)
        const isBilled = invoice.status === 'ISSUED' || invoice.status === 'PAID'
        expect(invoice.paid_minor).toBe(paid)
        if (isBilled) expect(invoice.status === 'PAID').toBe(paid >= total)
        if (invoice.status === 'ISSUED') expect(paid + Number(invoice.open_minor)).toBe(total)
        else expect(invoice.open_minor).toBe(0)
      }
    }),
    runs,
  )
})
