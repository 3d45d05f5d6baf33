import { resource, state } from '../common.ts'
import { type Problem, type ProposalContext, problem, type RuleInput } from '../definition.ts'
import { addDays } from '../fields/day.ts'
import type { JsonObject } from '../json.ts'
import { checkDiscount, checkPayable, pricedFields, pricedTotals } from './priced.ts'
import { inOrder, taxOfCompany, whenChanged } from './rules.ts'

export const estimates = resource({
  name: 'estimates',
  one: 'estimate',
  about: 'An offer to a client: priced lines, a discount, a tax and their total.',
  title: 'title',
  served: { addOn: 'estimates' },
  fields: {
    title: { kind: 'text', max: 200, required: true, example: 'Boundary wall, phase 1', about: 'What is offered.' },
    number: {
      kind: 'text',
      max: 40,
      unique: true,
      numbered: 'EST-',
      example: 'EST-000001',
      about: 'Number of the estimate; the next free one is given when it is absent.',
    },
    status: state({
      values: ['DRAFT', 'SENT', 'ACCEPTED', 'REJECTED', 'EXPIRED'],
      moves: {
        DRAFT: ['SENT'],
        SENT: ['ACCEPTED', 'REJECTED', 'EXPIRED'],
        ACCEPTED: [],
        REJECTED: ['DRAFT'],
        EXPIRED: ['DRAFT'],
      },
      about: 'Where the offer stands. Beyond DRAFT it needs a client and a line; ACCEPTED is final.',
    }),
    client_id: { kind: 'reference', to: 'clients', about: 'The client it is made to.' },
    project_id: {
      kind: 'reference',
      to: 'projects',
      reads: ['client_id'],
      gives: { fields: { client_id: 'client_id' } },
      about: 'The project it belongs to, which is a project of the same client.',
    },
    issue_date: { kind: 'date', example: '2026-02-02', about: 'Day it was made out.' },
    valid_until: { kind: 'date', example: '2026-03-31', about: 'Last day it can be accepted; not before its issue.' },
    ...pricedFields,
    lines: { ...pricedFields.lines, about: 'What is offered, line by line, in order.' },
    total_minor: { kind: 'money', readOnly: true, initial: 0, about: 'What the client would pay, in minor units.' },
  },
  search: ['title', 'number'],
  filters: ['status', 'client_id', 'project_id'],
  list: {
    columns: ['title', 'number', 'client_id', 'status', 'valid_until', 'total_minor'],
    sort: '-id',
    totals: ['total_minor'],
  },
  needs: { status: ['SENT', 'ACCEPTED', 'REJECTED', 'EXPIRED'], fields: ['client_id', 'lines'] },
  rules: [inOrder('issue_date', 'valid_until'), projectOfClient, checkPayable, checkDiscount],
  computed: pricedTotals,
  sums: {
    invoiced_minor: {
      of: 'invoices',
      by: { estimate_id: 'id' },
      add: ['subtotal_minor'],
      less: ['discount_minor'],
      except: { status: ['VOID'] },
    },
  },
  doubts: [whenChanged(['status', 'valid_until'], acceptedLate)],
  proposals: { new: { of: proposeOffer } },
  protection: { when: { status: ['ACCEPTED'] }, correct: 'make a new estimate and have that accepted' },
  paper: {
    when: { status: ['SENT', 'ACCEPTED', 'REJECTED', 'EXPIRED'] },
    to: 'client_id',
    dates: ['issue_date', 'valid_until'],
    across: { status: ['DRAFT'] },
    sends: 'SENT',
  },
  removal: {
    hardWhen: { status: ['DRAFT'] },
    instead: 'keep it; an accepted or invoiced estimate is part of the books',
    relations: [
      {
        records: 'invoices',
        by: 'estimate_id',
        onDelete: { restrict: { status: ['ISSUED', 'PAID', 'VOID'] }, otherwise: 'unlinked' },
      },
    ],
  },
})

function projectOfClient({ after, found: { project_id: project } }: RuleInput): Problem | undefined {
  if (!project || after.client_id === null || project.client_id === after.client_id) return undefined
  return { field: 'project_id', code: 'not_of_client', message: 'must be a project of the client in client_id' }
}

/** Proposes the day as the issue date, the last day by the validity that the company gives, and its tax. */
function proposeOffer(record: JsonObject, context: ProposalContext): JsonObject {
  const { today, company } = context
  const { valid_days: days } = company
  return {
    issue_date: today,
    valid_until: days === null ? null : addDays(today, days),
    ...taxOfCompany(record, context),
  }
}

function acceptedLate({ after: { status, valid_until: last }, today }: RuleInput): Problem<'too_late'> | undefined {
  if (status !== 'ACCEPTED' || typeof last !== 'string' || last >= today) return undefined
  return problem('valid_until', 'too_late', `was the last day on which it could be accepted (${last})`)
}
