import type { Logger } from 'pino'
import type { Config } from './config/config.ts'

export type Stop = ReturnType<typeof listenForStop>

/**
 * Time in which further signals count as the first one: npm repeats the Ctrl-C that the terminal has sent to all
 * processes already. A later signal exits at once.
 */
const sameSignalMilliseconds = 500

/** The signals of a service manager, of Ctrl-C, and of a closed terminal. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Starts to listen for signals, so that one during the start is not lost. */
export function listenForStop() {
  const { promise: asked, resolve } = Promise.withResolvers<number>()
  const stopping = new AbortController()
  let firstAt: number | undefined
  const end = (code: number): void => {
    resolve(code)
    stopping.abort()
  }
  const onSignal = (): void => {
    const now = performance.now()
    firstAt ??= now
    if (now - firstAt > sameSignalMilliseconds) process.exit(1)
    end(0)
  }
  for (const signal of stopSignals) process.on(signal, onSignal)
  return {
    /** Resolves with the exit code when a signal or an error ends the process. */
    asked,
    /** Aborts when the process is to end, for work that need not be finished and must not start. */
    signal: stopping.signal,
    /** Starts to log uncaught errors, and to end the process in order if it cannot go on. */
    watch: (log: Logger): void => watchErrors(log, () => end(1)),
  }
}

/** Runs work. The first signal makes it stop after its current step, and does not end the process. */
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

/** Logs uncaught errors. Calls `end` after an exception, because the process cannot safely go on. */
export function watchErrors(log: Logger, end: () => void): void {
  process.on('unhandledRejection', (error) => log.error({ error }, 'a promise was rejected and has no handler'))
  process.on('uncaughtException', (error) => {
    log.fatal({ error }, 'an uncaught error: the process stops')
    end()
  })
}

/** Time after the drain timeout until the process exits, whatever is still open. */
const overtimeMilliseconds = 5000

/** Exits the process after the drain notice, the drain timeout and a little more, if it has not ended by then. */
export const endInTime = ({ drainNotice, drainTimeout }: Config): NodeJS.Timeout =>
  setTimeout(() => process.exit(1), drainNotice + drainTimeout + overtimeMilliseconds).unref()
