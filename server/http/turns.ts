/**
 * Lets one pass in each turn of the event loop, in the order in which they come: what takes a millisecond of the
 * processor and waits for nothing is done between the requests of others, and never twice in a row.
 */
export function oneATurn(): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
    return last
  }
}
