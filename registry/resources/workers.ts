import { resource, state } from '../common.ts'
import type { Problem, RuleInput } from '../definition.ts'
import { drafts, inOrder } from './rules.ts'

export const workers = resource({
  name: 'workers',
  one: 'worker',
  about: 'Somebody who works for the company, on its payroll or not.',
  title: 'name',
  served: { addOn: 'api' },
  person: true,
  fields: {
    name: {
      kind: 'text',
      max: 160,
      required: true,
      personal: true,
      example: 'Grace Okafor',
      about: 'First and last name, as the payroll has it.',
    },
    employee_no: {
      kind: 'text',
      max: 40,
      unique: true,
      personal: true,
      example: 'W-0117',
      about: 'Number in the payroll.',
    },
    email: { kind: 'email', unique: true, personal: true, about: 'Where the worker is reached by e-mail.' },
    phone: { kind: 'phone', personal: true, about: 'Where the worker is reached by telephone.' },
    status: state({
      values: ['ACTIVE', 'INACTIVE', 'ON_LEAVE', 'LEFT'],
      about: 'Whether the worker is at work. LEFT needs left_on.',
    }),
    trade_id: { kind: 'reference', to: 'trades', about: 'The trade practised.' },
    employment_type: {
      kind: 'choice',
      values: ['EMPLOYEE', 'TEMPORARY', 'APPRENTICE', 'CONTRACTOR'],
      about: 'How the worker is employed.',
    },
    supervisor_id: {
      kind: 'reference',
      to: 'workers',
      tree: true,
      about: 'The worker who supervises this one; nobody supervises himself, directly or in a circle.',
    },
    hired_on: { kind: 'date', example: '2023-05-02', about: 'First day of employment.' },
    left_on: { kind: 'date', example: '2027-10-31', about: 'Last day of employment; not before the first.' },
    hourly_cost_minor: {
      kind: 'money',
      right: 'PAY',
      about: 'What an hour costs the company, in minor units of the currency.',
    },
    bill_rate_minor: {
      kind: 'money',
      right: 'MONEY',
      about: 'What an hour is billed at, in minor units of the currency.',
    },
  },
  search: ['name', 'employee_no', 'email', 'phone'],
  filters: ['status', 'trade_id', 'supervisor_id'],
  needs: { status: ['LEFT'], fields: ['left_on'] },
  rules: [inOrder('hired_on', 'left_on'), notOwnSupervisor],
  alike: ['name', 'phone'],
  removal: {
    instead: 'set its status to LEFT with a left_on',
    relations: [
      { records: 'time_entries', by: 'worker_id', onDelete: { cascade: drafts, otherwise: 'restrict' } },
      { records: 'projects', by: 'manager_id', onDelete: { otherwise: 'unlinked' } },
      { records: 'equipment', by: 'worker_id', onDelete: { otherwise: 'unlinked' } },
      { records: 'workers', by: 'supervisor_id', onDelete: { otherwise: 'unlinked' } },
    ],
  },
})

function notOwnSupervisor({ after }: RuleInput): Problem | undefined {
  if (after.id === null || after.supervisor_id !== after.id) return undefined
  return { field: 'supervisor_id', code: 'cycle', message: 'must be another worker: nobody supervises himself' }
}
