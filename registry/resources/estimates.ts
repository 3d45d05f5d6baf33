import { resource } from '../common.ts'
import type { Found, Problem } from '../definition.ts'
import type { Line } from '../fields/lines.ts'
import type { JsonObject } from '../json.ts'
import { moneyMax } from '../limits.ts'
import { inOrder } from './rules.ts'
import { totals } from './totals.ts'

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
    status: {
      kind: 'choice',
      values: ['DRAFT', 'SENT', 'ACCEPTED', 'REJECTED', 'EXPIRED'],
      initial: 'DRAFT',
      required: true,
      moves: {
        DRAFT: ['SENT'],
        SENT: ['ACCEPTED', 'REJECTED', 'EXPIRED'],
        ACCEPTED: [],
        REJECTED: ['DRAFT'],
        EXPIRED: ['DRAFT'],
      },
      about: 'Where the offer stands. Beyond DRAFT it needs a client and a line; ACCEPTED is final.',
    },
    client_id: { kind: 'reference', to: 'clients', about: 'The client it is made to.' },
    project_id: {
      kind: 'reference',
      to: 'projects',
      reads: ['client_id'],
      about: 'The project it belongs to, which is a project of the same client.',
    },
    issue_date: { kind: 'date', example: '2026-02-02', about: 'Day it was made out.' },
    valid_until: { kind: 'date', example: '2026-03-31', about: 'Last day it can be accepted; not before its issue.' },
    lines: { kind: 'lines', initial: [], required: true, about: 'What is offered, line by line, in order.' },
    discount_pct: {
      kind: 'decimal',
      min: 0,
      max: 100,
      places: 2,
      example: 2.5,
      about: 'Discount on the sum of the lines, in percent.',
    },
    tax_pct: {
      kind: 'decimal',
      min: 0,
      max: 100,
      places: 2,
      example: 20,
      about: 'Tax after the discount, in percent.',
    },
    subtotal_minor: { kind: 'money', readOnly: true, initial: 0, about: 'Sum of the lines, in minor units.' },
    discount_minor: { kind: 'money', readOnly: true, initial: 0, about: 'The discount, in minor units.' },
    tax_minor: { kind: 'money', readOnly: true, initial: 0, about: 'The tax, in minor units.' },
    total_minor: { kind: 'money', readOnly: true, initial: 0, about: 'What the client would pay, in minor units.' },
  },
  search: ['title', 'number'],
  filters: ['status', 'client_id', 'project_id'],
  needs: { status: ['SENT', 'ACCEPTED', 'REJECTED', 'EXPIRED'], fields: ['client_id', 'lines'] },
  rules: [inOrder('issue_date', 'valid_until'), acceptedIsLocked, projectOfClient, payable],
  computed: (record) => ({ ...totals(record.lines as Line[], record.discount_pct, record.tax_pct) }),
  removal: {
    protectedWhen: { status: ['ACCEPTED'] },
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

const openWhenAccepted = ['notes', 'external_ref']
/** Follow from the lines, so nothing is to be said about them. */
const sums = Object.keys(totals([], null, null))

function acceptedIsLocked(after: JsonObject, before: JsonObject | null): Problem[] {
  if (before?.status !== 'ACCEPTED') return []
  return Object.keys(after)
    .filter((field) => ![...openWhenAccepted, ...sums].includes(field))
    .filter((field) => JSON.stringify(after[field]) !== JSON.stringify(before[field]))
    .map((field) => ({
      field,
      code: 'locked',
      message: `cannot change once the estimate is ACCEPTED; only ${openWhenAccepted.join(' and ')} can`,
    }))
}

function projectOfClient(after: JsonObject, _before: JsonObject | null, found: Found): Problem | undefined {
  const project = found.project_id
  if (!project || after.client_id === null || project.client_id === after.client_id) return undefined
  return { field: 'project_id', code: 'not_of_client', message: 'must be a project of the client in client_id' }
}

function payable(after: JsonObject): Problem | undefined {
  if ((after.total_minor as number) <= moneyMax && (after.subtotal_minor as number) <= moneyMax) return undefined
  return { field: 'lines', code: 'out_of_range', message: `must add up to at most ${moneyMax} minor units` }
}
