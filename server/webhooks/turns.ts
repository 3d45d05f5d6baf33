import { randomUUID } from 'node:crypto'
import { webhooksMax } from '#registry/webhooks.ts'
import {
  type ClaimedRow,
  claimWebhooks,
  type DueRow,
  dueWebhooks,
  releaseOutlived,
} from '#sql/system/webhook-claims.ts'
import type { EndpointRow } from '#sql/system/webhooks.ts'
import { createSlots, type Size } from '../fair/slots.ts'
import { waitFor } from '../wait/wait.ts'
import type { App } from './app.ts'
import { leaseSeconds } from './lease.ts'
import { takeTurn } from './turn.ts'

/** `each` is the most turns of one company at once. */
export type TurnsSize = Size & { each: number }

/**
 * The turns of a process: endpoints to which it sends at once. Many, because a slow endpoint occupies one of them and
 * nothing else. A company has as many as it may have webhooks, so the bound delays nobody who deletes none.
 */
export const turnsSize: TurnsSize = { limit: 350, reserve: 50, each: webhooksMax }

/** Due endpoints that are looked at together. A company after them is looked at by the next call. */
const dueMax = 1000

export type Turn = {
  webhook: ClaimedRow
  begunAt: number
  /** Settles with the work of the turn, or when the turn is ended. */
  over: Promise<void>
  /** Cuts off its requests. */
  cutOff(): void
}

type RunningTurn = Turn & { claim: string; endsAt: number; end(): void }

/**
 * The turns of a process, shared by company as requests are: the company with the fewest is next, and one that has none
 * gets one of the reserve. A turn ends with its claim at the latest, and after twice the time of a claim even if that was
 * renewed, so none is occupied for ever. Decisions, Webhooks.
 */
export function openTurns(app: App, { each, ...size }: TurnsSize, ending: AbortSignal) {
  const { clock, database, inBackground, log, metrics } = app
  const leaseMs = 1000 * leaseSeconds(app)
  const slots = createSlots<DueRow>(size)
  const running = new Set<RunningTurn>()
  /** The endpoint of each company that had the last turn. The next one is behind it. */
  const lastOf = new Map<number, number>()
  let afterCompany = 0

  /** Chooses the endpoints that get a turn, and takes a slot for each. */
  const choose = (due: readonly DueRow[]): DueRow[] => {
    for (const one of inTurns(due, lastOf)) {
      if (slots.loadOf(one.company_id) < each) slots.wait(one.company_id, '', one)
    }
    const chosen = slots.resize(size)
    slots.remove(() => true)
    for (const { company_id, id } of chosen) lastOf.set(company_id, id)
    // A company that got none is the first to be looked at when a slot is free.
    const without = due.find(({ company_id }) => slots.loadOf(company_id) === 0)
    afterCompany = without ? without.company_id - 1 : nextCompany(due)
    return chosen
  }

  const begin = (webhook: ClaimedRow, claim: string, claimedAt: number): RunningTurn => {
    const cutOff = new AbortController()
    let endWait = (): void => undefined
    const renew = (at: number): void => {
      turn.endsAt = Math.min(at, turn.begunAt + leaseMs) + leaseMs
    }
    const work = takeTurn(app, { webhook, claim, renew, ending, cutOff: cutOff.signal })
    const turn: RunningTurn = {
      ...{ webhook, claim, begunAt: claimedAt, endsAt: claimedAt + leaseMs },
      over: waitFor<void>('its claim', (resolve, reject) => {
        endWait = resolve
        work.then(resolve, reject)
      }).finally(() => leave(turn)),
      cutOff: () => cutOff.abort(),
      end() {
        cutOff.abort()
        endWait()
      },
    }
    running.add(turn)
    return turn
  }

  const leave = (turn: RunningTurn): void => {
    running.delete(turn)
    slots.leave(turn.webhook.company_id)
  }

  /** Ends a turn whose claim has ended, though its work may never settle. Another one may begin at once. */
  const endOutlived = (turn: RunningTurn): void => {
    const { company_id: companyId, id } = turn.webhook
    const facts = { company_id: companyId, webhook_id: id }
    turn.end()
    metrics.webhookTurnEnded()
    log.warn(
      { ...facts, seconds: Math.round((clock.elapsed() - turn.begunAt) / 1000) },
      'a turn of a webhook outlived its claim and was ended; its changes are sent again',
    )
    const release = () => database.read(releaseOutlived({ companyId, id, claim: turn.claim }, clock.now()))
    void inBackground('webhooks', release, facts)
  }

  return {
    running: running as ReadonlySet<Turn>,
    /** Gives turns to endpoints that are due, while there are slots. Returns these turns. */
    async give(): Promise<Turn[]> {
      const { limit, reserve } = size
      if (slots.counts.underWay >= limit + reserve) return []
      const due = await database.read<DueRow>(dueWebhooks(afterCompany, { now: clock.now(), most: dueMax }))
      const chosen = choose(due)
      if (chosen.length === 0) return []
      const [claim, claimedAt] = [randomUUID(), clock.elapsed()]
      const begun = new Set<DueRow>()
      try {
        const rows = await database.read<EndpointRow>(claimWebhooks(chosen, claim, leaseSeconds(app)))
        const rowOf = new Map(rows.map((row) => [keyOf(row), row]))
        return chosen.flatMap((one) => {
          const row = rowOf.get(keyOf(one))
          if (!row) return []
          begun.add(one)
          return [begin({ ...row, add_ons: one.add_ons }, claim, claimedAt)]
        })
      } finally {
        // Another process was faster, or the claim failed.
        for (const one of chosen) if (!begun.has(one)) slots.leave(one.company_id)
      }
    },
    /** Ends the turns that have outlived their claims, and shows how many there are and the age of the oldest. */
    look(): void {
      const now = clock.elapsed()
      for (const turn of running) if (now >= turn.endsAt) endOutlived(turn)
      const oldest = Math.min(now, ...[...running].map(({ begunAt }) => begunAt))
      metrics.webhookTurns(slots.counts.underWay, (now - oldest) / 1000)
    },
  }
}

const keyOf = ({ company_id, id }: Pick<DueRow, 'company_id' | 'id'>): string => `${company_id}/${id}`

/** Returns endpoints in the order of their companies, and of one company those behind its last one first. */
const inTurns = (due: readonly DueRow[], lastOf: ReadonlyMap<number, number>): DueRow[] => {
  const round = ({ company_id, id }: DueRow): number => (id > (lastOf.get(company_id) ?? 0) ? 0 : 1)
  return due.toSorted(
    (one, other) => one.company_id - other.company_id || round(one) - round(other) || one.id - other.id,
  )
}

/** Returns the company after which to go on: that before the last one, of which there may be more. */
function nextCompany(due: readonly DueRow[]): number {
  const [first, last] = [due[0], due.at(-1)]
  if (!first || !last || due.length < dueMax) return 0
  return first.company_id === last.company_id ? last.company_id : last.company_id - 1
}
