import type { Logger } from 'pino'

export type Stop = {
  /** The exit code, once somebody or something wants the process to end. */
  asked: Promise<number>
  /** From here on what nobody caught is logged and, where it has to, ends the process in good order. */
  watch(log: Logger): void
}

/**
 * npm passes on the Ctrl-C that the terminal has sent to all of us already; only a signal later than this is a second
 * one, which does not wait for anything.
 */
const sameSignalMilliseconds = 500

/** Listens for signals from here on, so that one that comes during the start is not lost. */
export function listenForStop(): Stop {
  const { promise: asked, resolve } = Promise.withResolvers<number>()
  let firstAt: number | undefined
  const onSignal = (): void => {
    const now = performance.now()
    firstAt ??= now
    if (now - firstAt > sameSignalMilliseconds) process.exit(1)
    resolve(0)
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return {
    asked,
    watch(log) {
      process.on('unhandledRejection', (error) => log.error({ error }, 'a promise failed and nobody looked at it'))
      process.on('uncaughtException', (error) => {
        log.fatal({ error }, 'an error nobody caught: the process stops')
        resolve(1)
      })
    },
  }
}
