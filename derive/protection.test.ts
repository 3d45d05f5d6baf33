import { describe, expect, test } from 'vitest'
import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { checkRecord, createBlankRecord } from './input.ts'
import { lockedFields, protectionWords } from './protection.ts'

const today = () => '2026-01-01'
const named = (name: string) => definitionOf(registry, name) as (typeof registry)[number]
const problems = (records: string, before: JsonObject, body: JsonObject) => {
  const definition = named(records)
  return checkRecord(definition, body, { ...createBlankRecord(definition), ...before }, { today }).problems.map(
    ({ field, code }) => `${field} ${code}`,
  )
}

describe('A record in a protected state takes only the steps out of it and what is harmless', () => {
  const invoice = { id: 1, client_id: 1, number: 'INV-1', issued_on: '2026-03-01', due_on: '2026-03-31' }
  const hours = { id: 1, worker_id: 1, project_id: 1, worked_on: '2026-03-02', hours: 8, status: 'APPROVED' }
  const contract = { id: 1, subcontractor_id: 1, title: 'Scaffold', amount_minor: 5, status: 'CLOSED' }
  const log = { id: 1, equipment_id: 1, logged_on: '2026-03-02', hours: 8, billed: true }
  const estimate = { id: 1, title: 'Wall', number: 'EST-1', client_id: 1, status: 'ACCEPTED' }
  const rows: { why: string; on: string; before: JsonObject; body: JsonObject; refused: string[] }[] = [
    {
      why: 'the due date of an issued invoice',
      on: 'invoices',
      before: { ...invoice, status: 'ISSUED' },
      body: { due_on: '2026-04-30', client_id: 2 },
      refused: ['client_id locked', 'due_on locked'],
    },
    {
      why: 'the number of a void invoice',
      on: 'invoices',
      before: { ...invoice, status: 'VOID' },
      body: { number: 'INV-2' },
      refused: ['number locked'],
    },
    {
      why: 'an issued invoice is void',
      on: 'invoices',
      before: { ...invoice, status: 'ISSUED' },
      body: { status: 'VOID' },
      refused: [],
    },
    {
      why: 'nobody sends that an invoice is paid',
      on: 'invoices',
      before: { ...invoice, status: 'ISSUED' },
      body: { status: 'PAID' },
      refused: ['status transition_not_allowed'],
    },
    {
      why: 'a paid invoice is void, and changed along the way',
      on: 'invoices',
      before: { ...invoice, status: 'PAID' },
      body: { status: 'VOID', number: 'INV-2' },
      refused: ['number locked'],
    },
    {
      why: 'an issued invoice becomes no draft',
      on: 'invoices',
      before: { ...invoice, status: 'ISSUED' },
      body: { status: 'DRAFT' },
      refused: ['status transition_not_allowed'],
    },
    { why: 'approved hours', on: 'time_entries', before: hours, body: { hours: 23 }, refused: ['hours locked'] },
    {
      why: 'approved hours are taken back',
      on: 'time_entries',
      before: hours,
      body: { status: 'DRAFT' },
      refused: [],
    },
    {
      why: 'a closed contract',
      on: 'contracts',
      before: contract,
      body: { amount_minor: 6, status: 'DRAFT' },
      refused: ['status transition_not_allowed', 'amount_minor locked'],
    },
    { why: 'a billed log', on: 'equipment_logs', before: log, body: { hours: 2 }, refused: ['hours locked'] },
    { why: 'a log is not billed after all', on: 'equipment_logs', before: log, body: { billed: false }, refused: [] },
    {
      why: 'an accepted estimate, but for notes and external_ref',
      on: 'estimates',
      before: estimate,
      body: { title: 'Other', tax_pct: 20, notes: 'x', external_ref: 'y' },
      refused: ['title locked', 'tax_pct locked'],
    },
    {
      why: 'what is sent as it is changes nothing',
      on: 'estimates',
      before: estimate,
      body: { title: 'Wall', lines: [] },
      refused: [],
    },
    {
      why: 'older rules than those of now',
      on: 'estimates',
      before: { ...estimate, client_id: null, issue_date: '2026-03-02', valid_until: '2026-03-01' },
      body: { notes: 'x' },
      refused: [],
    },
  ]
  test.each(rows)('$on: $why', ({ on, before, body, refused }) => {
    expect(problems(on, before, body)).toEqual(refused)
  })
})

test('What is refused says what still can change, and how a mistake is put right.', () => {
  const { problems } = checkRecord(named('time_entries'), { hours: 1 }, { hours: 8, status: 'APPROVED' }, { today })
  expect(problems.find(({ field }) => field === 'hours')?.message).toBe(
    'cannot change while status is APPROVED; only status can; to put a mistake right, set its status to DRAFT, change it, and approve it again',
  )
})

test('Projects, workers, clients, subcontractors and equipment are never locked.', () => {
  const free = ['projects', 'workers', 'clients', 'subcontractors', 'equipment']
  for (const name of free) {
    expect(lockedFields(named(name), { status: 'ARCHIVED' })).toEqual([])
    expect(protectionWords(named(name))).toEqual([])
  }
})
