import { createTurns } from '../fair/turns.ts'
import { waitFor } from '../wait/wait.ts'

/**
 * Returns a function that lets `most` callers pass in each turn of the event loop, in the order of arrival. Work that
 * uses the processor without waiting so runs between the requests of others, and never long in a row. Different keys
 * take turns.
 */
export function turnsOf(most: number): (key?: string) => Promise<void> {
  const waiting = createTurns<() => void>()
  const pass = (): void => {
    for (let count = 0; count < most && waiting.size > 0; count++) waiting.shift()?.()
    if (waiting.size > 0) setImmediate(pass)
  }
  return (key = '') =>
    waitFor('the next turn', (resolve) => {
      if (waiting.size === 0) setImmediate(pass)
      waiting.push(key, resolve)
    })
}
