/**
 * Lets so many pass in each turn of the event loop, in the order in which they come: what takes the processor and waits
 * for nothing is done between the requests of others, and never much of it in a row.
 */
export function turnsOf(most: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  const pass = (): void => {
    for (const go of waiting.splice(0, most)) go()
    if (waiting.length > 0) setImmediate(pass)
  }
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(pass)
    })
}
