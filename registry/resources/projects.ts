import { categoryOf, resource, state } from '../common.ts'
import { type Problem, problem, type RuleInput } from '../definition.ts'
import { drafts, inOrder } from './rules.ts'

export const projects = resource({
  name: 'projects',
  one: 'project',
  about: 'Work for a client at one place, from the bid to the archive.',
  title: 'name',
  served: { addOn: 'api' },
  fields: {
    name: {
      kind: 'text',
      max: 200,
      required: true,
      example: 'Quay Street retaining wall',
      about: 'What the project is called.',
    },
    code: { kind: 'text', max: 40, unique: true, example: 'P-2026-014', about: 'The company’s short code for it.' },
    description: { kind: 'paragraph', max: 10_000, example: 'Rebuild 40 m of wall.', about: 'What is to be done.' },
    status: state({
      values: ['ACTIVE', 'BIDDING', 'ON_HOLD', 'COMPLETED', 'CANCELLED', 'ARCHIVED'],
      moves: {
        BIDDING: ['ACTIVE', 'CANCELLED'],
        ACTIVE: ['ON_HOLD', 'COMPLETED', 'CANCELLED'],
        ON_HOLD: ['ACTIVE', 'COMPLETED', 'CANCELLED'],
        COMPLETED: ['ACTIVE', 'ARCHIVED'],
        CANCELLED: ['ARCHIVED'],
        ARCHIVED: [],
      },
      about: 'Where the project stands.',
    }),
    client_id: { kind: 'reference', to: 'clients', reads: ['status'], about: 'The client it is done for.' },
    category_id: { ...categoryOf('project'), example: 9, about: 'Its category, one of those kept for projects.' },
    manager_id: { kind: 'reference', to: 'workers', about: 'The worker who manages it.' },
    address: { kind: 'address', about: 'Where the site is.' },
    start_date: { kind: 'date', example: '2026-03-02', about: 'First day of work.' },
    end_date: { kind: 'date', example: '2026-09-30', about: 'Last day of work; not before the first.' },
    contract_minor: { kind: 'money', right: 'MONEY', about: 'Contract value, in minor units of the currency.' },
    budget_minor: { kind: 'money', right: 'MONEY', about: 'Budgeted cost, in minor units of the currency.' },
    percent_complete: {
      kind: 'integer',
      min: 0,
      max: 100,
      unit: '%',
      example: 35,
      about: 'How much is done, in percent.',
    },
  },
  search: ['name', 'code', 'description', 'external_ref'],
  filters: ['status', 'client_id', 'category_id', 'manager_id'],
  rules: [inOrder('start_date', 'end_date'), clientTakesProjects],
  sums: {
    estimated_minor: {
      of: 'estimates',
      by: { project_id: 'id' },
      add: ['subtotal_minor'],
      less: ['discount_minor'],
      when: { status: ['ACCEPTED'] },
    },
    invoiced_minor: {
      of: 'invoices',
      by: { project_id: 'id' },
      add: ['subtotal_minor'],
      less: ['discount_minor'],
      except: { status: ['DRAFT', 'VOID'] },
      counts: 'in',
    },
    paid_minor: {
      of: 'invoices',
      by: { project_id: 'id' },
      add: ['paid_minor'],
      except: { status: ['DRAFT', 'VOID'] },
    },
    labour_minor: {
      of: 'time_entries',
      by: { project_id: 'id' },
      add: ['cost_minor'],
      when: { status: ['APPROVED'] },
      counts: 'out',
    },
    contracts_minor: {
      of: 'contracts',
      by: { project_id: 'id' },
      add: ['amount_minor'],
      when: { status: ['SIGNED', 'CLOSED'] },
      counts: 'out',
    },
    equipment_minor: {
      of: 'equipment_logs',
      by: { project_id: 'id' },
      add: ['cost_minor'],
      when: { type: ['USAGE'] },
      counts: 'out',
    },
    draft_hours: { of: 'time_entries', by: { project_id: 'id' }, add: ['hours'], when: { status: ['DRAFT'] } },
  },
  budget: 'budget_minor',
  removal: {
    instead: 'set its status to ARCHIVED',
    relations: [
      { records: 'invoices', by: 'project_id', onDelete: { cascade: drafts, otherwise: 'restrict' } },
      {
        records: 'time_entries',
        by: 'project_id',
        onDelete: { cascade: drafts, otherwise: 'restrict' },
      },
      { records: 'contracts', by: 'project_id', onDelete: { cascade: drafts, otherwise: 'restrict' } },
      {
        records: 'estimates',
        by: 'project_id',
        onDelete: { restrict: { status: ['ACCEPTED'] }, cascade: drafts, otherwise: 'unlinked' },
      },
      {
        records: 'equipment_logs',
        by: 'project_id',
        onDelete: { restrict: { billed: [true] }, otherwise: 'unlinked' },
      },
      { records: 'tasks', by: 'project_id', onDelete: { otherwise: 'cascade' } },
      {
        records: 'equipment',
        by: 'project_id',
        onDelete: { otherwise: 'unlinked' },
        resets: { column: 'status', from: 'IN_USE', to: 'ACTIVE' },
      },
    ],
  },
})

function clientTakesProjects({ found, isChanged }: RuleInput): Problem | undefined {
  if (!isChanged('client_id') || found.client_id?.status !== 'BLOCKED') return undefined
  const message = 'is a BLOCKED client, who gets no new project; change the status of the client first'
  return problem('client_id', 'client_blocked', message)
}
