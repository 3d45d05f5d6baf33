import type { Worker } from 'node:cluster'
import { aggregate, type Values } from '../metrics.ts'
import type { WorkerMessage } from './messages.ts'

/** A worker that does not answer in time is shown as it was last seen. */
const timeoutMilliseconds = 1000

/**
 * What all processes have counted, as one: a scrape that reaches any of them is about the service. `ownValues` are those
 * of the process that looks after the others.
 */
export function createCounts(ownValues: () => Promise<Values>) {
  const last = new Map<number, Values>()
  const waiting = new Map<number, () => void>()
  let ended: Promise<Values> = Promise.resolve([])
  let lastAsked = 0

  const ask = (worker: Worker): Promise<void> =>
    new Promise((resolve) => {
      const asked = ++lastAsked
      const done = (): void => {
        clearTimeout(timer)
        waiting.delete(asked)
        resolve()
      }
      const timer = setTimeout(done, timeoutMilliseconds)
      waiting.set(asked, done)
      worker.send({ say: 'count', asked } satisfies WorkerMessage, (error) => {
        if (error) done()
      })
    })

  return {
    /** The text of /metrics. */
    async gather(workers: readonly Worker[]): Promise<string> {
      await Promise.all(workers.map(ask))
      const own = await ownValues()
      // Both at one moment: who ends now is found in one of them, and in one only.
      const [live, gone] = [[...last.values()], ended]
      return aggregate([own, await gone, ...live]).metrics()
    },
    /** A worker's answer. */
    take(worker: Worker, asked: number, values: Values): void {
      if (!worker.isDead()) last.set(worker.id, values)
      waiting.get(asked)?.()
    },
    /** A worker has ended. What it had counted when it was last asked stays counted: no counter falls. */
    keep({ id }: Worker): void {
      const counted = (last.get(id) ?? []).filter((metric) => !isGauge(metric))
      last.delete(id)
      ended = ended.then((before) => aggregate([before, counted]).getMetricsAsJSON())
    },
  }
}

/** The type is a word, whatever its declaration says. */
const isGauge = ({ type }: Values[number]): boolean => (type as unknown) === 'gauge'
