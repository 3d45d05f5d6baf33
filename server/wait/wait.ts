import type { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * All waits for something outside this process: a receiver, PostgreSQL, another process, a file, a person. Each has a
 * limit, or the time of a job of several waits, or one of the ends below. No other file of server/ creates a promise or
 * waits for an event: `test/house/waits.test.ts`. Decisions, Waits.
 */

/** The ends of waits without a limit of their own. */
export const ends = {
  'the next turn': 'It waits for the event loop of this process, and for nothing outside.',
  'its queue': 'The queue removes it: a clock of server/fair/watch.ts runs while anything waits.',
  'the places before it': 'Each place is held for one bounded read, and left after it.',
  'its connection to the database': 'server/store/deadline.ts ends a connection that does not answer in time.',
  'the caller’s connection': 'REQUEST_TIMEOUT_MS and WRITE_TIMEOUT_MS end the connection, and a stop does.',
  'its claim': 'server/webhooks/turns.ts ends a turn that outlives its claim.',
  'its own timer': 'The promise sets a timer that resolves it.',
  'a stop': 'A person or a service manager stops the process, and server/lifecycle.ts bounds the stop.',
  'the other process': 'It lasts as long as the other process, and a stop does not wait for it.',
} as const
export type End = keyof typeof ends

/** Milliseconds, and a phrase for the error such as "the end of initdb". */
export type Limit = { ms: number; of: string }

/** The time of a job. It aborts after the limit of the job, or with the signal that `inTime` was given. */
export type Time = AbortSignal & { readonly [timed]: true }
declare const timed: unique symbol

export type WaitEnd = Limit | Time | End

/** Thrown when a wait has lasted to its limit. Its code is that of the system for a connection that is silent. */
export class TimeOver extends Error {
  override name = 'TimeOver'
  readonly code = 'ETIMEDOUT'
  constructor({ ms, of }: Limit) {
    super(`${of} took longer than ${ms / 1000} s`)
  }
}

type Begin<T> = (
  resolve: (value: T | PromiseLike<T>) => void,
  reject: (error: unknown) => void,
  /** Begins a limit anew, when a part of the work has come. */
  renew: () => void,
  // biome-ignore lint/suspicious/noConfusingVoidType: most waits have nothing to end.
) => (() => void) | void

/**
 * Creates a promise that `begin` settles. Rejects when its bound is over. `begin` may return a function that then ends
 * the work, such as by a signal to a process.
 */
export function waitFor<T>(bound: WaitEnd, begin: Begin<T>): Promise<T> {
  if (typeof bound === 'string') return new Promise((resolve, reject) => void begin(resolve, reject, doNothing))
  return new Promise((resolve, reject) => {
    let endWork: (() => void) | undefined
    const clock = startClock(bound, (error) => {
      reject(error)
      endWork?.()
    })
    const stopped = <V>(settleBy: (value: V) => void) => {
      return (value: V): void => {
        clock.stop()
        settleBy(value)
      }
    }
    try {
      endWork = begin(stopped(resolve), stopped(reject), clock.renew) ?? undefined
      if (!('ms' in bound) && bound.aborted) clock.over()
    } catch (error) {
      stopped(reject)(error)
    }
  })
}

/** Starts to watch a bound. Calls `end` with the reason when it is over. */
function startClock(bound: Limit | Time, end: (error: unknown) => void) {
  if ('ms' in bound) {
    let timer: NodeJS.Timeout | undefined = setTimeout(() => {
      timer = undefined
      end(new TimeOver(bound))
    }, bound.ms)
    const stop = (): void => {
      clearTimeout(timer)
      timer = undefined
    }
    // A timer that is cleared would run again.
    return { stop, renew: () => void timer?.refresh(), over: doNothing }
  }
  let isRunning = true
  const over = (): void => {
    if (isRunning) end(bound.reason)
    isRunning = false
  }
  const stop = (): void => {
    isRunning = false
    bound.removeEventListener('abort', over)
  }
  bound.addEventListener('abort', over, { once: true })
  return { stop, renew: doNothing, over }
}

const doNothing = (): void => undefined

/** Waits for a promise. Rejects when the bound is over; the work goes on and its outcome is dropped. */
export const waitWithin = <T>(bound: WaitEnd, work: Promise<T>): Promise<T> =>
  waitFor<T>(bound, (resolve, reject) => void work.then(resolve, reject))

/** Creates a promise that `open` resolves when the process is to stop. */
export function openGate<T>() {
  let open: (value: T) => void = doNothing
  const opened = waitFor<T>('a stop', (resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** Waits for a promise for a time at most. Resolves to undefined after it. */
export const atMost = <T>(ms: number, work: Promise<T>): Promise<T | undefined> =>
  waitWithin({ ms, of: 'a wait' }, work).catch((error: unknown) => {
    if (error instanceof TimeOver) return undefined
    throw error
  })

/** Runs a job whose waits all take its time as their bound, so that what one of them has got is not lost at its end. */
export async function inTime<T>(limit: Limit, work: (time: Time) => Promise<T>, given?: AbortSignal): Promise<T> {
  const ending = new AbortController()
  const time = ending.signal as Time
  const timer = setTimeout(() => ending.abort(new TimeOver(limit)), limit.ms)
  const onAbort = (): void => ending.abort(given?.reason)
  if (given?.aborted) onAbort()
  given?.addEventListener('abort', onAbort, { once: true })
  try {
    return await work(time)
  } finally {
    clearTimeout(timer)
    given?.removeEventListener('abort', onAbort)
  }
}

/** Waits for an event. Rejects with the error of the emitter, or when the bound is over. */
export const eventOf = (bound: WaitEnd, emitter: EventEmitter, event: string): Promise<void> =>
  waitFor(bound, (resolve, reject) => {
    const onEvent = (): void => {
      emitter.off('error', onError)
      resolve()
    }
    const onError = (error: unknown): void => {
      emitter.off(event, onEvent)
      reject(error)
    }
    emitter.once(event, onEvent).once('error', onError)
    return () => emitter.off(event, onEvent).off('error', onError)
  })

type Streams = readonly [source: AsyncIterable<unknown>, ...others: NodeJS.WritableStream[]]

/** Moves all of a source through streams. A limit is that of each piece. */
export const pour = (
  bound: WaitEnd,
  [source, ...others]: Streams,
  options: { end?: boolean; signal?: AbortSignal } = {},
): Promise<void> =>
  waitFor(bound, (resolve, reject, renew) => {
    async function* renewing(): AsyncGenerator<unknown> {
      for await (const piece of source) {
        renew()
        yield piece
      }
    }
    const first = typeof bound === 'string' ? source : Readable.from(renewing(), { objectMode: false })
    const all = [first, ...others] as [AsyncIterable<unknown>, NodeJS.ReadWriteStream, NodeJS.WritableStream]
    pipeline(...all, options).then(() => resolve(), reject)
  })

/** Yields the pieces of a source. Throws if the next one does not come within the bound, and destroys the source. */
export async function* eachWithin<T>(bound: WaitEnd, source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let isWaiting = false
  try {
    for (;;) {
      isWaiting = true
      const { done, value } = await waitWithin(bound, iterator.next())
      isWaiting = false
      if (done) return
      yield value
    }
  } finally {
    // An iterator that hangs would answer `return` after its next piece.
    if (isWaiting) (source as { destroy?(): void }).destroy?.()
    else await iterator.return?.()
  }
}
