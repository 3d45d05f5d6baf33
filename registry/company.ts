import { percent } from './common.ts'
import type { Definition } from './definition.ts'

/**
 * The company itself, in fields of the kinds that records have. Check, form, columns, history and letterhead follow from them;
 * it is no resource, so no path leads to it, and nothing deletes it.
 */
export const company = {
  name: 'companies',
  one: 'company',
  about: 'The company: what its papers show, and what its blank forms begin with.',
  title: 'name',
  fields: {
    name: { kind: 'text', max: 200, required: true, example: 'Harbor Builders', about: 'Name of the company.' },
    currency: { kind: 'currency', required: true, initial: 'USD', about: 'Currency of all amounts (ISO 4217).' },
    tax_id: { kind: 'text', max: 40, example: 'DE123456789', about: 'Number under which the tax office knows it.' },
    registration_no: {
      kind: 'text',
      max: 80,
      example: 'HRB 12345, Amtsgericht Hamburg',
      about: 'Number in the register of companies, with the register.',
    },
    email: { kind: 'email', about: 'Where it is reached by e-mail.' },
    phone: { kind: 'phone', about: 'Where it is reached by telephone.' },
    website: { kind: 'url', about: 'Its web site, such as https://example.com.' },
    bank_name: { kind: 'text', max: 120, example: 'Hamburger Sparkasse', about: 'Bank that it is paid at.' },
    iban: { kind: 'iban', about: 'Account that it is paid to (ISO 13616).' },
    bic: { kind: 'text', max: 11, example: 'HASPDEHHXXX', about: 'Code of the bank (ISO 9362).' },
    paper_language: { kind: 'choice', values: ['en', 'de'], about: 'Language of its papers (ISO 639).' },
    time_zone: {
      kind: 'time_zone',
      required: true,
      initial: 'UTC',
      about: 'Zone in which its days begin and end: they decide what is late.',
    },
    address: { kind: 'address', about: 'Where it is.' },
    payment_terms_days: {
      kind: 'integer',
      min: 0,
      max: 365,
      example: 30,
      about: 'Days given to pay an invoice, where the client has no terms of its own.',
    },
    valid_days: { kind: 'integer', min: 0, max: 365, example: 30, about: 'Days that a new estimate can be accepted.' },
    tax_pct: { ...percent, example: 19, about: 'Tax in percent that new estimates and invoices begin with.' },
    footer: { kind: 'paragraph', max: 500, example: 'Managing director: Ada Quay', about: 'Last lines of each paper.' },
  },
  search: [],
  filters: [],
  removal: { instead: 'ask the operator', relations: [] },
} as const satisfies Definition

/** The fields that papers show: all but those that new forms begin with, and the time zone. */
export const printedFields: readonly string[] = Object.keys(company.fields).filter(
  (name) => !['payment_terms_days', 'valid_days', 'tax_pct', 'time_zone'].includes(name),
)
