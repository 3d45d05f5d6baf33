import type { Worker } from 'node:cluster'
import { aggregate, type Values } from '../metrics.ts'
import { atMost, waitFor } from '../wait/wait.ts'
import type { WorkerMessage } from './messages.ts'

/** Time for a worker's answer. After it, the last known values of the worker are used. */
const timeoutMilliseconds = 1000

/**
 * Sums the metrics of all processes, so that a scrape of any process is about the whole service. `ownValues` are those
 * of the primary process.
 */
export function createCounts(ownValues: () => Promise<Values>) {
  const last = new Map<number, Values>()
  const waiting = new Map<number, () => void>()
  let ended: Promise<Values> = Promise.resolve([])
  let lastAsked = 0

  const ask = async (worker: Worker): Promise<void> => {
    const asked = ++lastAsked
    const answered = waitFor<void>('the other process', (resolve) => {
      waiting.set(asked, resolve)
      worker.send({ say: 'count', asked } satisfies WorkerMessage, (error) => {
        if (error) resolve()
      })
    })
    await atMost(timeoutMilliseconds, answered)
    waiting.delete(asked)
  }

  return {
    /** Returns the text of /metrics. */
    async gather(workers: readonly Worker[]): Promise<string> {
      await Promise.all(workers.map(ask))
      const own = await ownValues()
      // Both are read at one moment, so that a worker that ends now is in exactly one of them.
      const [live, gone] = [[...last.values()], ended]
      return aggregate([own, await gone, ...live]).metrics()
    },
    /** Stores a worker's answer. */
    take(worker: Worker, asked: number, values: Values): void {
      if (!worker.isDead()) last.set(worker.id, values)
      waiting.get(asked)?.()
    },
    /** Adds the last known values of an ended worker to the sum, so that no counter decreases. */
    keep({ id }: Worker): void {
      const counted = (last.get(id) ?? []).filter((metric) => !isGauge(metric))
      last.delete(id)
      ended = ended.then((before) => aggregate([before, counted]).getMetricsAsJSON())
    },
  }
}

/** Returns whether a metric is a gauge. Its type is a word, though it is declared as an enum. */
const isGauge = ({ type }: Values[number]): boolean => (type as unknown) === 'gauge'
