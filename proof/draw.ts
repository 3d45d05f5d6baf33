/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function drawer(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Draws one of a list; undefined of an empty one. */
export const pickOf = <One>(list: readonly One[], draw: () => number): One | undefined =>
  list[Math.floor(draw() * list.length)]

/** Returns the list in a drawn order. */
export const shuffle = <One>(list: readonly One[], draw: () => number): One[] =>
  list
    .map((one) => ({ one, place: draw() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ one }) => one)
