import { expect, test } from 'vitest'
import { company, printedFields } from './company.ts'

test('Papers show the fields of the company, but not those that forms begin with.', () => {
  const others = Object.keys(company.fields).filter((name) => !printedFields.includes(name))
  expect(others.toSorted()).toEqual(['payment_terms_days', 'tax_pct', 'time_zone', 'valid_days'])
  expect(printedFields).toEqual(expect.arrayContaining(['name', 'address', 'iban', 'footer', 'paper_language']))
})
