import { randomUUID } from 'node:crypto'
import { type ClaimedRow, claimWebhooks } from '#sql/system/webhook-claims.ts'
import { leaseSeconds, takeTurn } from './turn.ts'
import type { World } from './world.ts'

/** Sends what changes to the endpoints that want to know. Any number of processes may do it beside each other. */
export type Sending = {
  /** Begins nothing more, gives what is under way a moment, and ends. */
  stop(): Promise<void>
}

const lookEveryMilliseconds = 500
/** Endpoints to which a process sends at once: many, since all that a slow one takes is a place among these. */
const turnsMax = 400
const stopMilliseconds = 3000

export function startWebhooks(world: World): Sending {
  const { log } = world
  const [ending, cutOff] = [new AbortController(), new AbortController()]
  const turns = new Set<Promise<void>>()
  let looking: Promise<void> | undefined
  let after = beginning
  let isBlind = false

  const look = async (): Promise<void> => {
    const most = turnsMax - turns.size
    const { claim, webhooks } = await claimDue(world, after, most)
    const last = webhooks.at(-1)
    after = last && webhooks.length === most ? { companyId: last.company_id, id: last.id } : beginning
    for (const webhook of webhooks) {
      const turn = takeTurn(world, { webhook, claim, ending: ending.signal, cutOff: cutOff.signal })
        .catch((error: unknown) => log.warn({ error, webhook_id: webhook.id }, 'a webhook could not be sent'))
        .finally(() => turns.delete(turn))
      turns.add(turn)
    }
  }
  const timer = setInterval(() => {
    if (looking || turns.size >= turnsMax) return
    looking = look()
      .then(
        () => {
          isBlind = false
        },
        (error: unknown) => {
          // Once, however long the database is away.
          if (!isBlind) log.warn({ error }, 'which webhooks are due could not be seen')
          isBlind = true
        },
      )
      .finally(() => {
        looking = undefined
      })
  }, lookEveryMilliseconds)
  timer.unref()

  return {
    async stop() {
      clearInterval(timer)
      ending.abort()
      await looking
      const patience = setTimeout(() => cutOff.abort(), stopMilliseconds)
      await Promise.all(turns)
      clearTimeout(patience)
    },
  }
}

/** Every endpoint that is due has one turn; how many there were. */
export async function sendDue(world: World): Promise<number> {
  const { signal } = new AbortController()
  const { claim, webhooks } = await claimDue(world, beginning, turnsMax)
  await Promise.all(webhooks.map((webhook) => takeTurn(world, { webhook, claim, ending: signal, cutOff: signal })))
  return webhooks.length
}

const beginning = { companyId: 0, id: 0 }

/** In the order of their keys, so that the next look goes on behind the last. */
async function claimDue(world: World, after: typeof beginning, most: number) {
  const claim = randomUUID()
  const wanted = { claim, now: world.clock.now(), leaseSeconds: leaseSeconds(world), most }
  const rows = await world.database.read<ClaimedRow>(claimWebhooks(after, wanted))
  return { claim, webhooks: rows.toSorted((one, other) => one.company_id - other.company_id || one.id - other.id) }
}
