import { type App, closeApp, createApp } from '../app.ts'
import { watchDisks } from '../disk.ts'
import type { ListeningServer } from '../http/listen.ts'
import { endInTime, stopSignals, watchErrors } from '../lifecycle.ts'
import { startMetrics } from '../metrics.ts'
import { sealingKeys } from '../secret.ts'
import { serve } from '../serve.ts'
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
  const away = Promise.withResolvers<void>()
  const stop = Promise.withResolvers<number>()
  const scrapes = createScrapes()
  watchErrors(alone.log, () => {
    // The other processes go on, so this one does not wait for them.
    away.resolve()
    stop.resolve(1)
  })
  process.on('message', (message: WorkerMessage) => {
    if (message.say === 'stop') stop.resolve(0)
    if (message.say === 'away') away.resolve()
    if (message.say === 'count') void alone.inBackground('processes', () => count(alone, message.asked))
    if (message.say === 'scraped') scrapes.answered(message.asked, message.text)
  })

  await watchDisks(alone, cluster, false)
  const listening = await listen({ ...alone, metrics: { ...alone.metrics, text: scrapes.ask } })
  const sending = startWebhooks(alone)
  send({ say: 'serving', url: listening.url })
  const code = await stop.promise
  endInTime(config)
  const drained = listening.drain(() => {
    send({ say: 'closed' })
    return away.promise
  })
  await Promise.all([drained, sending.stop()])
  await closeApp(alone)
  process.exit(code)
}

/** Listens. If that fails, reports the reason to the primary and exits. */
async function listen(app: App): Promise<ListeningServer> {
  try {
    return await serve(app)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    await new Promise((resolve) => process.send?.({ say: 'failed', code, message } satisfies PrimaryMessage, resolve))
    process.exit(1)
  }
}

async function count({ metrics }: App, asked: number): Promise<void> {
  send({ say: 'counted', asked, values: await metrics.values() })
}

/** Creates the requests to the primary for the metrics of all processes. */
function createScrapes() {
  const waiting = new Map<number, (text: string) => void>()
  let last = 0
  return {
    ask: () =>
      new Promise<string>((resolve) => {
        waiting.set(++last, resolve)
        send({ say: 'scrape', asked: last })
      }),
    answered(asked: number, text: string): void {
      waiting.get(asked)?.(text)
      waiting.delete(asked)
    },
  }
}
