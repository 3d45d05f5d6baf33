export type TokenRates = ReturnType<typeof createTokenRates>

export type Rate = ReturnType<TokenRates['count']>

export const windowSeconds = 60
const windowMilliseconds = windowSeconds * 1000

type Window = { since: number; used: number }

/**
 * Creates the limit of calls of a token per minute in one process, if the service has a limit; `elapsed` is in
 * milliseconds. Old windows are dropped within two minutes, so only tokens that call are stored. Decisions, Overload.
 */
export function createTokenRates(limit: number, { elapsed }: { elapsed(): number }) {
  const windows = new Map<string, Window>()
  let sweptAt = elapsed()

  const isOver = ({ since }: Window, now: number): boolean => now - since >= windowMilliseconds
  const sweep = (now: number): void => {
    if (now - sweptAt < windowMilliseconds) return
    sweptAt = now
    for (const [token, window] of windows) if (isOver(window, now)) windows.delete(token)
  }

  return {
    /** Counts one more call. A minute begins with the first call after the last minute was over. */
    count(companyId: number, tokenId: number) {
      const now = elapsed()
      sweep(now)
      const token = `${companyId} ${tokenId}`
      const known = windows.get(token)
      const window = known && !isOver(known, now) ? known : { since: now, used: 0 }
      if (window !== known) windows.set(token, window)
      window.used++
      return {
        exceeded: window.used > limit,
        limit,
        /** Calls that are left. */
        remaining: Math.max(0, limit - window.used),
        /** Seconds until the full limit is available again. */
        resetSeconds: Math.ceil((window.since + windowMilliseconds - now) / 1000),
      }
    },
  }
}
