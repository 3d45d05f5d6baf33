import { expect, test } from 'vitest'
import { turnsOf } from '#server/http/turns.ts'

/** Passes in the order in which they happen, with the turn of the event loop in which each does. */
async function passes(most: number, keys: readonly string[]): Promise<{ key: string; turn: number }[]> {
  const turn = turnsOf(most)
  const order: { key: string; turn: number }[] = []
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all(keys.map((key) => turn(key).then(() => order.push({ key, turn: turns }))))
  isOver = true
  return order
}

test('So many pass in a turn of the event loop, in the order in which they came', async () => {
  const order = await passes(2, ['a', 'a', 'a', 'a', 'a'])
  const first = order[0]?.turn as number
  expect(order.map(({ turn }) => turn - first)).toEqual([0, 0, 1, 1, 2])
})

test('A key with a thousand that wait keeps another waiting for no more than a turn', async () => {
  const order = await passes(2, [...Array.from({ length: 1000 }, () => 'crowd'), 'one'])
  expect(order.findIndex(({ key }) => key === 'one')).toBeLessThan(2)
})

test('Keys take turns until all have passed', async () => {
  const order = await passes(1, ['a', 'a', 'a', 'b', 'b', 'c'])
  expect(order.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'a', 'b', 'a'])
})
