import type { Socket } from 'node:net'

/** Connections that are checked in a turn of the event loop. */
export const lookedAtATurn = 16
const pauseMilliseconds = 20

/**
 * Holds the connections of callers that wait for a change, without reading from them. If thousands hang up at once, all
 * would otherwise be noticed in one turn of the event loop, at a fifth of a millisecond each. Instead, a few at a time
 * are read for one turn, which shows the closed ones. While some are closed, the next few follow at once.
 */
export function openResting() {
  /** The one whose check is longest ago comes first. */
  const resting = new Set<Socket>()
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    timer = undefined
    const some: Socket[] = []
    for (const socket of resting) {
      if (some.push(socket) === lookedAtATurn) break
    }
    for (const socket of some) {
      resting.delete(socket)
      resting.add(socket)
      socket.resume()
    }
    // Reading begins after this turn; one turn later all arrived data has been read.
    setImmediate(() => setImmediate(() => judge(some)))
  }
  const judge = (some: readonly Socket[]): void => {
    let areGone = false
    for (const socket of some) {
      if (socket.destroyed || socket.readableEnded) {
        resting.delete(socket)
        areGone = true
      } else if (resting.has(socket)) socket.pause()
    }
    if (areGone && resting.size > 0) look()
    else plan()
  }
  const plan = (): void => {
    if (resting.size > 0) timer ??= setTimeout(look, pauseMilliseconds).unref()
  }
  return {
    /** Stops reading from a connection. Returns the function that resumes it. */
    rest(socket: Socket): () => void {
      resting.add(socket)
      socket.pause()
      plan()
      return () => {
        if (resting.delete(socket)) socket.resume()
      }
    },
    close: () => clearTimeout(timer),
  }
}
