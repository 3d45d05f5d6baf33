import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { World } from '#server/app.ts'
import { fixedShare } from '#server/fair/shares.ts'
import { mayWait, openGate } from '#server/http/gate.ts'

type Some = Parameters<typeof openGate>[0]

function gateOf(requestsMax: number) {
  const state = { now: 0, turnedAway: 0 }
  const gate = openGate({
    config: { requestsMax, connectionsMax: 4, answerTarget: 1_000_000 } as World['config'],
    clock: { now: () => new Date(state.now), elapsed: () => state.now },
    metrics: { letIn: () => undefined, turnedAway: () => state.turnedAway++ } as unknown as Some['metrics'],
    log: { warn: () => undefined } as unknown as Some['log'],
  })
  return { gate, state }
}

/** What each key has under way and waiting, and how each request ended. */
function play(requestsMax: number) {
  const { gate, state } = gateOf(requestsMax)
  const [underWay, waiting] = [new Map<number, number>(), new Map<number, number>()]
  const add = (all: Map<number, number>, key: number, more: number) => all.set(key, (all.get(key) ?? 0) + more)
  const load = (key: number) => (underWay.get(key) ?? 0) + (waiting.get(key) ?? 0)
  const sum = (all: Map<number, number>) => [...all.values()].reduce((total, one) => total + one, 0)
  const keys = () => [...new Set([...underWay.keys(), ...waiting.keys()])].filter((key) => load(key) > 0)
  return {
    ...{ gate, state, underWay, waiting, load, sum, keys },
    async ask(key: number): Promise<'in' | 'waits' | 'refused'> {
      const entered = gate.enter('reads', fixedShare(key))
      if (entered === true) add(underWay, key, 1)
      if (typeof entered === 'boolean') return entered ? 'in' : 'refused'
      add(waiting, key, 1)
      void entered.then((letIn) => {
        add(waiting, key, -1)
        if (letIn) add(underWay, key, 1)
      })
      return 'waits'
    },
    async leave(who: number): Promise<void> {
      const held = [...underWay].flatMap(([key, number]) => Array<number>(number).fill(key))
      if (held.length === 0) return
      const key = held[who % held.length] as number
      add(underWay, key, -1)
      gate.leave('reads', fixedShare(key), state.now)
      await Promise.resolve()
    },
  }
}

test('Of those who waited outside all go on, no more at once than there are connections', async () => {
  const { gate, state } = gateOf(10)
  const [one, other] = [fixedShare('one'), fixedShare('other')]
  const entering = Array.from({ length: 50 }, () => gate.enterAgain(one))
  expect(entering.filter((entered) => entered === true)).toHaveLength(4)
  expect(gate.enterAgain(other)).toBe(true)
  state.now += 3_600_000
  gate.leave('again', other, state.now)
  for (let count = 0; count < 46; count++) gate.leave('again', one, state.now)
  expect(await Promise.all(entering)).toEqual(Array(50).fill(true))
  expect(state.turnedAway).toBe(0)
})

describe('The gate', () => {
  const asks = fc.record({
    key: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(40)),
    burst: fc.integer({ min: 1, max: 60 }),
  })
  const leaves = fc.record({ who: fc.array(fc.nat(10_000), { maxLength: 30 }) })
  const days = fc.array(fc.oneof({ weight: 2, arbitrary: asks }, leaves), { maxLength: 60 })

  test('refuses nobody who has less than an equal share while another has clearly more, and holds no more than its bounds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 20, max: 200 }), days, async (requestsMax, all) => {
        const world = play(requestsMax)
        for (const step of all) {
          if ('who' in step) for (const who of step.who) await world.leave(who)
          else
            for (let count = 0; count < step.burst; count++) {
              const before = { load: world.load(step.key), keys: new Set([...world.keys(), step.key]).size }
              const heaviest = Math.max(0, ...world.keys().map(world.load))
              const result = await world.ask(step.key)
              await Promise.resolve()
              if (result !== 'refused') continue
              const equal = requestsMax / before.keys
              expect(
                before.load + 1 > equal || heaviest <= equal + 16,
                JSON.stringify({ before, heaviest, equal }),
              ).toBe(true)
              expect(world.sum(world.underWay), 'nobody is refused while a place is free').toBeGreaterThanOrEqual(
                requestsMax,
              )
            }
          expect(world.sum(world.underWay)).toBeLessThanOrEqual(requestsMax + Math.ceil(requestsMax / 8))
          expect(world.sum(world.waiting)).toBeLessThanOrEqual(requestsMax)
        }
      }),
      { numRuns: 150 },
    )
  })

  test('keeps nothing of a million companies that are made up, each asked for once', async () => {
    const { gate, state } = gateOf(100)
    let [letIn, waits] = [0, 0]
    for (let key = 1; key <= 1_000_000; key++) {
      const entered = gate.enter('reads', fixedShare(key))
      if (entered === true) letIn++
      else if (entered !== false) waits++
    }
    expect([letIn, waits <= 100]).toEqual([113, true])
    expect(state.turnedAway).toBe(1_000_000 - letIn - waits)
  })

  test('refuses at once whoever is alone and has all places: nobody else would get what he waits for', () => {
    expect(mayWait({ underWay: 100, waiting: 0, keys: 1, heaviest: 100 }, 100, 100)).toBe('no')
  })

  test('lets nobody wait for longer than two seconds', async () => {
    vi.useFakeTimers()
    try {
      const { gate, state } = gateOf(8)
      for (let count = 0; count < 8; count++) expect(gate.enter('writes', fixedShare('many'))).toBe(true)
      expect(gate.enter('writes', fixedShare('few'))).toBe(true)
      const waiting = gate.enter('writes', fixedShare('few'))
      expect(waiting).toBeInstanceOf(Promise)
      state.now = 1999
      vi.advanceTimersByTime(1999)
      state.now = 2200
      vi.advanceTimersByTime(201)
      expect(await waiting).toBe(false)
      expect([state.turnedAway, vi.getTimerCount()]).toEqual([1, 0])
    } finally {
      vi.useRealTimers()
    }
  })
})
