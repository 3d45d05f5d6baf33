/** How much each key may have: so much at once, and so much more with every second. */
export type Allowance = {
  left(key: number): number
  /** As far as there is that much left. */
  take(key: number, amount: number): void
}

export type Amounts = { atOnce: number; perSecond: number }

type Left = { amount: number; at: number }

/** `elapsed` in milliseconds. Anyone who has everything left is forgotten, so no more is kept than keys that take. */
export function makeAllowance({ atOnce, perSecond }: Amounts, { elapsed }: { elapsed(): number }): Allowance {
  const lefts = new Map<number, Left>()
  const fullAfter = (atOnce / perSecond) * 1000
  let sweptAt = elapsed()

  const leftOf = ({ amount, at }: Left, now: number): number =>
    Math.min(atOnce, amount + ((now - at) / 1000) * perSecond)
  const sweep = (now: number): void => {
    if (now - sweptAt < fullAfter) return
    sweptAt = now
    for (const [key, left] of lefts) if (leftOf(left, now) >= atOnce) lefts.delete(key)
  }

  return {
    left(key) {
      const known = lefts.get(key)
      return known ? leftOf(known, elapsed()) : atOnce
    },
    take(key, amount) {
      const now = elapsed()
      sweep(now)
      const known = lefts.get(key)
      if (!known) return void lefts.set(key, { amount: Math.max(0, atOnce - amount), at: now })
      known.amount = Math.max(0, leftOf(known, now) - amount)
      known.at = now
    },
  }
}
