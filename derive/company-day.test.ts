import { expect, test } from 'vitest'
import { dayIn } from './company-day.ts'

test.each([
  ['UTC', '2026-03-01T00:00:00Z', '2026-03-01'],
  ['UTC', '2026-02-28T23:59:59.999Z', '2026-02-28'],
  ['America/New_York', '2026-03-01T04:59:59Z', '2026-02-28'],
  ['America/New_York', '2026-03-01T05:00:00Z', '2026-03-01'],
  // Summer time: midnight is an hour earlier in UTC.
  ['America/New_York', '2026-07-01T04:00:00Z', '2026-07-01'],
  ['Europe/Berlin', '2026-12-31T23:00:00Z', '2027-01-01'],
  ['Asia/Kolkata', '2026-05-31T18:30:00Z', '2026-06-01'],
  ['Asia/Kolkata', '2026-05-31T18:29:59Z', '2026-05-31'],
  ['Pacific/Kiritimati', '2026-06-01T10:00:00Z', '2026-06-02'],
  ['Pacific/Pago_Pago', '2026-06-02T10:59:59Z', '2026-06-01'],
  ['Europe/London', '2024-02-29T12:00:00Z', '2024-02-29'],
])('In %s the moment %s is on the day %s.', (zone, moment, day) => {
  expect(dayIn(zone, new Date(moment))).toBe(day)
})

test('A zone that nobody knows is an error, and no other day.', () => {
  expect(() => dayIn('Mars/Olympus', new Date())).toThrow(RangeError)
})
