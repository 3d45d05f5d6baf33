import { record, state } from '../common.ts'
import { type Problem, type ProposalContext, problem, type RuleInput } from '../definition.ts'
import { addDays } from '../fields/day.ts'
import type { JsonObject } from '../json.ts'
import { checkDiscount, checkPayable, pricedFields, pricedTotals } from './priced.ts'
import { inOrder, taxOfCompany } from './rules.ts'

export const invoices = record({
  name: 'invoices',
  one: 'invoice',
  about: 'A bill to a client: priced lines, a discount, a tax and their total.',
  title: 'number',
  fields: {
    client_id: { kind: 'reference', to: 'clients', required: true, about: 'Who pays.' },
    project_id: { kind: 'reference', to: 'projects', reads: ['client_id'], about: 'For which project.' },
    estimate_id: {
      kind: 'reference',
      to: 'estimates',
      reads: ['client_id', 'project_id'],
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
    status: state({
      values: ['DRAFT', 'ISSUED', 'PAID', 'VOID'],
      moves: { DRAFT: ['ISSUED'], ISSUED: ['PAID', 'VOID'], PAID: ['ISSUED'], VOID: [] },
      about:
        'Once issued it is part of the books. Beyond DRAFT it needs a line, the day of issue and the day it is due.',
    }),
  },
  search: ['number', 'po_number'],
  filters: ['client_id', 'project_id', 'estimate_id', 'status'],
  list: {
    columns: ['number', 'client_id', 'status', 'due_on', 'total_minor'],
    sort: '-id',
    totals: ['total_minor'],
    due: { when: { status: ['ISSUED'] }, on: 'due_on', open: 'total_minor' },
  },
  needs: { status: ['ISSUED', 'PAID', 'VOID'], fields: ['issued_on', 'due_on', 'lines'] },
  rules: [inOrder('issued_on', 'due_on'), projectFits, estimateFits, checkPayable, checkDiscount],
  computed: pricedTotals,
  protection: {
    when: { status: ['ISSUED', 'PAID', 'VOID'] },
    correct: 'set its status to VOID (a PAID one goes back to ISSUED first) and issue a new invoice',
  },
  paper: {
    when: { status: ['ISSUED', 'PAID', 'VOID'] },
    to: 'client_id',
    dates: ['issued_on', 'due_on'],
    texts: ['po_number', 'note'],
  },
  proposals: { new: { of: taxOfCompany }, ISSUED: { reads: 'client_id', of: termsOfClient } },
  removal: {
    instead: 'set its status to VOID; an issued invoice is part of the books',
    relations: [],
  },
})

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
