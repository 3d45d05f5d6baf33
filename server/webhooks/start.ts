import { repeat } from '../jobs/in-background.ts'
import { atMost } from '../wait/wait.ts'
import type { App } from './app.ts'
import { openTurns, turnsSize } from './turns.ts'

const pollMilliseconds = 500
const stopMilliseconds = 3000
/** Time for turns that were cut off. One that goes on is left. */
const cutOffMilliseconds = 1000

/** Starts sending changes to endpoints. Any number of processes may do so at the same time. */
export function startWebhooks(app: App, size = turnsSize) {
  const { inBackground } = app
  const ending = new AbortController()
  const turns = openTurns(app, size, ending.signal)

  const poll = async (): Promise<void> => {
    for (const { over, webhook } of await turns.give()) {
      void inBackground('webhooks', () => over, { company_id: webhook.company_id, webhook_id: webhook.id })
    }
  }
  const polling = repeat(pollMilliseconds, () => inBackground('webhooks', poll))
  // Apart from the polls: these wait for the database.
  const looking = setInterval(turns.look, pollMilliseconds).unref()

  const allOver = async (): Promise<void> => {
    await polling.stop()
    await Promise.allSettled([...turns.running].map(({ over }) => over))
  }
  return {
    /** Starts no more attempts, waits `stopMilliseconds` for the running ones, and then cuts them off. */
    async stop(): Promise<void> {
      ending.abort()
      const over = allOver()
      await atMost(stopMilliseconds, over)
      for (const turn of turns.running) turn.cutOff()
      await atMost(cutOffMilliseconds, over)
      clearInterval(looking)
    },
  }
}

/** Gives one turn to every endpoint that is due. Returns their number. */
export async function sendDue(app: App): Promise<number> {
  const given = await openTurns(app, turnsSize, new AbortController().signal).give()
  await Promise.all(given.map(({ over }) => over))
  return given.length
}
