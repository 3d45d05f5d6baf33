import { describe, expect, test } from 'vitest'
import {
  afterAttempt,
  isDue,
  type PendingEvents,
  type Progress,
  passArrived,
  readsAgain,
} from '#server/webhooks/progress.ts'

/** How far an endpoint has come, decided by what has happened. */
const start = new Date('2026-03-31T12:00:00Z')
const after = (seconds: number) => new Date(start.getTime() + 1000 * seconds)
const place = (id: number) => ({ epoch: 1, pos: '5', id, line: 7 })
const fresh: Progress = {
  cursor: place(0),
  pending: {},
  paused_until: null,
  next_attempt_at: null,
  failing_since: null,
}
const ordered = { ordered: true, retrySeconds: [5, 300, 1800, 7200, 18_000, 36_000] }
const unordered = { ...ordered, ordered: false }
const failed = { arrived: false }

test('the pauses between attempts grow, and the last goes on for ever', () => {
  let progress = fresh
  const pauses = Array.from({ length: 8 }, () => {
    progress = afterAttempt(progress, { id: 'a', outcome: failed, now: start, rules: ordered })
    return ((progress.next_attempt_at?.getTime() ?? 0) - start.getTime()) / 1000
  })
  expect(pauses).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 36_000, 36_000])
})

test('an endpoint fails since its first failure, until something arrives', () => {
  const first = afterAttempt(fresh, { id: 'a', outcome: failed, now: start, rules: unordered })
  const second = afterAttempt(first, { id: 'b', outcome: failed, now: after(9), rules: unordered })
  expect(second.failing_since).toEqual(start)
  const third = afterAttempt(second, { id: 'c', outcome: { arrived: true }, now: after(10), rules: unordered })
  expect(third.failing_since).toBeNull()
})

test('where order does not matter one that fails holds the others up for seconds at most', () => {
  let progress = fresh
  for (const now of [start, start, start])
    progress = afterAttempt(progress, { id: 'a', outcome: failed, now, rules: unordered })
  expect(progress.next_attempt_at).toEqual(after(5))
  expect(isDue(progress, 'a', after(5))).toBe(false)
  expect(isDue(progress, 'b', after(5))).toBe(true)
})

test('a hundred that stand out are enough: then only they are waited for', () => {
  let progress = fresh
  for (let count = 0; count < 100; count++)
    for (const now of [start, start])
      progress = afterAttempt(progress, { id: `e${count}`, outcome: failed, now, rules: unordered })
  expect(progress.next_attempt_at).toEqual(after(300))
})

test('a receiver that is busy is heard: nothing at all is due before it wants to be asked', () => {
  const outcome = { arrived: false, retryAfter: 60_000 }
  const progress = afterAttempt(fresh, { id: 'a', outcome, now: start, rules: unordered })
  expect(progress.paused_until).toEqual(after(60))
  expect([isDue(progress, 'b', after(59)), isDue(progress, 'b', after(60))]).toEqual([false, true])
})

test('what is looked at again is due when the next that failed is, or else when there is something new', () => {
  const waits = { ...fresh, pending: { a: { tries: 2, due: after(300).toISOString() } } }
  expect(readsAgain(waits, start, ordered).next_attempt_at).toEqual(after(300))
  expect(readsAgain({ ...fresh, next_attempt_at: start }, start, ordered).next_attempt_at).toBeNull()
})

describe('The cursor passes what has arrived without a gap', () => {
  const events = ['a', 'b', 'c', 'd'].map((id, index) => ({ id, cursor: place(index + 1), isWanted: id !== 'b' }))
  const rows: { why: string; from: number; pending: PendingEvents; to: number; left: string[] }[] = [
    { why: 'nothing', from: 0, pending: {}, to: 0, left: [] },
    { why: 'the first, and the one that nobody wants', from: 0, pending: { a: 'arrived' }, to: 2, left: [] },
    { why: 'not over a gap', from: 0, pending: { c: 'arrived', d: 'arrived' }, to: 0, left: ['c', 'd'] },
    { why: 'all', from: 0, pending: { a: 'arrived', c: 'arrived', d: 'arrived' }, to: 4, left: [] },
    { why: 'on from where it is', from: 2, pending: { c: 'arrived' }, to: 3, left: [] },
    { why: 'nothing at the end', from: 4, pending: {}, to: 4, left: [] },
  ]
  test.each(rows)('$why', ({ from, pending, to, left }) => {
    const passed = passArrived({ ...fresh, cursor: place(from), pending }, events)
    expect([passed.cursor, Object.keys(passed.pending)]).toEqual([place(to), left])
  })
})
