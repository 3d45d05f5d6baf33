import { type App, closeApp, createApp } from '../app.ts'
import { watchDisks } from '../disk.ts'
import type { ListeningServer } from '../http/listen.ts'
import { exitIn, startStopClock, stopParts, stopSignals, watchErrors } from '../lifecycle.ts'
import { startMetrics } from '../metrics.ts'
import { sealingKeys } from '../secret.ts'
import { serve } from '../serve.ts'
import { atMost, type Limit, openGate, waitFor } from '../wait/wait.ts'
import { startWebhooks } from '../webhooks/start.ts'
import type { PrimaryMessage, WorkerMessage } from './messages.ts'

/**
 * One of the processes that share the port. It serves like a single process, on the messages of the primary.
 * node:cluster ends it when the primary has ended.
 */
process.once('message', (first: WorkerMessage) => {
  if (first.say === 'serve') void work(first)
})

// A terminal or a service manager may signal all processes at once. Only the primary stops the workers.
for (const signal of stopSignals) process.on(signal, () => undefined)

const send = (message: PrimaryMessage): void => void process.send?.(message)

async function work({ config, connection, cluster }: Extract<WorkerMessage, { say: 'serve' }>): Promise<void> {
  const alone = createApp(config, connection, sealingKeys(config), startMetrics)
  const away = openGate<void>()
  const stop = openGate<number>()
  const scrapes = createScrapes()
  watchErrors(alone.log, () => {
    // The other processes go on, so this one does not wait for them.
    away.open()
    stop.open(1)
  })
  process.on('message', (message: WorkerMessage) => {
    if (message.say === 'stop') stop.open(0)
    if (message.say === 'away') away.open()
    if (message.say === 'count') void alone.inBackground('processes', () => count(alone, message.asked))
    if (message.say === 'scraped') scrapes.answered(message.asked, message.text)
  })

  await watchDisks(alone, cluster, false)
  const listening = await listen({ ...alone, metrics: { ...alone.metrics, text: scrapes.ask } })
  const sending = startWebhooks(alone)
  send({ say: 'serving', url: listening.url })
  const code = await stop.opened
  const clock = startStopClock(config)
  exitIn(clock.worker(), 1)
  const drained = listening.drain(() => {
    send({ say: 'closed' })
    return away.opened
  })
  await stopParts(alone.log, clock.parts(), { requests: drained, webhooks: sending.stop() })
  await closeApp(alone)
  process.exit(code)
}

const tellMs = 1000

/** Listens. If that fails, reports the reason to the primary and exits. */
async function listen(app: App): Promise<ListeningServer> {
  try {
    return await serve(app)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const told = waitFor(
      'the other process',
      (resolve) => void process.send?.({ say: 'failed', code, message } satisfies PrimaryMessage, resolve),
    )
    await atMost(tellMs, told)
    process.exit(1)
  }
}

async function count({ metrics }: App, asked: number): Promise<void> {
  send({ say: 'counted', asked, values: await metrics.values() })
}

/** The primary waits a second for the other processes, and less for the database. */
const scrapeLimit: Limit = { ms: 5000, of: 'the metrics of all processes' }

/** Creates the requests to the primary for the metrics of all processes. */
function createScrapes() {
  const waiting = new Map<number, (text: string) => void>()
  let last = 0
  return {
    ask: () =>
      waitFor<string>(scrapeLimit, (resolve) => {
        const asked = ++last
        waiting.set(asked, resolve)
        send({ say: 'scrape', asked })
        return () => void waiting.delete(asked)
      }),
    answered(asked: number, text: string): void {
      waiting.get(asked)?.(text)
      waiting.delete(asked)
    },
  }
}
