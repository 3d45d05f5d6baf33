import { describe, expect, test } from 'vitest'
import { contentOf, definitions, german, line } from '../test/paper/contents.ts'
import { paperBlocks } from './paper.ts'

const { invoices, estimates } = definitions

describe('The blocks of a paper', () => {
  test('have the letterhead, the addressee, the days, the lines, the sums and the texts of their content.', () => {
    expect(paperBlocks(invoices, contentOf(), null)).toMatchObject({
      language: 'en',
      size: 'LETTER',
      title: 'Invoice INV-000051',
      across: null,
      letterhead: { name: 'Harbor & Sons', logo: null },
      facts: [
        { label: 'Issued on', text: '31 Mar 2026' },
        { label: 'Due on', text: '30 Apr 2026' },
        { label: 'PO number', text: 'PO 4711' },
        { label: 'Your tax number', text: '98-7654321' },
      ],
      subject: null,
      table: {
        head: ['Description', 'Quantity', 'Unit price', 'Amount'],
        rows: [['Brickwork, facing', '42.5 m2', '$89.00', '$3,782.50']],
      },
      totals: [
        { label: 'Subtotal', text: '$3,782.50' },
        { label: 'Discount 2.5%', text: '-$94.56' },
        { label: 'Tax 8.875%', text: '$327.30' },
        { label: 'Total', text: '$4,015.24' },
      ],
      texts: [{ label: 'Note', lines: ['Work of March.', '', 'Thank you.'] }],
      bank: [
        { label: 'Bank', text: 'First Coast Bank' },
        { label: 'BIC', text: 'FCBKUS33' },
      ],
      footer: ['Payable without deduction.'],
    })
    expect(paperBlocks(estimates, contentOf(), null)).toMatchObject({
      title: 'Estimate INV-000051',
      subject: 'Boundary wall, phase 1',
      facts: [{ label: 'Issued on', text: '2 Feb 2026' }, { label: 'Valid until' }, { label: 'Your tax number' }],
    })
  })

  test('are in the language of the letterhead, with its numbers and days, on A4 outside of the United States and Canada.', () => {
    expect(paperBlocks(invoices, contentOf({ letterhead: german }), 'VOID')).toMatchObject({
      language: 'de',
      size: 'A4',
      title: 'Rechnung INV-000051',
      across: 'STORNIERT',
      facts: [{ text: '31.03.2026' }, { text: '30.04.2026' }, {}, { label: 'Ihre Steuernummer' }],
      totals: [
        { text: '3.782,50\u00a0€' },
        { label: 'Rabatt 2,5\u00a0%' },
        { label: 'Steuer 8,875\u00a0%' },
        { text: '4.015,24\u00a0€' },
      ],
    })
    const canadian = { letterhead: { address: { ...german.address, country: 'CA' } } }
    expect(paperBlocks(invoices, contentOf(canadian), null).size).toBe('LETTER')
  })

  test.each([
    ['without a discount and a tax', { shares: [null, null] }, ['Total']],
    ['with a tax of nothing', { shares: [null, 0] }, ['Subtotal', 'Tax 0%', 'Total']],
    ['with an amount as discount', { shares: [null, 20], discount: 500 }, ['Subtotal', 'Discount', 'Tax 20%', 'Total']],
  ] as const)('show the way to the total of a record %s.', (_, changes, labels) => {
    expect(paperBlocks(invoices, contentOf(changes), null).totals.map(({ label }) => label)).toEqual(labels)
  })

  test('leave out what a draft does not have yet.', () => {
    const none = { number: null, issued_on: null, due_on: null, note: null, po_number: null }
    const blocks = paperBlocks(invoices, contentOf({ record: none, addressee: null, lines: [] }), 'DRAFT')
    expect(blocks).toMatchObject({
      title: 'Invoice',
      across: 'DRAFT',
      addressee: [],
      facts: [],
      texts: [],
      table: { rows: [] },
    })
  })

  test('spell the texts of others, so that none turns, hides or breaks its line.', () => {
    const content = contentOf({
      lines: [line('exe.\u202egnp\nnext', { unit: '\u200b' })],
      addressee: { name: 'Quay', contact_name: 'Quay' },
    })
    const { table, addressee } = paperBlocks(invoices, content, null)
    expect(table.rows[0]?.slice(0, 2)).toEqual(['exe.⟨U+202E⟩gnp next', '42.5 ⟨U+200B⟩'])
    expect(addressee[0]).toBe('Quay')
    expect(addressee[1]).toBe('1 Quay Street')
  })
})
