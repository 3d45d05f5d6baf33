import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { App } from '#server/app.ts'
import { fixedShare } from '#server/fair/shares.ts'
import { mayWait, openLimiter } from '#server/http/limiter.ts'

type Some = Parameters<typeof openLimiter>[0]

function gateOf(requestsMax: number) {
  const state = { now: 0, shed: 0 }
  const limiter = openLimiter({
    config: { requestsMax, connectionsMax: 4, answerTarget: 1_000_000 } as App['config'],
    clock: { now: () => new Date(state.now), elapsed: () => state.now },
    metrics: { admitting: () => undefined, shed: () => state.shed++ } as unknown as Some['metrics'],
    log: { warn: () => undefined } as unknown as Some['log'],
  })
  return { limiter, state }
}

/** What each key has under way and waiting, and how each request ended. */
function play(requestsMax: number) {
  const { limiter, state } = gateOf(requestsMax)
  const [underWay, waiting] = [new Map<number, number>(), new Map<number, number>()]
  const add = (all: Map<number, number>, key: number, more: number) => all.set(key, (all.get(key) ?? 0) + more)
  const load = (key: number) => (underWay.get(key) ?? 0) + (waiting.get(key) ?? 0)
  const sum = (all: Map<number, number>) => [...all.values()].reduce((total, one) => total + one, 0)
  const keys = () => [...new Set([...underWay.keys(), ...waiting.keys()])].filter((key) => load(key) > 0)
  return {
    ...{ limiter, state, underWay, waiting, load, sum, keys },
    async ask(key: number): Promise<'in' | 'waits' | 'refused'> {
      const entered = limiter.enter('reads', fixedShare(key))
      if (entered === true) add(underWay, key, 1)
      if (typeof entered === 'boolean') return entered ? 'in' : 'refused'
      add(waiting, key, 1)
      void entered.then((admitted) => {
        add(waiting, key, -1)
        if (admitted) add(underWay, key, 1)
      })
      return 'waits'
    },
    async leave(who: number): Promise<void> {
      const held = [...underWay].flatMap(([key, number]) => Array<number>(number).fill(key))
      if (held.length === 0) return
      const key = held[who % held.length] as number
      add(underWay, key, -1)
      limiter.leave('reads', fixedShare(key), state.now)
      await Promise.resolve()
    },
  }
}

test('Of those who waited outside all go on, no more at once than there are connections', async () => {
  const { limiter, state } = gateOf(10)
  const [one, other] = [fixedShare('one'), fixedShare('other')]
  const entering = Array.from({ length: 50 }, () => limiter.enterAgain('polls', one))
  expect(entering.filter((entered) => entered === true)).toHaveLength(4)
  expect(limiter.enterAgain('polls', other)).toBe(true)
  state.now += 3_600_000
  limiter.leave('polls', other, state.now)
  for (let count = 0; count < 46; count++) limiter.leave('polls', one, state.now)
  expect(await Promise.all(entering)).toEqual(Array(50).fill(true))
  expect(state.shed).toBe(0)
})

test('A body that was received brings nobody back into the slots of others: signing in goes on among those who sign in', async () => {
  const { limiter } = gateOf(100)
  const one = fixedShare('one')
  while (limiter.enter('sign-ins', one) === true);
  expect(limiter.enterAgain('sign-ins', one)).toBeInstanceOf(Promise)
  expect(limiter.enterAgain('polls', fixedShare('other'))).toBe(true)
})

describe('The limiter', () => {
  const asks = fc.record({
    key: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(40)),
    burst: fc.integer({ min: 1, max: 60 }),
  })
  const leaves = fc.record({ who: fc.array(fc.nat(10_000), { maxLength: 30 }) })
  const days = fc.array(fc.oneof({ weight: 2, arbitrary: asks }, leaves), { maxLength: 60 })

  test('refuses nobody who has less than an equal share while another has clearly more, and holds no more than its bounds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 20, max: 200 }), days, async (requestsMax, all) => {
        const app = play(requestsMax)
        for (const step of all) {
          if ('who' in step) for (const who of step.who) await app.leave(who)
          else
            for (let count = 0; count < step.burst; count++) {
              const before = { load: app.load(step.key), keys: new Set([...app.keys(), step.key]).size }
              const heaviest = Math.max(0, ...app.keys().map(app.load))
              const result = await app.ask(step.key)
              await Promise.resolve()
              if (result !== 'refused') continue
              const equal = requestsMax / before.keys
              expect(
                before.load + 1 > equal || heaviest <= equal + 16,
                JSON.stringify({ before, heaviest, equal }),
              ).toBe(true)
              expect(app.sum(app.underWay), 'nobody is refused while a place is free').toBeGreaterThanOrEqual(
                requestsMax,
              )
            }
          expect(app.sum(app.underWay)).toBeLessThanOrEqual(requestsMax + Math.ceil(requestsMax / 8))
          expect(app.sum(app.waiting)).toBeLessThanOrEqual(requestsMax)
        }
      }),
      { numRuns: 150 },
    )
  })

  test('keeps nothing of a million companies that are made up, each asked for once', async () => {
    const { limiter, state } = gateOf(100)
    let [admitted, waits] = [0, 0]
    for (let key = 1; key <= 1_000_000; key++) {
      const entered = limiter.enter('reads', fixedShare(key))
      if (entered === true) admitted++
      else if (entered !== false) waits++
    }
    expect([admitted, waits <= 100]).toEqual([113, true])
    expect(state.shed).toBe(1_000_000 - admitted - waits)
  })

  test('refuses at once whoever is alone and has all slots: nobody else would get what he waits for', () => {
    expect(mayWait({ underWay: 100, waiting: 0, keys: 1, heaviest: 100 }, 100, 100)).toBe('no')
  })

  test('lets nobody wait for longer than two seconds', async () => {
    vi.useFakeTimers()
    try {
      const { limiter, state } = gateOf(8)
      for (let count = 0; count < 8; count++) expect(limiter.enter('writes', fixedShare('many'))).toBe(true)
      expect(limiter.enter('writes', fixedShare('few'))).toBe(true)
      const waiting = limiter.enter('writes', fixedShare('few'))
      expect(waiting).toBeInstanceOf(Promise)
      state.now = 1999
      vi.advanceTimersByTime(1999)
      state.now = 2200
      vi.advanceTimersByTime(201)
      expect(await waiting).toBe(false)
      expect([state.shed, vi.getTimerCount()]).toEqual([1, 0])
    } finally {
      vi.useRealTimers()
    }
  })
})
