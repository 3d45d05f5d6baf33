import { record, state } from '../common.ts'
import { ofSums, type Problem, type ProposalContext, problem, type RuleInput, type WriteInput } from '../definition.ts'
import { addDays } from '../fields/day.ts'
import type { JsonObject } from '../json.ts'
import { checkDiscount, checkPayable, pricedFields, pricedTotals } from './priced.ts'
import { inOrder, taxOfCompany, whenChanged } from './rules.ts'

export const invoices = record({
  name: 'invoices',
  one: 'invoice',
  about: 'A bill to a client: priced lines, a discount, a tax and their total.',
  title: 'number',
  fields: {
    client_id: { kind: 'reference', to: 'clients', required: true, about: 'Who pays.' },
    project_id: {
      kind: 'reference',
      to: 'projects',
      reads: ['client_id'],
      gives: { fields: { client_id: 'client_id' } },
      about: 'For which project.',
    },
    estimate_id: {
      kind: 'reference',
      to: 'estimates',
      reads: ['client_id', 'project_id', 'subtotal_minor', 'discount_minor'],
      gives: {
        when: { status: ['ACCEPTED'] },
        fields: {
          client_id: 'client_id',
          project_id: 'project_id',
          lines: 'lines',
          discount_pct: 'discount_pct',
          discount_minor: 'discount_minor',
          tax_pct: 'tax_pct',
        },
        part: 'invoiced_minor',
      },
      about: 'The estimate it was made from.',
    },
    replaces_id: {
      kind: 'reference',
      to: 'invoices',
      only: { column: 'status', value: 'VOID' },
      about: 'The VOID invoice in whose place it stands.',
    },
    number: {
      kind: 'text',
      max: 40,
      unique: true,
      numbered: 'INV-',
      example: 'INV-000001',
      about: 'Number of the invoice.',
    },
    issued_on: { kind: 'date', example: '2026-03-31', about: 'Day it was issued.' },
    due_on: { kind: 'date', example: '2026-04-30', about: 'Day it is due; not before its issue.' },
    po_number: { kind: 'text', max: 60, example: 'PO-4711', about: 'The client’s own number of the order.' },
    note: {
      kind: 'paragraph',
      max: 2000,
      example: 'Work of March. Thank you for your order.',
      about: 'Text for the client, printed on the invoice.',
    },
    ...pricedFields,
    total_minor: { kind: 'money', readOnly: true, initial: 0, about: 'What is to be paid, in minor units.' },
    paid_minor: { kind: 'money', readOnly: true, initial: 0, about: 'What is paid of it, in minor units.' },
    open_minor: {
      kind: 'money',
      readOnly: true,
      initial: 0,
      about: 'What is still to be paid, in minor units: nothing of an invoice that is not ISSUED.',
    },
    status: state({
      values: ['DRAFT', 'ISSUED', 'PAID', 'VOID'],
      moves: { DRAFT: ['ISSUED'], ISSUED: ['VOID'], PAID: ['VOID'], VOID: [] },
      about:
        'Once issued it is part of the books. Beyond DRAFT it needs a line, the day of issue and the day it is due. Its payments make it PAID.',
    }),
  },
  search: ['number', 'po_number'],
  filters: ['client_id', 'project_id', 'estimate_id', 'status'],
  list: {
    columns: ['number', 'client_id', 'status', 'due_on', 'total_minor', 'open_minor'],
    sort: '-id',
    totals: ['total_minor', 'open_minor'],
    due: { when: { status: ['ISSUED'] }, on: 'due_on', open: 'open_minor' },
    books: {
      on: 'issued_on',
      columns: {
        number: 'number',
        client: 'client_id.name',
        client_ref: 'client_id.external_ref',
        tax_id: 'client_id.tax_id',
        issued_on: 'issued_on',
        due_on: 'due_on',
        status: 'status',
        net: { add: ['subtotal_minor'], less: ['discount_minor'] },
        tax_pct: 'tax_pct',
        tax: 'tax_minor',
        total: 'total_minor',
        paid: 'paid_minor',
        currency: 'currency',
        po_number: 'po_number',
      },
    },
  },
  needs: { status: ['ISSUED', 'PAID', 'VOID'], fields: ['issued_on', 'due_on', 'lines'] },
  rules: [
    inOrder('issued_on', 'due_on'),
    projectFits,
    estimateFits,
    checkPayable,
    checkDiscount,
    checkFirstState,
    ofSums(['paid_minor'], checkVoid),
  ],
  computed: ofSums(['paid_minor'], amountsOf),
  sums: {
    paid_minor: { of: 'payments', by: { invoice_id: 'id' }, add: ['amount_minor'], when: { status: ['RECEIVED'] } },
    beside_minor: {
      of: 'invoices',
      by: { estimate_id: 'estimate_id' },
      add: ['subtotal_minor'],
      less: ['discount_minor'],
      except: { status: ['VOID'] },
    },
  },
  doubts: [
    ofSums(
      ['beside_minor'],
      whenChanged(['estimate_id', 'lines', 'discount_pct', 'discount_minor', 'status'], exceedsEstimate),
    ),
  ],
  protection: {
    when: { status: ['ISSUED', 'PAID', 'VOID'] },
    correct: {
      ISSUED: 'set its status to VOID (its payments first) and issue a new invoice that names it in replaces_id',
      PAID: 'set its payments and then its status to VOID, and issue a new invoice that names it in replaces_id',
      VOID: 'issue a new invoice that names it in replaces_id',
    },
  },
  paper: {
    when: { status: ['ISSUED', 'PAID', 'VOID'] },
    to: 'client_id',
    dates: ['issued_on', 'due_on'],
    texts: ['po_number', 'note'],
    across: { status: ['DRAFT', 'VOID'] },
  },
  actions: [{ name: 'void_and_copy', from: { status: ['ISSUED'] }, sets: { status: 'VOID' }, copy: 'replaces_id' }],
  proposals: { new: { of: taxOfCompany }, ISSUED: { reads: 'client_id', of: termsOfClient } },
  removal: {
    instead: 'set its status to VOID; an issued invoice is part of the books',
    relations: [
      { records: 'payments', by: 'invoice_id', onDelete: { otherwise: 'restrict' } },
      { records: 'invoices', by: 'replaces_id', onDelete: { otherwise: 'unlinked' } },
    ],
  },
})

