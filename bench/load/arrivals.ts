/** A rate of arrivals for a time. Their distances are random, like those of independent callers. */
export type Phase = { perSecond: number; milliseconds: number }

/** An arrival with its due time by the clock (`at`), and in milliseconds since the start of its phase (`within`). */
export type DueArrival = { phase: number; at: number; within: number }

/** Calls `arrive` for each arrival when it is due, in phases without a pause. A timer may be a millisecond late. */
export async function arrivals(
  phases: readonly Phase[],
  random: () => number,
  arrive: (due: DueArrival) => void,
): Promise<void> {
  let begins = performance.now()
  for (const [phase, { perSecond, milliseconds }] of phases.entries()) {
    const pause = (): number => (-Math.log(1 - random()) * 1000) / perSecond
    for (let within = pause(); within < milliseconds; within += pause()) {
      while (performance.now() < begins + within) await nextMillisecond()
      arrive({ phase, at: begins + within, within })
    }
    begins += milliseconds
  }
}

const nextMillisecond = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1))
