import { expect, test } from 'vitest'
import { makeAllowance } from '#server/service/allowance.ts'

let now = 0
const clock = { elapsed: () => now }

test('A key may have so much at once, and so much more with every second', () => {
  const { take } = makeAllowance({ atOnce: 100, perSecond: 10 }, clock)
  expect([take('a', 60), take('a', 60), take('a', 40), take('b', 100)]).toEqual([true, false, true, true])
  now += 2000
  expect([take('a', 21), take('a', 20), take('a', 1)]).toEqual([false, true, false])
  now += 3_600_000
  expect([take('a', 101), take('a', 100)]).toEqual([false, true])
})
