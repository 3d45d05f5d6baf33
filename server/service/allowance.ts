/** How much each key may have: so much at once, and so much more with every second. */
export type Allowance = {
  /** Whether the key has that much left, which is then taken. */
  take(key: string, amount: number): boolean
}

type Left = { amount: number; at: number }

/** `elapsed` in milliseconds. Whoever has everything left is forgotten, so no more is kept than keys that take. */
export function makeAllowance(
  { atOnce, perSecond }: { atOnce: number; perSecond: number },
  { elapsed }: { elapsed(): number },
): Allowance {
  const lefts = new Map<string, Left>()
  const fullAfter = (atOnce / perSecond) * 1000
  let sweptAt = elapsed()

  const sweep = (now: number): void => {
    if (now - sweptAt < fullAfter) return
    sweptAt = now
    for (const [key, { at }] of lefts) if (now - at >= fullAfter) lefts.delete(key)
  }

  return {
    take(key, amount) {
      const now = elapsed()
      sweep(now)
      const known = lefts.get(key) ?? { amount: atOnce, at: now }
      const left = Math.min(atOnce, known.amount + ((now - known.at) / 1000) * perSecond)
      if (left < amount) return false
      lefts.set(key, { amount: left - amount, at: now })
      return true
    },
  }
}
