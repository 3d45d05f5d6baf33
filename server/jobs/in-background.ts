/** The jobs of the service, as `plumbline_job_failures_total` names them, with the sentences for the log of a failure. */
const sentences = {
  archive: 'the log of the database is not archived',
  audit: 'a failed sign-in could not be logged',
  backup: 'a backup could not be made, and is tried again',
  call_details: 'the details of calls could not be stored, and are tried again',
  calls: 'calls could not be logged, and are tried again',
  changes: 'changes could not be read, and are read again',
  disk: 'the free space of a disk could not be read, and is read again',
  fill: 'what earlier versions did not write could not be added, and is tried again',
  processes: 'a process could not be started or reached, and is tried again',
  sweep: 'old rows could not be removed, and are tried again',
  webhooks: 'webhooks could not be sent, and are tried again',
} as const

export type Job = keyof typeof sentences

export const jobs = Object.keys(sentences) as Job[]

/**
 * Runs work that no caller waits for. A failure is counted and logged, and the promise never rejects. `about` is logged
 * with the failure.
 */
export type BackgroundRunner = (job: Job, work: () => unknown, about?: object) => Promise<void>

/** Runs work at an interval, and not again while it runs. The work never rejects. `stop` waits for its end. */
export function repeat(everyMs: number, work: () => Promise<void>) {
  let running: Promise<void> | undefined
  const start = (): void => {
    running ??= work().finally(() => {
      running = undefined
    })
  }
  const timer = setInterval(start, everyMs).unref()
  return {
    async stop(): Promise<void> {
      clearInterval(timer)
      await running
    },
  }
}

type Watch = {
  log: { error(facts: object, sentence: string): void }
  clock: { elapsed(): number }
  countFailure(job: Job): void
}

/** Time in which the same failure of a job is logged once, because some jobs try again ten times a second. */
const sameFailureMilliseconds = 10_000

export function createBackgroundRunner({ log, clock, countFailure }: Watch): BackgroundRunner {
  const logged = new Map<Job, { message: string; at: number }>()
  return async (job, work, about = {}) => {
    try {
      await work()
    } catch (error) {
      countFailure(job)
      const message = String(error)
      const before = logged.get(job)
      const at = clock.elapsed()
      if (before?.message === message && at - before.at < sameFailureMilliseconds) return
      logged.set(job, { message, at })
      log.error({ ...about, job, error }, sentences[job])
    }
  }
}
