import { describe, expect, test } from 'vitest'
import type { ProposalContext } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { createBlankRecord } from '../input.ts'
import { beginRecord } from './begin.ts'

const nothing = { payment_terms_days: null, valid_days: null, tax_pct: null }
const context = (company: Partial<ProposalContext['company']> = {}): ProposalContext => ({
  today: '2026-01-31',
  company: { ...nothing, ...company },
})
const named = (name: string) => definitionOf(registry, name) as NonNullable<ReturnType<typeof definitionOf>>

describe('A new form begins with what the company gives and with its day.', () => {
  test.each([
    [
      'estimates',
      { valid_days: 30, tax_pct: 19 },
      { issue_date: '2026-01-31', valid_until: '2026-03-02', tax_pct: 19 },
    ],
    ['estimates', { valid_days: 0 }, { issue_date: '2026-01-31', valid_until: '2026-01-31', tax_pct: null }],
    ['estimates', {}, { issue_date: '2026-01-31', valid_until: null, tax_pct: null }],
    ['invoices', { tax_pct: 8.875, payment_terms_days: 14 }, { tax_pct: 8.875, issued_on: null, due_on: null }],
    ['time_entries', {}, { worked_on: '2026-01-31' }],
  ])('%s of a company with %j', (name, company, values) => {
    const definition = named(name)
    expect(beginRecord(definition, context(company))).toEqual({ ...createBlankRecord(definition), ...values })
  })

  test('A resource without proposals begins as it would be stored.', () => {
    const { fields, proposals } = named('clients')
    expect(proposals).toBeUndefined()
    expect(beginRecord(named('clients'), context({ tax_pct: 5 }))).toEqual(createBlankRecord(named('clients')))
    expect(Object.keys(fields).length).toBeGreaterThan(5)
  })

  test('A field that is withheld from the account gets no value.', () => {
    const { tax_pct: _, ...fields } = named('invoices').fields
    expect(beginRecord({ ...named('invoices'), fields }, context({ tax_pct: 5 }))).not.toHaveProperty('tax_pct')
  })
})

test.each([
  ['those of the client', { payment_terms_days: 10 }, 30, '2026-02-10'],
  ['those of the client, if they are none', { payment_terms_days: 0 }, 30, '2026-01-31'],
  ['those of the company, if the client has none', { payment_terms_days: null }, 30, '2026-03-02'],
  ['those of the company, if nobody may see the client', undefined, 30, '2026-03-02'],
  ['none, if nobody has any', { payment_terms_days: null }, null, '2026-01-31'],
])('The terms of an invoice are %s.', (_, found, payment_terms_days, due_on) => {
  const proposal = named('invoices').proposals?.ISSUED
  const proposed = proposal?.of({ issued_on: null, due_on: null }, { ...context({ payment_terms_days }), found })
  expect(proposed).toEqual({ issued_on: '2026-01-31', due_on })
})