/** Doubts that more is invoiced than the estimate offers, before tax: by this invoice, or with others of the estimate. */
function exceedsEstimate({
  after,
  found: { estimate_id: estimate },
  sums,
}: RuleInput): Problem<'above_estimate'> | undefined {
  if (!estimate || after.status === 'VOID') return undefined
  const [own, offered] = [after, estimate].map((one) => Number(one.subtotal_minor) - Number(one.discount_minor))
  if (Number(own) + Number(sums.beside_minor) <= Number(offered)) return undefined
  return problem('lines', 'above_estimate', 'make more than the estimate offers, with the other invoices of it')
}

/**
 * Works out the totals, what is paid and open, and whether that makes an invoice PAID. A form has no sums, and leaves the state
 * as it is.
 */
function amountsOf(record: JsonObject, write: WriteInput): JsonObject {
  const { before, sums } = write
  const totals = pricedTotals(record, write)
  const { status = null, paid_minor } = record
  const [total, paid] = [Number(totals.total_minor), sums.paid_minor ?? Number(paid_minor ?? 0)]
  const isBilled = status === 'ISSUED' || status === 'PAID'
  const amounts = { ...totals, paid_minor: paid, open_minor: isBilled ? Math.max(total - paid, 0) : 0, status }
  if (!isBilled || sums.paid_minor === undefined) return amounts
  if (paid >= total) return { ...amounts, status: 'PAID' }
  if (isPaidWithoutPayment(before)) return { ...amounts, paid_minor: before?.paid_minor ?? 0, open_minor: 0 }
  // A new one that is sent as PAID is refused.
  return before === null ? amounts : { ...amounts, status: 'ISSUED' }
}

/** An earlier version made invoices PAID without payments. They stay so until one is made up for them. */
const isPaidWithoutPayment = (invoice: JsonObject | null): boolean =>
  invoice?.status === 'PAID' && Number(invoice.paid_minor) < Number(invoice.total_minor)

function checkFirstState({ after, before }: RuleInput): Problem | undefined {
  if (before !== null || after.status !== 'PAID' || after.open_minor === 0) return undefined
  return problem('status', 'not_allowed', 'must not be PAID at first: create it ISSUED and record its payment')
}

function checkVoid({ after, before, isChanged, sums: { paid_minor: paid = 0 } }: RuleInput): Problem | undefined {
  if (!isChanged('status') || after.status !== 'VOID') return undefined
  if (paid === 0 && !isPaidWithoutPayment(before)) return undefined
  return problem('status', 'has_payments', 'cannot be VOID while it has payments: set those to VOID first')
}

/** Returns no problem for a project without a client. */
function projectFits({ after, found: { project_id: project } }: RuleInput): Problem | undefined {
  if (!project || project.client_id === null || project.client_id === after.client_id) return undefined
  const message = 'must be a project of the client in client_id, or one that has no client'
  return problem('project_id', 'not_of_client', message)
}

function estimateFits({ after, found: { estimate_id: estimate } }: RuleInput): Problem | undefined {
  if (!estimate) return undefined
  if (estimate.client_id !== null && estimate.client_id !== after.client_id)
    return problem('estimate_id', 'not_of_client', 'must be an estimate to the client in client_id')
  if (estimate.project_id === null || after.project_id === null || estimate.project_id === after.project_id)
    return undefined
  return problem('estimate_id', 'not_of_project', 'must be an estimate for the project in project_id, or for none')
}

/** Proposes the day as the issue date, and the due date by the terms of the client, else of the company. */
function termsOfClient(record: JsonObject, { found: client, today, company }: ProposalContext): JsonObject {
  const issued = typeof record.issued_on === 'string' ? record.issued_on : today
  const days = Number(client?.payment_terms_days ?? company.payment_terms_days ?? 0)
  return { issued_on: issued, due_on: record.due_on ?? addDays(issued, days) }
}
