import { record } from '../common.ts'
import { inOrder } from './rules.ts'

/**
 * The kinds of record that only the web interface and the operator's command write. They are what gives deletion
 * something to protect.
 */

export const trades = record({
  name: 'trades',
  one: 'trade',
  about: 'A trade that workers and subcontractors practise.',
  title: 'name',
  fields: {
    name: { kind: 'text', max: 120, required: true, unique: true, example: 'Bricklayer', about: 'Name of the trade.' },
  },
  search: ['name'],
  filters: [],
  removal: {
    instead: 'give those records another trade first',
    relations: [
      { records: 'workers', by: 'trade_id', rest: 'blocks' },
      { records: 'subcontractors', by: 'trade_id', rest: 'blocks' },
    ],
  },
})

export const categories = record({
  name: 'categories',
  one: 'category',
  about: 'A category of projects, of clients or of equipment.',
  title: 'name',
  fields: {
    name: { kind: 'text', max: 120, required: true, example: 'Restoration', about: 'Name of the category.' },
    kind: {
      kind: 'choice',
      values: ['project', 'client', 'equipment'],
      required: true,
      about: 'What it sorts. It cannot change.',
    },
  },
  search: ['name'],
  filters: ['kind'],
  rules: [
    (after, before) =>
      before !== null && before.kind !== after.kind
        ? { field: 'kind', code: 'locked', message: 'cannot change; make another category instead' }
        : undefined,
  ],
  removal: {
    instead: 'give those records another category first',
    relations: [
      { records: 'projects', by: 'category_id', rest: 'blocks' },
      { records: 'clients', by: 'category_id', rest: 'blocks' },
      { records: 'equipment', by: 'category_id', rest: 'blocks' },
    ],
  },
})

export const tasks = record({
  name: 'tasks',
  one: 'task',
  about: 'Something to do on a project.',
  title: 'title',
  fields: {
    project_id: { kind: 'reference', to: 'projects', required: true, about: 'The project it is part of.' },
    title: { kind: 'text', max: 200, required: true, example: 'Order coping stones', about: 'What is to be done.' },
    done: { kind: 'flag', initial: false, required: true, about: 'Whether it is done.' },
  },
  search: ['title'],
  filters: ['project_id', 'done'],
  removal: { instead: 'mark it as done', relations: [] },
})

export const contacts = record({
  name: 'contacts',
  one: 'contact',
  about: 'A person to talk to at a client.',
  title: 'name',
  fields: {
    client_id: { kind: 'reference', to: 'clients', required: true, about: 'The client.' },
    name: { kind: 'text', max: 160, required: true, example: 'Ines Duarte', about: 'Name of the person.' },
    email: { kind: 'email', about: 'E-mail address.' },
    phone: { kind: 'phone', about: 'Telephone number.' },
  },
  search: ['name', 'email', 'phone'],
  filters: ['client_id'],
  removal: { instead: 'keep it', relations: [] },
})

export const timeEntries = record({
  name: 'time_entries',
  one: 'time entry',
  about: 'Hours that a worker spent on a project in a day.',
  title: 'worked_on',
  fields: {
    worker_id: { kind: 'reference', to: 'workers', required: true, about: 'Who worked.' },
    project_id: { kind: 'reference', to: 'projects', required: true, about: 'On which project.' },
    worked_on: { kind: 'date', required: true, example: '2026-03-02', about: 'On which day.' },
    hours: {
      kind: 'decimal',
      min: 0,
      above: true,
      max: 24,
      places: 2,
      required: true,
      example: 7.5,
      about: 'How many hours.',
    },
    status: {
      kind: 'choice',
      values: ['DRAFT', 'APPROVED'],
      initial: 'DRAFT',
      required: true,
      moves: { DRAFT: ['APPROVED'], APPROVED: [] },
      about: 'APPROVED hours are part of the books.',
    },
  },
  search: [],
  filters: ['worker_id', 'project_id', 'status'],
  removal: {
    protectedWhen: { status: ['APPROVED'] },
    instead: 'keep it; approved hours are part of the books',
    relations: [],
  },
})

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

export const contracts = record({
  name: 'contracts',
  one: 'contract',
  about: 'What a subcontractor is to do on a project, and for how much.',
  title: 'title',
  fields: {
    subcontractor_id: { kind: 'reference', to: 'subcontractors', required: true, about: 'Who does it.' },
    project_id: { kind: 'reference', to: 'projects', about: 'On which project.' },
    title: { kind: 'text', max: 200, required: true, example: 'Scaffold, north face', about: 'What is to be done.' },
    amount_minor: { kind: 'money', about: 'For how much, in minor units of the currency.' },
    signed_on: { kind: 'date', example: '2026-02-20', about: 'Day it was signed.' },
    status: {
      kind: 'choice',
      values: ['DRAFT', 'SIGNED', 'CLOSED'],
      initial: 'DRAFT',
      required: true,
      moves: { DRAFT: ['SIGNED'], SIGNED: ['CLOSED'], CLOSED: [] },
      about: 'Once signed it is part of the books.',
    },
  },
  search: ['title'],
  filters: ['subcontractor_id', 'project_id', 'status'],
  removal: {
    protectedWhen: { status: ['SIGNED', 'CLOSED'] },
    instead: 'set its status to CLOSED; a signed contract is part of the books',
    relations: [],
  },
})

export const equipmentLogs = record({
  name: 'equipment_logs',
  one: 'equipment log',
  about: 'A day’s use, or a service, of a piece of equipment.',
  title: 'logged_on',
  fields: {
    equipment_id: { kind: 'reference', to: 'equipment', required: true, about: 'Which piece of equipment.' },
    project_id: { kind: 'reference', to: 'projects', about: 'On which project.' },
    logged_on: { kind: 'date', required: true, example: '2026-03-02', about: 'On which day.' },
    hours: { kind: 'decimal', min: 0, max: 24, places: 2, example: 6, about: 'How many hours.' },
    type: { kind: 'choice', values: ['USAGE', 'SERVICE'], initial: 'USAGE', required: true, about: 'Use or service.' },
    billed: {
      kind: 'flag',
      initial: false,
      required: true,
      about: 'Whether it was billed; then it is part of the books.',
    },
  },
  search: [],
  filters: ['equipment_id', 'project_id', 'type', 'billed'],
  removal: {
    protectedWhen: { billed: [true] },
    instead: 'keep it; a billed log is part of the books',
    relations: [],
  },
})
