export type Bell = { ring(): void; untilNext(mostMs: number): Promise<void> }

/** Creates a bell that wakes the one who waits for its next ring, or for so long at most. */
export function createBell(): Bell {
  let wake = (): void => {}
  return {
    ring: () => wake(),
    untilNext: (mostMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, mostMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}
