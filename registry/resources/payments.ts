import { record, state } from '../common.ts'
import { ofSums, type Problem, problem, type RuleInput } from '../definition.ts'
import { moneyMax } from '../limits.ts'
import { whenChanged } from './rules.ts'

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
      reads: ['status', 'issued_on', 'paid_minor', 'open_minor'],
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
      recalled: true,
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
  sums: {
    same_minor: {
      of: 'payments',
      by: { invoice_id: 'invoice_id', paid_on: 'paid_on', amount_minor: 'amount_minor' },
      add: ['amount_minor'],
      when: { status: ['RECEIVED'] },
    },
  },
  rules: [isOfIssued, checkSum, whenChanged(['paid_on'], notInFuture)],
  doubts: [
    whenChanged(['amount_minor'], overpaid),
    whenChanged(['paid_on'], beforeIssue),
    ofSums(['same_minor'], paidTwice),
  ],
  proposals: { new: { of: (_, { today }) => ({ paid_on: today }) } },
  protection: {
    when: { status: ['RECEIVED', 'VOID'] },
    correct: { RECEIVED: 'set its status to VOID and record it again', VOID: 'record it again' },
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

function notInFuture({ after: { paid_on }, today }: RuleInput): Problem | undefined {
  if (typeof paid_on !== 'string' || paid_on <= today) return undefined
  return problem('paid_on', 'in_future', `must not be after today, ${today}`)
}

function overpaid({ after, found: { invoice_id: invoice } }: RuleInput): Problem<'overpaid'> | undefined {
  if (!invoice || Number(after.amount_minor) <= Number(invoice.open_minor)) return undefined
  return problem('amount_minor', 'overpaid', `is more than the ${invoice.open_minor} minor units that are open`)
}

function beforeIssue({ after, found: { invoice_id: invoice } }: RuleInput): Problem<'before_issue'> | undefined {
  const { issued_on: issued } = invoice ?? {}
  if (typeof issued !== 'string' || String(after.paid_on) >= issued) return undefined
  return problem('paid_on', 'before_issue', `is before the day on which the invoice was issued (${issued})`)
}

function paidTwice({ before, sums: { same_minor: same = 0 } }: RuleInput): Problem<'same_payment'> | undefined {
  if (before !== null || same === 0) return undefined
  return problem('amount_minor', 'same_payment', 'was recorded of the invoice for the same day already')
}
