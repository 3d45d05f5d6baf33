import { expect, test } from 'vitest'
import { fixedWhile } from './fixed-while.ts'

const cost = fixedWhile({ status: ['APPROVED'] }, 'worker_id', {
  cost_minor: ({ hours }, { rate }) => Number(hours) * Number(rate),
})
const draft = { status: 'DRAFT', worker_id: 1, hours: 3, cost_minor: null }
const approved = { ...draft, status: 'APPROVED' }
const at = (rate: number | undefined) => ({ worker_id: rate === undefined ? undefined : { id: 1, rate } })

test.each([
  ['outside it is null', draft, null, at(5), null],
  ['a new record that matches has it', approved, null, at(5), 15],
  ['a record that comes to match gets it', approved, draft, at(5), 15],
  [
    'one that stays keeps it, whatever the record referred to says by now',
    approved,
    { ...approved, cost_minor: 12 },
    at(5),
    12,
  ],
  ['one that stays without it keeps that', approved, { ...approved, cost_minor: null }, at(5), null],
  [
    'one that refers to another record gets it anew',
    approved,
    { ...approved, worker_id: 2, cost_minor: 12 },
    at(5),
    15,
  ],
  ['one that leaves loses it', draft, { ...approved, cost_minor: 12 }, at(5), null],
  ['a form knows no record referred to', approved, draft, at(undefined), null],
])('%s', (_, record, before, found, cost_minor) => {
  expect(cost(record, { before, sent: {}, found, sums: {} })).toEqual({ cost_minor })
})
