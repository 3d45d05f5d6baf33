import { record } from '../common.ts'
import { inOrder } from './rules.ts'

export const invoices = record({
  name: 'invoices',
  one: 'invoice',
  about: 'A bill to a client.',
  title: 'number',
  fields: {
    client_id: { kind: 'reference', to: 'clients', required: true, about: 'Who pays.' },
    project_id: { kind: 'reference', to: 'projects', about: 'For which project.' },
    estimate_id: { kind: 'reference', to: 'estimates', about: 'The estimate it was made from.' },
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
    total_minor: { kind: 'money', about: 'What is to be paid, in minor units of the currency.' },
    status: {
      kind: 'choice',
      values: ['DRAFT', 'ISSUED', 'PAID', 'VOID'],
      initial: 'DRAFT',
      required: true,
      moves: { DRAFT: ['ISSUED'], ISSUED: ['PAID', 'VOID'], PAID: [], VOID: [] },
      about: 'Once issued it is part of the books.',
    },
  },
  search: ['number'],
  filters: ['client_id', 'project_id', 'estimate_id', 'status'],
  rules: [inOrder('issued_on', 'due_on')],
  removal: {
    protectedWhen: { status: ['ISSUED', 'PAID', 'VOID'] },
    instead: 'set its status to VOID; an issued invoice is part of the books',
    relations: [],
  },
})
