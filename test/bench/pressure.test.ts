import { describe, expect, test } from 'vitest'
import { arrivals, type DueArrival } from '../../bench/load/arrivals.ts'
import { createRandom } from '../../bench/load/random.ts'
import type { PhaseResult, Slice } from '../../bench/load/tally.ts'
import { timesPicture } from '../../bench/picture/times.ts'
import { tableOf, verdictOf } from '../../bench/pressure/pressure.ts'
import { type Sample, samplesPicture, trendsOf, trendTable } from '../../bench/pressure/samples.ts'
import { lastToFirst, slopeOf } from '../../bench/pressure/trend.ts'

const quiet: Slice = { answered: 100, turnedAway: 0, slowest: 9, milliseconds: 250 }
const phase = (more: Partial<PhaseResult>): PhaseResult => ({
  ...{ perSecond: 1000, milliseconds: 500, arrivals: 500, answered: 500, turnedAway: 0, unavailable: 0 },
  ...{ p50: 2, p99: 8, most: 12, turnedAwayP50: 0, turnedAwayP99: 0, leftP50: 0.5, leftP99: 1.2 },
  slices: Array.from({ length: 5 }, () => quiet),
  ...more,
})

describe('what is said of a run under pressure', () => {
  const twice = phase({ perSecond: 4000, arrivals: 2000, answered: 1200, turnedAway: 800, turnedAwayP50: 7 })

  test('the spread at half the peak, and the share turned away at twice', () => {
    expect(verdictOf([phase({}), twice, phase({})])).toEqual({ spread: 4, turnedAwayShare: 0.4, recovery: 0 })
  })

  const second = Array.from({ length: 10 }, () => quiet)
  test.each([
    { why: 'nobody is turned away', slices: [quiet, { ...quiet, turnedAway: 1 }, ...second], is: 200 },
    { why: 'answers are as fast as they should be', slices: [{ ...quiet, milliseconds: 2100 }, ...second], is: 100 },
    { why: 'both have been so for a second', slices: [...second, { ...quiet, turnedAway: 1 }], is: 0 },
  ])('it has recovered when $why: $is ms', ({ slices, is }) => {
    expect(verdictOf([phase({}), twice, phase({ slices })]).recovery).toBe(is)
  })

  test('it has not, while somebody is turned away to the end', () => {
    const slices = [...second.slice(1), { ...quiet, turnedAway: 1 }]
    expect(verdictOf([phase({}), twice, phase({ slices })]).recovery).toBe(null)
  })

  test('a line for each phase, every column under its head', () => {
    const lines = tableOf([phase({}), twice, phase({})]).split('\n')
    expect(lines).toHaveLength(5)
    expect(lines[2]).toMatch(/^half the peak +1,000 +1,000 +0 +0\.0 % +0 +2\.00 +8\.0 +12 +– +– +1\.2$/)
    expect(lines[3]).toMatch(/^twice the peak +4,000 +2,400 +1,600 +40\.0 % +0 +2\.00 +8\.0 +12 +7\.0 +0\.0 +1\.2$/)
    expect(new Set(lines.slice(1).map((line) => line.length))).toEqual(new Set([lines[1]?.length]))
  })
})

test('arrivals come phase after phase, each within its own time, as many as asked give or take chance', async () => {
  const due: DueArrival[] = []
  await arrivals(
    [
      { perSecond: 5000, milliseconds: 40 },
      { perSecond: 20_000, milliseconds: 40 },
    ],
    createRandom(1),
    (one) => void due.push(one),
  )
  // The same seed, so always the same number.
  const of = (index: number) => due.filter(({ phase: number }) => number === index)
  expect(of(0).length).toBeGreaterThan(150)
  expect(of(0).length).toBeLessThan(250)
  expect(of(1).length).toBeGreaterThan(700)
  expect(of(1).length).toBeLessThan(900)
  expect(due.every(({ within }) => within >= 0 && within < 40)).toBe(true)
  expect(due.map(({ at }) => at)).toEqual(due.map(({ at }) => at).toSorted((one, other) => one - other))
})

describe('a trend', () => {
  test('is the slope of the straight line, and the last third by the first', () => {
    const rising = [1, 2, 3, 4, 5, 6].map((x) => ({ x, y: 100 + 2 * x }))
    expect(slopeOf(rising)).toBeCloseTo(2)
    expect(slopeOf([{ x: 1, y: 5 }])).toBe(0)
    expect(lastToFirst([100, 100, 150, 150, 120, 120])).toBeCloseTo(1.2)
  })

  test('leaves out the minutes in which a process makes itself at home', () => {
    const samples = Array.from(
      { length: 13 },
      (_, minutes): Sample => ({
        ...{
          minutes,
          residentMegabytes: minutes < 2 ? 60 : 120,
          heapMegabytes: 30 + minutes / 60,
          databaseMegabytes: 50 + minutes,
        },
        ...{ answered: 18_000, turnedAway: 0, p50: 2, p99: 8 },
      }),
    )
    const trends = trendsOf(samples)
    expect(trends.resident).toEqual({ megabytesPerHour: 0, lastToFirst: 1 })
    expect(trends.heap.megabytesPerHour).toBeCloseTo(1)
    expect(trends.database.megabytesPerHour).toBeCloseTo(60)
    expect(trendTable(trends)).toMatch(/heap, collected +1\.0 +1\.00/)
    expect(samplesPicture('An hour', samples)).toMatch(/^<svg xmlns=.*resident.*<\/svg>\n$/s)
  })
})

test('a picture over time is well-formed, even of nothing at all', () => {
  for (const points of [
    [],
    [{ x: 0, y: 0 }],
    [
      { x: 0, y: 3 },
      { x: 10, y: 700 },
    ],
  ]) {
    const picture = timesPicture('A <picture>', 'seconds', [{ about: 'ms', series: [{ name: 'slowest', points }] }])
    expect(picture).toMatch(/^<svg xmlns=.*A &lt;picture&gt;.*<\/svg>\n$/s)
    expect(picture).not.toMatch(/NaN|undefined|Infinity/)
  }
})
