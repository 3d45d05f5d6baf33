export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Tries again until it holds, for a moment that only the other side can end. */
export async function eventually<T>(check: () => Promise<T>, patienceMilliseconds = 5000): Promise<T> {
  const until = performance.now() + patienceMilliseconds
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > until) throw error
      await pause(20)
    }
  }
}
