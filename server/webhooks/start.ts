import { randomUUID } from 'node:crypto'
import { type ClaimedRow, claimWebhooks } from '#sql/system/webhook-claims.ts'
import { repeat } from '../jobs/in-background.ts'
import type { App } from './app.ts'
import { leaseSeconds, takeTurn } from './turn.ts'

const pollMilliseconds = 500
/** Endpoints to which a process sends at once. Many, because a slow endpoint occupies one of them and nothing else. */
const turnsMax = 400
const stopMilliseconds = 3000

/** Starts sending changes to endpoints. Any number of processes may do so at the same time. */
export function startWebhooks(app: App) {
  const { inBackground } = app
  const [ending, cutOff] = [new AbortController(), new AbortController()]
  const turns = new Set<Promise<void>>()
  let after = beginning

  const poll = async (): Promise<void> => {
    const most = turnsMax - turns.size
    if (most <= 0) return
    const { claim, webhooks } = await claimDue(app, after, most)
    const last = webhooks.at(-1)
    after = last && webhooks.length === most ? { companyId: last.company_id, id: last.id } : beginning
    for (const webhook of webhooks) {
      const signals = { ending: ending.signal, cutOff: cutOff.signal }
      const take = () => takeTurn(app, { webhook, claim, ...signals })
      const turn = inBackground('webhooks', take, { webhook_id: webhook.id }).finally(() => turns.delete(turn))
      turns.add(turn)
    }
  }
  const polling = repeat(pollMilliseconds, () => inBackground('webhooks', poll))

  return {
    /** Starts no more attempts, waits `stopMilliseconds` for the running ones, and then cuts them off. */
    async stop(): Promise<void> {
      ending.abort()
      await polling.stop()
      const grace = setTimeout(() => cutOff.abort(), stopMilliseconds)
      await Promise.all(turns)
      clearTimeout(grace)
    },
  }
}

/** Gives one turn to every endpoint that is due. Returns their number. */
export async function sendDue(app: App): Promise<number> {
  const { signal } = new AbortController()
  const { claim, webhooks } = await claimDue(app, beginning, turnsMax)
  await Promise.all(webhooks.map((webhook) => takeTurn(app, { webhook, claim, ending: signal, cutOff: signal })))
  return webhooks.length
}

const beginning = { companyId: 0, id: 0 }

/** Claims endpoints that are due. Sorts them by their keys, so that the next poll continues after the last one. */
async function claimDue(app: App, after: typeof beginning, most: number) {
  const claim = randomUUID()
  const wanted = { claim, now: app.clock.now(), leaseSeconds: leaseSeconds(app), most }
  const rows = await app.database.read<ClaimedRow>(claimWebhooks(after, wanted))
  return { claim, webhooks: rows.toSorted((one, other) => one.company_id - other.company_id || one.id - other.id) }
}
