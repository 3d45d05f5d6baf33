import type { Logger } from 'pino'
import type { Config } from './config/config.ts'

export type Stop = {
  /** The exit code, once somebody or something wants the process to end. */
  asked: Promise<number>
  /** Aborted as soon as the process is to end, for work that need not be finished and must not be begun. */
  signal: AbortSignal
  /** From here on what nobody caught is logged and, where it has to, ends the process in good order. */
  watch(log: Logger): void
}

/**
 * npm passes on the Ctrl-C that the terminal has sent to all of us already; only a signal later than this is a second
 * one, which does not wait for anything.
 */
const sameSignalMilliseconds = 500

/** A service manager's, Ctrl-C, and a terminal that is closed. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Listens for signals from here on, so that one that comes during the start is not lost. */
export function listenForStop(): Stop {
  const { promise: asked, resolve } = Promise.withResolvers<number>()
  const heard = new AbortController()
  let firstAt: number | undefined
  const end = (code: number): void => {
    resolve(code)
    heard.abort()
  }
  const onSignal = (): void => {
    const now = performance.now()
    firstAt ??= now
    if (now - firstAt > sameSignalMilliseconds) process.exit(1)
    end(0)
  }
  for (const signal of stopSignals) process.on(signal, onSignal)
  return {
    asked,
    signal: heard.signal,
    watch: (log) => watchErrors(log, () => end(1)),
  }
}

/** The first signal stops `work` behind what is under way, and does not end the process. */
export async function runUntilSignal(work: (stopped: AbortSignal) => Promise<void>): Promise<void> {
  const stopped = new AbortController()
  const stop = (): void => stopped.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    await work(stopped.signal)
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

/** Logs what nobody caught; `end` is called where the process cannot go on as if nothing had been. */
export function watchErrors(log: Logger, end: () => void): void {
  process.on('unhandledRejection', (error) => log.error({ error }, 'a promise failed and nobody looked at it'))
  process.on('uncaughtException', (error) => {
    log.fatal({ error }, 'an error nobody caught: the process stops')
    end()
  })
}

/** What is still open this long after the time to drain is cut off. */
const overtimeMilliseconds = 5000

/** From here on the process ends at the latest when the notice, the time to drain, and a little more, are over. */
export const endInTime = ({ drainNotice, drainTimeout }: Config): NodeJS.Timeout =>
  setTimeout(() => process.exit(1), drainNotice + drainTimeout + overtimeMilliseconds).unref()
