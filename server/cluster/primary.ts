import cluster, { type Worker } from 'node:cluster'
import { join } from 'node:path'
import type { OpenApp } from '../app.ts'
import type { Config } from '../config/config.ts'
import type { ListeningServer } from '../http/listen.ts'
import { startStopClock } from '../lifecycle.ts'
import { connectionsLeast } from '../store/allowance.ts'
import { atMost, type Limit, waitFor } from '../wait/wait.ts'
import { createCounts } from './counts.ts'
import type { PrimaryMessage, WorkerMessage } from './messages.ts'

/** Milliseconds until an ended process is started again. The pause doubles each time, up to `most`. */
const backoff = { least: 100, most: 30_000 }
const startLimit: Limit = { ms: 60_000, of: 'the start of a process' }
/** Time of serving after which the pause is `least` again. */
const steadyMilliseconds = 10_000

/**
 * Serves with several processes that share the port. This one accepts connections and hands them to the others in turn.
 * It owns the database and the signals, restarts ended processes, and sums their metrics. Decisions, Processes.
 */
export async function serveTogether({ app, connection, bundled }: OpenApp): Promise<ListeningServer> {
  const { config, log, inBackground } = app
  const counts = createCounts(app.metrics.sharedValues)
  const timers = new Set<NodeJS.Timeout>()
  let stopping = false
  // If PORT is 0, the system chooses one. All processes keep it, and it is requested again if all have ended.
  let [port, chosen] = [config.port, config.port]

  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.ts'), args: [] })

  /** Starts a process. Resolves when it serves, and rejects with the reason if it cannot. */
  const start = (): Promise<{ worker: Worker; url: string }> =>
    waitFor(startLimit, (resolve, reject) => {
      if (findLivingWorkers().length === 0) port = chosen
      const worker = cluster.fork()
      const closeHanded = watchHanded(worker)
      send(worker, { say: 'serve', config: shareOf({ ...config, port }), connection, cluster: bundled?.home ?? null })
      worker.on('message', (message: PrimaryMessage) => {
        if (message.say === 'serving') resolve({ worker, url: message.url })
        if (message.say === 'failed') reject(Object.assign(new Error(message.message), { code: message.code }))
        if (message.say === 'counted') counts.take(worker, message.asked, message.values)
        if (message.say === 'scrape') void inBackground('processes', () => answerScrape(worker, message.asked))
      })
      worker.on('error', (error) =>
        log.warn({ error, process: worker.process.pid }, 'a message could not be sent to a process'),
      )
      worker.once('exit', (code, signal) => {
        counts.keep(worker)
        closeHanded()
        reject(new Error(`a process ended before it served (${signal ?? `exit ${code}`})`))
      })
      return () => worker.process.kill('SIGKILL')
    })

  /** Restarts a process whenever it ends, with a growing pause if it ends soon. */
  const supervise = (worker: Worker, pauseMilliseconds: number = backoff.least): void => {
    const since = performance.now()
    worker.once('exit', (code, signal) => {
      if (stopping) return
      const pause = performance.now() - since > steadyMilliseconds ? backoff.least : pauseMilliseconds
      log.error(
        { process: worker.process.pid, code, signal, again_in_ms: pause },
        'a process ended, and is started again',
      )
      startAgain(pause)
    })
  }
  const startAgain = (pause: number): void => {
    const next = Math.min(2 * pause, backoff.most)
    const timer = setTimeout(() => {
      timers.delete(timer)
      const serveAgain = async (): Promise<void> => {
        const { worker, url } = await start().catch((error: unknown) => {
          if (!stopping) startAgain(next)
          throw error
        })
        log.info({ process: worker.process.pid, url }, 'serving again')
        if (stopping) send(worker, { say: 'stop' })
        else supervise(worker, next)
      }
      void inBackground('processes', serveAgain, { again_in_ms: next })
    }, pause)
    timers.add(timer)
  }

  const answerScrape = async (worker: Worker, asked: number): Promise<void> =>
    send(worker, { say: 'scraped', asked, text: await counts.gather(findLivingWorkers()) })

  const started = await Promise.all(Array.from({ length: config.processes }, start)).catch((error: unknown) => {
    for (const worker of findLivingWorkers()) worker.process.kill('SIGKILL')
    throw error
  })
  const [{ url }] = started as [{ worker: Worker; url: string }]
  chosen = Number(new URL(url).port)
  for (const { worker } of started) supervise(worker)
  return { url, drain }

  async function drain(): Promise<void> {
    stopping = true
    for (const timer of timers) clearTimeout(timer)
    const workers = findLivingWorkers()
    const clock = startStopClock(config)
    const ended = Promise.all(workers.map(endOf))
    const closed = Promise.all(workers.map(closedBy))
    for (const worker of workers) send(worker, { say: 'stop' })
    // Callers are disconnected after all ports are closed, so that none reconnects to a process that stops too.
    await atMost(config.drainNotice + closeMs, closed)
    for (const worker of workers) send(worker, { say: 'away' })
    await atMost(clock.workersKilled(), ended)
    for (const worker of findLivingWorkers()) {
      log.error({ process: worker.process.pid }, 'a process did not stop in time, and was killed')
      worker.process.kill('SIGKILL')
    }
    await atMost(killMs, ended)
  }
}

/** Milliseconds in which a process closes its port, and in which one that is killed ends. */
const [closeMs, killMs] = [1000, 300]

const findLivingWorkers = (): Worker[] =>
  Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined && !worker.isDead()) as Worker[]

/**
 * Returns a function that closes the connection that an ended process was being handed. node:cluster hands over one at
 * a time and drops it if no answer comes. The caller would otherwise wait for ever.
 */
function watchHanded({ process }: Worker): () => void {
  const send = process.send.bind(process) as (...given: unknown[]) => boolean
  let handed: { close?(): void } | undefined
  process.send = (...given: unknown[]) => {
    // Without a connection this argument is a callback.
    if (typeof given[1] === 'object') handed = given[1] ?? undefined
    return send(...given)
  }
  // Closing it twice does nothing.
  return () => handed?.close?.()
}

/** Sends a message. Drops it if the worker has just ended, which its exit event reports. */
function send(worker: Worker, message: WorkerMessage): void {
  if (worker.isConnected()) worker.send(message, () => undefined)
}

const endOf = (worker: Worker): Promise<void> =>
  waitFor('the other process', (resolve) => void worker.once('exit', () => resolve()))

/** Waits until a process has closed its port or has ended. */
const closedBy = (worker: Worker): Promise<void> =>
  waitFor('the other process', (resolve) => {
    worker.once('exit', () => resolve())
    worker.on('message', ({ say }: PrimaryMessage) => {
      if (say === 'closed') resolve()
    })
  })

/** Returns the settings of one of several processes, with its share of the database connections. */
const shareOf = (config: Config): Config => ({
  ...config,
  connectionsMax: Math.max(connectionsLeast, Math.floor(config.connectionsMax / config.processes)),
})
