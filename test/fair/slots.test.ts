import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSlots, type Slots } from '#server/fair/slots.ts'

type Waiter = { key: number; number: number }

/** What anybody may do with slots, in any order; `who` of a leave counts among those under way. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ does: fc.constant('ask' as const), key: fc.nat(6), within: fc.nat(2) }) },
    { weight: 5, arbitrary: fc.record({ does: fc.constant('leave' as const), who: fc.nat(1000) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('resize' as const), limit: fc.nat(6), reserve: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('displace' as const), key: fc.nat(6) }) },
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constant('remove' as const), every: fc.integer({ min: 1, max: 4 }) }),
    },
  ),
  { maxLength: 300 },
)

/** The same, kept in the plainest way: lists of who is under way and who waits. */
function model(size: { limit: number; reserve: number }) {
  const slots: Slots<Waiter> = createSlots(size)
  return { slots, size, underWay: [] as number[], waiting: [] as Waiter[], lastNumber: 0 }
}
type Model = ReturnType<typeof model>

const count = <T>(all: readonly T[], matches: (one: T) => boolean): number => all.filter(matches).length
const holds = ({ underWay }: Model, key: number): number => count(underWay, (one) => one === key)
const load = (state: Model, key: number): number => holds(state, key) + count(state.waiting, (one) => one.key === key)

function admitted(state: Model, waiter: Waiter): void {
  const fewest = Math.min(...state.waiting.map(({ key }) => holds(state, key)))
  expect(holds(state, waiter.key), 'who has the fewest under way is next').toBe(fewest)
  state.waiting = state.waiting.filter(({ number }) => number !== waiter.number)
  state.underWay.push(waiter.key)
}

function take(state: Model, step: typeof steps extends fc.Arbitrary<(infer Step)[]> ? Step : never): void {
  const { slots } = state
  switch (step.does) {
    case 'ask':
      if (slots.take(step.key)) {
        expect(state.waiting.filter(({ key }) => holds(state, key) === 0)).toEqual([])
        state.underWay.push(step.key)
      } else {
        const waiter = { key: step.key, number: ++state.lastNumber }
        slots.wait(step.key, step.within, waiter)
        state.waiting.push(waiter)
      }
      return
    case 'leave': {
      if (state.underWay.length === 0) return
      const [key] = state.underWay.splice(step.who % state.underWay.length, 1)
      const next = slots.leave(key as number)
      if (next) admitted(state, next)
      return
    }
    case 'resize':
      state.size = { limit: step.limit, reserve: step.reserve }
      for (const waiter of slots.resize(state.size)) admitted(state, waiter)
      return
    case 'displace': {
      const out = slots.displace(step.key)
      const most = Math.max(0, ...state.waiting.map(({ key }) => load(state, key)))
      if (!out) expect(most).toBeLessThanOrEqual(load(state, step.key) + 1)
      else expect([load(state, out.key), out.key === step.key]).toEqual([most, false])
      state.waiting = state.waiting.filter((one) => one !== out)
      return
    }
    case 'remove': {
      const out = slots.remove(({ number }) => number % step.every === 0)
      expect(new Set(out)).toEqual(new Set(state.waiting.filter(({ number }) => number % step.every === 0)))
      state.waiting = state.waiting.filter((one) => !out.includes(one))
    }
  }
}

describe('Slots', () => {
  test('are never free while anybody waits for them, and what is counted is what there is', () => {
    fc.assert(
      fc.property(fc.nat(6), fc.nat(2), steps, (limit, reserve, all) => {
        const state = model({ limit, reserve })
        for (const step of all) {
          take(state, step)
          const { underWay, waiting, size } = state
          const keys = [...new Set([...underWay, ...waiting.map(({ key }) => key)])]
          expect(state.slots.counts).toEqual({
            underWay: underWay.length,
            waiting: waiting.length,
            keys: keys.length,
            heaviest: Math.max(0, ...keys.map((key) => load(state, key))),
          })
          if (waiting.length > 0) expect(underWay.length).toBeGreaterThanOrEqual(size.limit)
          if (waiting.some(({ key }) => holds(state, key) === 0))
            expect(underWay.length).toBeGreaterThanOrEqual(size.limit + size.reserve)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('a key that is alone has all of them, and of the reserve nothing', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(5), (limit, reserve) => {
        const slots = createSlots<Waiter>({ limit, reserve })
        const taken = Array.from({ length: limit + reserve + 1 }, () => slots.take('alone')).filter(Boolean)
        expect(taken).toHaveLength(Math.max(limit, reserve > 0 ? 1 : 0))
      }),
    )
  })

  test('starve nobody: who has nothing under way waits for those only whose keys waited before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), steps, fc.array(fc.nat(1000)), (limit, before, others) => {
        const state = model({ limit, reserve: 0 })
        for (const step of before) if (step.does !== 'resize') take(state, step)
        // Full, so that the one in question waits.
        while (state.slots.take(0)) state.underWay.push(0)
        const waiter = { key: 99, number: 0 }
        const keysBefore = new Set(state.waiting.map(({ key }) => key)).size
        state.slots.wait(99, 0, waiter)
        state.waiting.push(waiter)
        let leaves = 0
        for (; state.waiting.includes(waiter) && leaves < 1000; leaves++) {
          // Strangers come all the time, each of them new.
          take(state, { does: 'ask', key: 1000 + leaves, within: 0 })
          take(state, { does: 'leave', who: others[leaves % others.length] ?? leaves })
        }
        expect(leaves).toBeLessThanOrEqual(keysBefore + 1)
      }),
    )
  })

  test('within a key those who ask take turns', () => {
    const slots = createSlots<string>({ limit: 1, reserve: 0 })
    slots.take('key')
    for (const name of ['a1', 'a2', 'a3']) slots.wait('key', 'a', name)
    slots.wait('key', 'b', 'b1')
    expect(Array.from({ length: 4 }, () => slots.leave('key'))).toEqual(['a1', 'b1', 'a2', 'a3'])
  })
})
