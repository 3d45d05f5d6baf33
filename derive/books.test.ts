import { expect, test } from 'vitest'
import { registry } from '#registry/resources/index.ts'
import { formatBooks, monthsUpTo, rightsOfBooks } from './books.ts'

test('months begin with that of today and go back over years', () => {
  expect(monthsUpTo('2026-01-31', 3)).toEqual([
    { from: '2026-01-01', to: '2026-01-31' },
    { from: '2025-12-01', to: '2025-12-31' },
    { from: '2025-11-01', to: '2025-11-30' },
  ])
  expect(monthsUpTo('2028-02-29', 1)).toEqual([{ from: '2028-02-01', to: '2028-02-29' }])
})

test.each(registry.flatMap((one) => (one.list?.books ? [{ one, books: one.list.books }] : [])))(
  'each column of the file of $one.name leads to a field, and its day is a day',
  ({ one, books: { on, columns } }) => {
    expect(() => rightsOfBooks(one, columns)).not.toThrow()
    expect(one.fields[on]?.kind).toBe('date')
    expect(formatBooks(one, columns, {}, 'USD')).toHaveLength(Object.keys(columns).length)
  },
)

test.each([
  ['USD', '10.05'],
  ['JPY', '1005'],
  ['BHD', '1.005'],
])('an amount of 1005 in %s is %s', (currency, text) => {
  const [invoices] = registry.filter(({ name }) => name === 'invoices')
  expect(
    formatBooks(invoices!, { total: 'total_minor', currency: 'currency' }, { total_minor: 1005 }, currency),
  ).toEqual([text, currency])
})

test('a column that leads nowhere is a mistake', () => {
  const [invoices] = registry.filter(({ name }) => name === 'invoices')
  expect(() => rightsOfBooks(invoices!, { a: 'number.name' })).toThrow('invoices.number is no reference')
  expect(() => rightsOfBooks(invoices!, { a: 'client_id.shoe_size' })).toThrow('clients has no shoe_size')
})
