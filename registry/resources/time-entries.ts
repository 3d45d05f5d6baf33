import { record, state } from '../common.ts'
import { fixedWhile } from '../fixed-while.ts'
import { amountOf, storableAmount } from './totals.ts'

export const timeEntries = record({
  name: 'time_entries',
  one: 'time entry',
  about: 'Hours that a worker spent on a project in a day.',
  title: 'worked_on',
  fields: {
    worker_id: {
      kind: 'reference',
      to: 'workers',
      reads: ['hourly_cost_minor'],
      required: true,
      about: 'Who worked.',
    },
    project_id: { kind: 'reference', to: 'projects', required: true, about: 'On which project.' },
    worked_on: { kind: 'date', required: true, example: '2026-03-02', about: 'On which day.' },
    hours: {
      kind: 'decimal',
      min: 0,
      above: true,
      max: 24,
      places: 2,
      unit: 'h',
      required: true,
      example: 7.5,
      about: 'How many hours.',
    },
    cost_minor: {
      kind: 'money',
      readOnly: true,
      initial: null,
      right: 'PAY',
      about: 'What the hours cost, in minor units: by the hourly cost that the worker had when they were approved.',
    },
    status: state({
      values: ['DRAFT', 'APPROVED'],
      moves: { DRAFT: ['APPROVED'], APPROVED: ['DRAFT'] },
      approval: 'APPROVED',
      about: 'APPROVED hours are part of the books, until they are taken back to DRAFT.',
    }),
  },
  search: [],
  filters: ['worker_id', 'project_id', 'status'],
  computed: fixedWhile({ status: ['APPROVED'] }, 'worker_id', {
    cost_minor: ({ hours }, { hourly_cost_minor: hourly }) =>
      typeof hourly === 'number' ? storableAmount(amountOf(Number(hours), hourly)) : null,
  }),
  list: { columns: ['worked_on', 'worker_id', 'project_id', 'hours', 'status'], sort: '-worked_on', totals: ['hours'] },
  protection: { when: { status: ['APPROVED'] }, correct: 'set its status to DRAFT, change it, and approve it again' },
  proposals: { new: { of: (_, { today }) => ({ worked_on: today }) } },
  sheet: { row: 'worker_id', day: 'worked_on', shared: 'project_id', cell: 'hours' },
  removal: {
    instead: 'keep it; approved hours are part of the books',
    relations: [],
  },
})
