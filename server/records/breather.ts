const milliseconds = 4

/** Lets the requests of others pass, every few milliseconds of a long piece of work. */
export function createBreather(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < milliseconds) return
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}
