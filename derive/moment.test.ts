import fc from 'fast-check'
import { expect, test } from 'vitest'
import { momentOf } from './moment.ts'

test.each([
  ['2026-03-31T12:00:00Z', '2026-03-31T12:00:00Z'],
  ['2026-03-31t12:00:00z', '2026-03-31T12:00:00Z'],
  ['2026-03-31T12:00:00.5Z', '2026-03-31T12:00:00.5Z'],
  ['2026-03-31T12:00:00.123456789Z', '2026-03-31T12:00:00.123456Z'],
  ['2026-03-31T12:00:00+02:00', '2026-03-31T10:00:00Z'],
  ['2026-03-31T12:00:00-05:30', '2026-03-31T17:30:00Z'],
  ['2026-01-01T00:30:00.25+23:59', '2025-12-31T00:31:00.25Z'],
  ['2026-03-31T12:00:00-00:00', '2026-03-31T12:00:00Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00Z'],
  // RFC 3339 5.8: the leap second of 1990, in London and in California.
  ['1990-12-31T23:59:60Z', '1991-01-01T00:00:00Z'],
  ['1990-12-31T15:59:60.75-08:00', '1991-01-01T00:00:00Z'],
  // PostgreSQL has no year 0, and four digits have no year 10000.
  ['0000-02-29T00:00:00Z', '0001-01-01T00:00:00Z'],
  ['0001-01-01T00:00:00+00:01', '0001-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59-00:01', '9999-12-31T23:59:59.999999Z'],
  ['9999-12-31T23:59:60Z', '9999-12-31T23:59:59.999999Z'],
])('%s is %s', (text, moment) => {
  expect(momentOf(text)).toBe(moment)
})

test.each([
  '',
  'yesterday',
  '2026-03-31',
  '2026-03-31T12:00:00',
  '2026-03-31T12:00Z',
  '2026-03-31 12:00:00Z',
  '2026-03-31T12:00:00.Z',
  '2026-03-31T24:00:00Z',
  '2026-03-31T12:60:00Z',
  '2026-03-31T12:00:61Z',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-03-31T12:00:00+24:00',
  '2026-03-31T12:00:00+02:60',
  '2026-03-31T12:00:00+0200',
  '2026-03-31T12:00:00+02',
  '+002026-03-31T12:00:00Z',
  // A leap second ends a month in UTC.
  '2026-03-31T12:00:60Z',
  '2026-03-30T23:59:60Z',
  '2026-03-31T23:59:60+02:00',
])('%j is no moment', (text) => {
  expect(momentOf(text)).toBeUndefined()
})

test('names the same moment as the platform, whatever the offset', () => {
  const two = (value: number) => String(value).padStart(2, '0')
  fc.assert(
    fc.property(
      fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
      fc.constantFrom('+', '-'),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
      (at, sign, hours, minutes) => {
        const text = `${at.toISOString().slice(0, -1)}${sign}${two(hours)}:${two(minutes)}`
        expect(new Date(momentOf(text) as string).getTime()).toBe(new Date(text).getTime())
      },
    ),
  )
})
