import { record, state } from '../common.ts'
import { type Problem, problem, type RuleInput } from '../definition.ts'
import { moneyMax } from '../limits.ts'

export const payments = record({
  name: 'payments',
  one: 'payment',
  about: 'What a client has paid of an invoice.',
  title: 'paid_on',
  fields: {
    invoice_id: {
      kind: 'reference',
      to: 'invoices',
      required: true,
      settles: true,
      reads: ['status', 'paid_minor'],
      gives: { when: { status: ['ISSUED'] }, fields: { amount_minor: 'open_minor' } },
      about: 'Which invoice is paid, which is ISSUED or PAID.',
    },
    paid_on: { kind: 'date', required: true, example: '2026-04-15', about: 'Day it was paid.' },
    amount_minor: {
      kind: 'money',
      above: true,
      required: true,
      example: 250000,
      about: 'How much was paid, in minor units of the currency.',
    },
    method: {
      kind: 'choice',
      values: ['TRANSFER', 'CARD', 'CASH', 'CHEQUE', 'OTHER'],
      about: 'How it was paid.',
    },
    reference: {
      kind: 'text',
      max: 140,
      example: 'RF18 5390 0754 7034',
      about: 'The remittance text of the bank, or the number of the cheque.',
    },
    status: state({
      values: ['RECEIVED', 'VOID'],
      moves: { RECEIVED: ['VOID'], VOID: [] },
      about: 'A wrong payment is VOID, which counts for nothing, and is recorded again.',
    }),
  },
  search: ['reference'],
  filters: ['invoice_id', 'method', 'status'],
  list: {
    columns: ['paid_on', 'invoice_id', 'amount_minor', 'method', 'reference', 'status'],
    sort: '-paid_on',
    totals: ['amount_minor'],
    books: {
      on: 'paid_on',
      columns: {
        paid_on: 'paid_on',
        invoice: 'invoice_id.number',
        client: 'invoice_id.client_id.name',
        method: 'method',
        reference: 'reference',
        amount: 'amount_minor',
        currency: 'currency',
        status: 'status',
      },
    },
  },
  rules: [isOfIssued, checkSum],
  protection: {
    when: { status: ['RECEIVED', 'VOID'] },
    correct: 'set its status to VOID and record it again',
  },
  removal: {
    instead: 'set its status to VOID; a payment is part of the books',
    undone: { status: 'VOID' },
    relations: [],
  },
})

/** Refuses a payment of an invoice that asks for nothing. */
function isOfIssued({ after, found: { invoice_id: invoice }, isChanged }: RuleInput): Problem | undefined {
  if (!invoice || !isChanged('invoice_id') || ['ISSUED', 'PAID'].includes(String(invoice.status))) return undefined
  const message = `must be an invoice that is ISSUED or PAID; this one is ${invoice.status}`
  return after.status === 'VOID' ? undefined : problem('invoice_id', 'not_issued', message)
}

/** Refuses payments that add up to more than can be stored. */
function checkSum({ after, found: { invoice_id: invoice }, isChanged }: RuleInput): Problem | undefined {
  if (!invoice || !isChanged('amount_minor')) return undefined
  if (Number(after.amount_minor) + Number(invoice.paid_minor) <= moneyMax) return undefined
  return problem('amount_minor', 'out_of_range', `must not make the payments of the invoice more than ${moneyMax}`)
}
