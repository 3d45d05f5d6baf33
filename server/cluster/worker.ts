import { type App, makeApp } from '../app.ts'
import { watchRoom } from '../disk.ts'
import type { Listening } from '../http/listen.ts'
import { endInTime, stopSignals, watchErrors } from '../lifecycle.ts'
import { rehearse } from '../rehearse.ts'
import { sealingKeys } from '../secret.ts'
import { serve } from '../serve.ts'
import { startWebhooks } from '../webhooks/start.ts'
import type { ToPrimary, ToWorker } from './messages.ts'

/**
 * One of the processes that share the port. It serves as a single process would, and does what the primary says; when
 * that is gone, node:cluster ends it.
 */
process.once('message', (first: ToWorker) => {
  if (first.say === 'serve') void work(first)
})

// A terminal or a service manager may signal all processes at once: stopping is up to the primary.
for (const signal of stopSignals) process.on(signal, () => undefined)

const send = (message: ToPrimary): void => void process.send?.(message)

async function work({ config, connection, cluster }: Extract<ToWorker, { say: 'serve' }>): Promise<void> {
  const alone = makeApp(config, connection, sealingKeys(config))
  const away = Promise.withResolvers<void>()
  const stop = Promise.withResolvers<number>()
  const scrapes = makeScrapes()
  watchErrors(alone.log, () => {
    // The others go on, so nobody has to be waited for.
    away.resolve()
    stop.resolve(1)
  })
  process.on('message', (message: ToWorker) => {
    if (message.say === 'stop') stop.resolve(0)
    if (message.say === 'away') away.resolve()
    if (message.say === 'count') void alone.inBackground('processes', () => count(alone, message.asked))
    if (message.say === 'scraped') scrapes.answered(message.asked, message.text)
  })

  await rehearse(config, alone.log)
  await watchRoom(alone, cluster)
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
  await alone.meter.close()
  await alone.callDetails?.close()
  await alone.database.close()
  process.exit(code)
}

/** It says why it cannot serve, and ends. */
async function listen(app: App): Promise<Listening> {
  try {
    return await serve(app)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    await new Promise((resolve) => process.send?.({ say: 'failed', code, message } satisfies ToPrimary, resolve))
    process.exit(1)
  }
}

async function count({ metrics }: App, asked: number): Promise<void> {
  send({ say: 'counted', asked, values: await metrics.values() })
}

/** What the metrics of all processes say, as the primary tells it. */
function makeScrapes() {
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
