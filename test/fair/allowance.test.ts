import { expect, test } from 'vitest'
import { createAllowance, keptRoom, ofCompany, ofProcess } from '#server/jobs/call-details.ts'

let now = 0
const clock = { elapsed: () => now }

test('A key may have so much at once, and so much more with every second', () => {
  const { left, take } = createAllowance({ atOnce: 100, perSecond: 10 })
  take(1, 60, now)
  expect([left(1, now), left(2, now)]).toEqual([40, 100])
  now += 2000
  expect(left(1, now)).toBe(60)
  take(1, 60, now)
  now += 3_600_000
  take(2, 1, now)
  expect([left(1, now), left(2, now)]).toEqual([100, 99])
})

/** How many calls of a kilobyte are kept of so many. */
const kept = (room: ReturnType<typeof keptRoom>, companyId: number, isRefused: boolean, calls: number): number =>
  Array.from({ length: calls }, () => room(companyId, isRefused, 1024)).filter(Boolean).length

test('A company that reads all day hides neither what fails nor the calls of a quiet one, and time gives more', () => {
  const room = keptRoom(clock)
  expect(kept(room, 1, false, 10_000)).toBe(ofCompany.atOnce / 1024)
  expect(kept(room, 1, true, 10)).toBe(10)
  for (let company = 2; company < 50; company++) kept(room, company, false, 10_000)
  now += 10_000
  expect(kept(room, 99, false, 20)).toBe(20)
  expect(kept(room, 1, false, 10_000)).toBe((10 * ofCompany.perSecond) / 1024)
})

test('What all companies have kept together is bounded', () => {
  const room = keptRoom(clock)
  const all = () =>
    Array.from({ length: 1000 }, (_, company) => kept(room, company, false, 1000)).reduce((sum, one) => sum + one, 0)
  expect(all()).toBe((2 * ofProcess.atOnce) / 1024)
  now += 10_000
  // Nobody calls little any more.
  expect(all()).toBe((10 * ofProcess.perSecond) / 1024)
})
