import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { openGate, TimeOver, waitWithin } from './wait/wait.ts'

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
  const { opened: asked, open } = openGate<number>()
  const stopping = new AbortController()
  let firstAt: number | undefined
  const end = (code: number): void => {
    open(code)
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

/**
 * Milliseconds after the drain until which each step of a stop waits for what hangs: the parts of a process, the exit
 * of a worker, its kill, the parts of the primary, the log of calls with the connections to the database, and last the
 * stop of the bundled PostgreSQL. A stop takes 12 seconds at most with the default settings.
 */
const overtimeMs = { parts: 500, worker: 1200, workersKilled: 1500, primaryParts: 1800, database: 2200, exit: 3500 }

/** The times of a stop, which begins now. Each function returns the milliseconds that a step still has. */
export type StopClock = { [step in keyof typeof overtimeMs]: () => number }

export function startStopClock({ drainNotice, drainTimeout }: Pick<Config, 'drainNotice' | 'drainTimeout'>): StopClock {
  const drainedAt = performance.now() + drainNotice + drainTimeout
  const leftUntil = (ms: number) => (): number => Math.max(0, drainedAt + ms - performance.now())
  return Object.fromEntries(Object.entries(overtimeMs).map(([step, ms]) => [step, leftUntil(ms)])) as StopClock
}

/** Exits after a time, whatever is still open. */
export const exitIn = (ms: number, code: number): NodeJS.Timeout => setTimeout(() => process.exit(code), ms).unref()

/** Waits for the parts of a service to stop. Logs and leaves those that have not stopped in time. */
export async function stopParts(
  log: Pick<Logger, 'error'>,
  ms: number,
  parts: { readonly [part: string]: Promise<unknown> | undefined },
): Promise<void> {
  const stopPart = async ([part, work]: [string, Promise<unknown> | undefined]): Promise<void> => {
    try {
      if (work) await waitWithin({ ms, of: 'a part of the stop' }, work)
    } catch (error) {
      if (!(error instanceof TimeOver)) throw error
      log.error({ part }, 'a part of the service did not stop in time, and was left')
    }
  }
  await Promise.all(Object.entries(parts).map(stopPart))
}
