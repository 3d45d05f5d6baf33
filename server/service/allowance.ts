type Amounts = { atOnce: number; perSecond: number }

type RemainingAmount = { amount: number; at: number }

/**
 * Creates the amounts that each key may take: a maximum at once, and a refill every second. `now` is in milliseconds.
 * Keys with their full amount are dropped, so only keys that take are stored.
 */
export function createAllowance({ atOnce, perSecond }: Amounts) {
  const lefts = new Map<number, RemainingAmount>()
  const fullAfter = (atOnce / perSecond) * 1000
  let sweptAt = 0

  const leftOf = ({ amount, at }: RemainingAmount, now: number): number =>
    Math.min(atOnce, amount + ((now - at) / 1000) * perSecond)
  const sweep = (now: number): void => {
    if (now - sweptAt < fullAfter) return
    sweptAt = now
    for (const [key, left] of lefts) if (leftOf(left, now) >= atOnce) lefts.delete(key)
  }

  return {
    left(key: number, now: number): number {
      const known = lefts.get(key)
      return known ? leftOf(known, now) : atOnce
    },
    /** Takes the amount, or as much as is left. */
    take(key: number, amount: number, now: number): void {
      sweep(now)
      const known = lefts.get(key)
      if (!known) return void lefts.set(key, { amount: Math.max(0, atOnce - amount), at: now })
      known.amount = Math.max(0, leftOf(known, now) - amount)
      known.at = now
    },
  }
}
