import { expect, test } from 'vitest'
import { ages, dueSpans, isWithin, lateSteps, matchFilter, spanFilter } from './due.ts'

const all = Array.from({ length: 241 }, (_, index) => index - 120)

/** The step of some days late, as `width_bucket` of PostgreSQL counts it. */
const stepOf = (late: number): number => lateSteps.filter((least) => late >= least).length

test('each number of days late is in exactly one age', () => {
  for (const late of all)
    expect(
      ages.filter((age) => isWithin(age, stepOf(late))),
      String(late),
    ).toHaveLength(1)
})

test.each([...Object.values(dueSpans), ...ages])('a span from %j has its days late and no others', ({ from, to }) => {
  const days = all.filter((late) => isWithin({ from, to }, stepOf(late)))
  expect(days).toEqual(all.filter((late) => late >= (from ?? -120) && late <= (to ?? 120)))
})

test.each([
  [dueSpans.overdue, { due_on_to: '2026-02-28' }],
  [dueSpans.due_today, { due_on_from: '2026-03-01', due_on_to: '2026-03-01' }],
  [dueSpans.next_7, { due_on_from: '2026-03-02', due_on_to: '2026-03-08' }],
  [ages[0], { due_on_from: '2026-03-01' }],
  [ages[1], { due_on_from: '2026-01-30', due_on_to: '2026-02-28' }],
])('on 1 March 2026 the list of %j is filtered by %j', (span, filter) => {
  expect(spanFilter({ when: {}, on: 'due_on', open: 'open_minor' }, '2026-03-01', span!)).toEqual(filter)
})

test('a match is a filter with all of its values', () => {
  expect(matchFilter({ status: ['ISSUED', 'PAID'], is_done: [false] })).toEqual({
    status: 'ISSUED,PAID',
    is_done: 'false',
  })
})
