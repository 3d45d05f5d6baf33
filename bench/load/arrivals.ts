/** So many arrivals a second, for so long, at the random distances of callers who know nothing of each other. */
export type Phase = { perSecond: number; milliseconds: number }

/** When it was due by the clock, and in the milliseconds of its phase. */
export type DueArrival = { phase: number; at: number; within: number }

/** Calls `arrive` for each arrival when it is due, phase after phase without a pause; a timer may be a millisecond late. */
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
