import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { copyCheckout, type PlantedBug, plant, planted } from '../../proof/planted/planted-bugs.ts'
import { beginWith, judgeSimulation, withGround } from '../../proof/simulate/run.ts'
import {
  createNaturalOrder,
  drawChooser,
  followSchedule,
  nameOf,
  type ScheduledEvent,
  shrink,
} from '../../proof/simulate/schedule.ts'
import { type RarePath, rarePaths, simulate } from '../../proof/simulate/simulation.ts'

const root = join(import.meta.dirname, '../..')

/** The first of those that go each rare path together. */
const rareSeed = 19
const seedsMax = 12
/** One that finds the planted bug, and does not depend on which of several waiting sessions PostgreSQL wakes first. */
const plantedSeed = 3

test('A schedule goes every rare path and keeps every promise; a planted bug is found, and again by following its steps', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-simulated-'))
  try {
    const checkout = join(folder, 'checkout')
    copyCheckout(checkout)
    plant(planted.find(({ rule }) => rule === 'If-Match') as PlantedBug, checkout)
    await withGround(root, async (ground) => {
      let missing: readonly RarePath[] = rarePaths
      for (let seed = rareSeed; missing.length > 0 && seed < rareSeed + seedsMax; seed++) {
        const clean = await simulate(ground, { seed, choose: drawChooser(seed) })
        expect(clean.violations).toEqual([])
        missing = missing.filter((path) => clean.rare[path] === 0)
      }
      expect(missing).toEqual([])

      const broken = await simulate({ ...ground, checkout }, { seed: plantedSeed, choose: drawChooser(plantedSeed) })
      expect(broken.violations.map(({ rule }) => rule)).toEqual(['If-Match'])
      const again = await simulate(
        { ...ground, checkout },
        { seed: plantedSeed, choose: beginWith(broken.steps.map(({ event }) => event)) },
      )
      expect(again.steps).toEqual(broken.steps)
      expect(again.violations).toEqual(broken.violations)
    })
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}, 300_000)

describe('The next event', () => {
  const events: ScheduledEvent[] = [
    { kind: 'answer', who: 'a.2' },
    { kind: 'begin', who: 'ada.1' },
    { kind: 'cut', who: 'a.2' },
    { kind: 'send', who: 'a.1' },
    { kind: 'time', who: 'a', ms: 60 },
    { kind: 'time', who: 'a', ms: 1000 },
    { kind: 'time', who: 'a', ms: 5000 },
  ]
  const draw = (seed: number): string[] => {
    const choose = drawChooser(seed)
    return Array.from({ length: 500 }, () => nameOf(choose(events)))
  }

  test('is the same for the same seed, and another for another', () => {
    expect(draw(1)).toEqual(draw(1))
    expect(draw(1)).not.toEqual(draw(2))
  })

  test('is each of those that are possible, in some seed', () => {
    const drawn = new Set(Array.from({ length: 20 }, (_, seed) => draw(seed)).flat())
    expect([...drawn].toSorted()).toEqual(events.map(nameOf).toSorted())
  })

  test('of the natural order is what is under way, then a call, and the clock where there is nothing else', () => {
    const choose = createNaturalOrder()
    expect(nameOf(choose(events))).toBe('answer a.2')
    expect(nameOf(choose(events.filter(({ kind }) => kind !== 'answer')))).toBe('send a.1')
    expect(nameOf(choose(events.filter(({ kind }) => kind === 'begin' || kind === 'time')))).toBe('begin ada.1')
    expect(nameOf(choose(events.filter(({ kind }) => kind === 'time')))).toBe('time a 60')
  })

  test('of a kept schedule is the one that it names', () => {
    const choose = followSchedule(['cut a.2', 'send a.1'], createNaturalOrder())
    expect([1, 2, 3].map(() => nameOf(choose(events)))).toEqual(['cut a.2', 'send a.1', 'answer a.2'])
    expect(() => followSchedule(['send b.9'], createNaturalOrder())(events)).toThrow('"send b.9", is not possible')
  })
})

describe('The shortest beginning that fails', () => {
  test.each([
    { what: 'is found by bisection', failing: (length: number) => length >= 7, shortest: 7 },
    { what: 'is none where the natural order fails', failing: () => true, shortest: 0 },
    { what: 'is the whole where nothing shorter fails', failing: (length: number) => length === 40, shortest: 40 },
    {
      what: 'is found where longer ones pass',
      failing: (length: number) => length === 3 || length >= 22,
      shortest: 3,
    },
  ])('$what', async ({ failing, shortest }) => {
    const tried: number[] = []
    const fails = async (length: number): Promise<boolean> => {
      tried.push(length)
      return failing(length)
    }
    expect(await shrink(40, fails)).toEqual({ length: shortest, isShortest: true })
    expect(new Set(tried).size).toBe(tried.length)
  })

  test('is the best so far where the time is over', async () => {
    let tries = 0
    const fails = async (length: number): Promise<boolean> => ++tries > 0 && length >= 7
    expect(await shrink(40, fails, () => tries >= 3)).toEqual({ length: 10, isShortest: false })
  })
})

test('A run that misses a rare path is red, and says which', () => {
  const byPath = <Value>(value: Value) =>
    Object.fromEntries(rarePaths.map((path) => [path, value])) as { [path in (typeof rarePaths)[number]]: Value }
  const all = byPath(1)
  const run = {
    ...{ seed: 1, schedules: 1, steps: 9, longest: 9, calls: 3, seconds: 1, rare: all, reached: byPath([1]) },
    ...{ broken: [], failures: [] },
  }
  expect(judgeSimulation(run).isGood).toBe(true)
  const { lines, isGood } = judgeSimulation({ ...run, rare: { ...all, 'deadlock repeated': 0 } })
  expect(isGood).toBe(false)
  expect(lines).toContain('NEVER GONE: deadlock repeated. Draw more schedules with --runs.')
  expect(judgeSimulation({ ...run, schedules: 0 }).isGood).toBe(false)
})
