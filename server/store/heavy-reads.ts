import type { Statement } from '#sql/statement.ts'
import { createWatch } from '../fair/watch.ts'
import { waitFor } from '../wait/wait.ts'
import { Fault } from './faults.ts'

/** Reads of one company that run at the same time in one process, at most. */
const runningMax = 2

type Call = { until: number; resolve(rows: Promise<unknown[]>): void; reject(error: unknown): void }
/** Calls that wait for the same rows, and the statement that reads them. */
type Question = { ask(): Promise<unknown[]>; calls: Call[] }
/** The reads of one company: how many run, and those that wait, by statement and values in the order of arrival. */
type Queue = { running: number; questions: Map<string, Question> }

/**
 * Opens the queue of expensive reads, which runs a few of each company at a time. A call that waits holds no
 * connection. One statement answers all equal calls that wait. A statement that has begun answers no later call: it
 * might not see a write or a revocation before that call.
 */
export function openHeavyReads(longestWaitMs: number) {
  /** By company; deleted when nothing of it runs or waits. */
  const queues = new Map<number, Queue>()
  let waiting = 0

  const start = (companyId: number, queue: Queue): void => {
    const [next] = queue.questions
    if (!next || queue.running >= runningMax) {
      if (!next && queue.running === 0) queues.delete(companyId)
      return
    }
    const [key, { ask, calls }] = next
    queue.questions.delete(key)
    queue.running++
    waiting -= calls.length
    const rows = ask()
    const goOn = (): void => {
      queue.running--
      start(companyId, queue)
    }
    rows.then(goOn, goOn)
    for (const { resolve } of calls) resolve(rows)
  }

  const watch = createWatch(longestWaitMs / 20, () => {
    const now = performance.now()
    for (const { questions } of queues.values())
      for (const [key, question] of questions) {
        const late = question.calls.filter(({ until }) => until <= now)
        if (late.length === 0) continue
        waiting -= late.length
        question.calls = question.calls.filter(({ until }) => until > now)
        if (question.calls.length === 0) questions.delete(key)
        for (const { reject } of late)
          reject(new Fault('unavailable', new Error('a heavy read waited too long for others of its company')))
      }
    return waiting > 0
  })

  return {
    /** Runs `ask` once a place is free. Rejects with a `Fault` after the longest wait. */
    run: <Row>(statement: Statement, ask: () => Promise<Row[]>) =>
      waitFor<Row[]>('its queue', (resolve, reject) => {
        const companyId = statement.heavyOf as number
        const queue = queues.get(companyId) ?? { running: 0, questions: new Map() }
        queues.set(companyId, queue)
        const key = JSON.stringify([statement.name ?? statement.text, statement.values])
        const question = queue.questions.get(key) ?? { ask, calls: [] }
        queue.questions.set(key, question)
        const call = { until: performance.now() + longestWaitMs, resolve: resolve as Call['resolve'], reject }
        question.calls.push(call)
        waiting++
        start(companyId, queue)
        watch()
      }),
    waiting: (): number => waiting,
  }
}
