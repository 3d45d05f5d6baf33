import { type App, systemClock } from '#server/app.ts'
import type { WebhookInput } from '#server/service/webhook-input.ts'
import { createWebhook } from '#server/service/webhooks.ts'
import { sendDue } from '#server/webhooks/start.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'

/** A service whose clock can be moved, and which sends when it is told to. */
export type HookStage = Stage & {
  app: App
  /** Seconds by which the clock is ahead. */
  ahead(seconds: number): void
  /** An endpoint of a company. */
  hook(company: Company, url: string, input?: Partial<WebhookInput>): Promise<{ id: number; secret: string }>
  /** Until all that was written can be read: transactions of other databases of the server may hold the log up. */
  visible(): Promise<void>
  /** Turns until nothing is due. */
  sendAll(): Promise<void>
  /** How an endpoint does. */
  state(id: number): Promise<State>
}

type State = {
  disabled_because: string | null
  failing_since: Date | null
  next_attempt_at: Date | null
  resync_since: Date | null
  claim: string | null
}

export async function openHookStage(environment: { [name: string]: string } = {}): Promise<HookStage> {
  const stage = await openStage({ WEBHOOK_NETWORKS: '127.0.0.1', WEBHOOK_TIMEOUT_MS: '400', ...environment })
  let offset = 0
  const clock = { ...systemClock, now: () => new Date(Date.now() + offset) }
  const app = { ...stage.app, clock }
  const visible = () => untilTold(stage)
  return {
    ...stage,
    app,
    ahead(seconds) {
      offset = 1000 * seconds
    },
    hook: async ({ actor }, url, input = {}) => {
      const wanted = { name: 'Ledger', url, events: 'all', payload: 'full', ordered: true, ...input } as const
      const by = { actor, keys: app.secret, now: clock.now() }
      const { webhook, secret } = await stage.inTransaction((transaction) => createWebhook(transaction, by, wanted))
      return { id: webhook.id, secret }
    },
    visible,
    sendAll: async () => {
      await visible()
      while ((await sendDue(app)) > 0) {
        // The next.
      }
    },
    state: async (id) => {
      const [state] = await stage.sql<State>('select * from webhook_endpoints where id = $1', id)
      return state as State
    },
  }
}
