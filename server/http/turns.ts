/**
 * Returns a function that lets `most` callers pass in each turn of the event loop, in the order of arrival. Work that
 * uses the processor without waiting so runs between the requests of others, and never long in a row. Different keys
 * take turns.
 */
export function turnsOf(most: number): (key?: string) => Promise<void> {
  const waiting = new Map<string, (() => void)[]>()
  const pass = (): void => {
    for (let count = 0; count < most && waiting.size > 0; count++) {
      const [key, queue] = waiting.entries().next().value as [string, (() => void)[]]
      // Moves the key behind the others.
      waiting.delete(key)
      queue.shift()?.()
      if (queue.length > 0) waiting.set(key, queue)
    }
    if (waiting.size > 0) setImmediate(pass)
  }
  return (key = '') =>
    new Promise((resolve) => {
      if (waiting.size === 0) setImmediate(pass)
      const queue = waiting.get(key)
      if (queue) queue.push(resolve)
      else waiting.set(key, [resolve])
    })
}
