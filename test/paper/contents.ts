import type { PaperAddress, PaperContent } from '#derive/paper-content.ts'
import type { PaperDefinition } from '#registry/definition.ts'
import type { Line } from '#registry/fields/lines.ts'
import { estimates } from '#registry/resources/estimates.ts'
import { invoices } from '#registry/resources/invoices.ts'
import { totals } from '#registry/resources/totals.ts'

/** Contents of papers, of both kinds and in both languages. */

export const definitions: { readonly [name in 'invoices' | 'estimates']: PaperDefinition } = { invoices, estimates }

export const line = (description: string, more: Partial<Line> = {}): Line => ({
  description,
  quantity: 42.5,
  unit: 'm2',
  unit_price_minor: 8900,
  ...more,
})

const address = (members: Partial<PaperAddress>): PaperAddress => ({
  line1: '12 Harbor Lane',
  line2: null,
  city: 'Portland',
  region: 'ME',
  postal_code: '04101',
  country: 'US',
  ...members,
})

/** `shares`: discount and tax in percent; `discount`: an amount instead. */
type Changes = { [part in keyof PaperContent]?: object | null } & {
  lines?: Line[]
  shares?: readonly [discount: number | null, tax: number | null]
  discount?: number
}

/** Returns the content of a paper of an American company, with these changes. */
export function contentOf({
  lines = [line('Brickwork, facing')],
  shares: [discount_pct, tax_pct] = [2.5, 8.875],
  discount: discount_minor = 0,
  ...changes
}: Changes = {}): PaperContent {
  const record = {
    id: 7,
    number: 'INV-000051',
    title: 'Boundary wall, phase 1',
    issue_date: '2026-02-02',
    valid_until: '2026-03-31',
    issued_on: '2026-03-31',
    due_on: '2026-04-30',
    po_number: 'PO 4711',
    note: 'Work of March.\n\nThank you.',
    lines,
    discount_pct,
    tax_pct,
    ...totals({ lines, discount_pct, discount_minor, tax_pct }),
    status: 'ISSUED',
    ...changes.record,
  }
  const addressee = {
    id: 2,
    name: 'Bristol Harbour Trust',
    contact_name: 'Ines Duarte',
    tax_id: '98-7654321',
    billing_address: address({ line1: '1 Quay Street', city: 'Millbrook', postal_code: '04067' }),
    ...changes.addressee,
  }
  const letterhead: PaperContent['letterhead'] = {
    name: 'Harbor & Sons',
    currency: 'USD',
    address: address({}),
    phone: '+1 207 555 0100',
    email: 'office@harbor.example.com',
    website: 'https://harbor.example.com',
    tax_id: '12-3456789',
    registration_no: null,
    bank_name: 'First Coast Bank',
    iban: null,
    bic: 'FCBKUS33',
    paper_language: 'en',
    footer: 'Payable without deduction.',
    logo: null,
    ...changes.letterhead,
  }
  return { record, addressee: changes.addressee === null ? null : addressee, letterhead }
}

/** The letterhead of a German company. */
export const german = {
  name: 'Hafen & Söhne',
  currency: 'EUR',
  address: address({ line1: 'Kaiweg 12', city: 'Kiel', region: null, postal_code: '24103', country: 'DE' }),
  paper_language: 'de',
}
