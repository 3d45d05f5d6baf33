import { dayMilliseconds } from '#derive/moment.ts'
import { type LackedRights, lackedRights } from '#derive/visible.ts'
import { accountDisabled, type DisableReason, feedEvents, recordsOfEvents } from '#registry/webhooks.ts'
import { type AccountRow, findAccount } from '#sql/system/accounts.ts'
import { appendAudit } from '#sql/system/log.ts'
import { type AttemptRow, insertAttempt } from '#sql/system/webhook-attempts.ts'
import {
  type Claim,
  type ClaimedRow,
  giveUpWebhook,
  markResync,
  releaseWebhook,
  settleWebhook,
} from '#sql/system/webhook-claims.ts'
import type { DisableRequest, EndpointRow } from '#sql/system/webhooks.ts'
import { createServiceActor } from '../records/actor.ts'
import { rightLost } from '../service/webhook-input.ts'
import { cursorOf } from '../service/webhooks.ts'
import type { Transaction } from '../store/database.ts'
import type { App } from './app.ts'
import { attempt, openTarget, type Target } from './delivery.ts'
import { leaseSeconds } from './lease.ts'
import { type Event, readEvents } from './log.ts'
import { eventToSend } from './message.ts'
import {
  afterAttempt,
  isDue,
  isSame,
  type PositionedEvent,
  type Progress,
  passArrived,
  type Rules,
  readsAgain,
  windowMax,
} from './progress.ts'
import { hasArrived } from './stored-attempt.ts'

/** Events that are sent to one endpoint at once, if they may arrive in any order. */
const atOnceMax = 4

/**
 * A claimed endpoint. Once `ending` is aborted, no further attempt starts; once `cutOff` is, running attempts are cut
 * off, too. `renew` is called when the claim was renewed, with the moment from which it lasts.
 */
type TakenWebhook = {
  webhook: ClaimedRow
  claim: string
  ending: AbortSignal
  cutOff: AbortSignal
  renew(at: number): void
}

/**
 * Sends the due events to one claimed endpoint. Ends after the longest time of one attempt, so that every endpoint has
 * its turn. Stores only while the claim holds. Holds no database connection while it waits for an answer.
 */
export async function takeTurn(app: App, taken: TakenWebhook): Promise<void> {
  const turn = beginTurn(app, taken, await openTarget(app, taken.webhook))
  const { close } = turn.target.destination
  // A sender that hangs would keep its connections.
  taken.cutOff.addEventListener('abort', close, { once: true })
  try {
    while (!mustEnd(turn) && (await sendPage(turn))) {
      // The next page.
    }
  } finally {
    close()
  }
  await app.database.read(releaseWebhook(turn.held))
}

type Turn = ReturnType<typeof beginTurn>

/** Returns the state of a running turn. */
const beginTurn = (app: App, { webhook, claim, ...taken }: TakenWebhook, target: Target) => ({
  ...{ app, webhook, target, ...taken },
  /** The names of the events that are sent to it. */
  wanted: feedEvents(webhook.events, webhook.add_ons),
  held: { companyId: webhook.company_id, id: webhook.id, claim } satisfies Claim,
  rules: { ordered: webhook.ordered, retrySeconds: app.config.webhookRetrySeconds } satisfies Rules,
  ...{ begun: app.clock.elapsed(), progress: progressOf(webhook), hasFailed: false },
  /** True if the claim is lost, the endpoint was disabled, or an attempt could not be stored. */
  isOver: false,
  /** The last transaction that stores progress. The next one waits for it, so that they commit in order. */
  keeping: Promise.resolve() as Promise<unknown>,
})

/** Sends one page of events. Returns whether there is another page. */
async function sendPage(turn: Turn): Promise<boolean> {
  const { app, webhook, wanted, progress } = turn
  const { company_id: companyId } = webhook
  const answering = await findAnswering(turn)
  if (!answering) return false
  const records = recordsOfEvents(wanted)
  const ask = { companyId, after: progress.cursor, records, limit: windowMax, lacks: answering.lacks }
  const { events, next, more, epoch, isGone } = await readEvents(app.database, ask)
  // The receiver may have got changes that this log lacks, or missed some that it no longer has.
  if (epoch > webhook.log_epoch || isGone) await app.database.read(markResync(turn.held, epoch, app.clock.now()))
  const placed = events.map(({ change, cursor }) => ({
    ...{ id: change.id, cursor },
    isWanted: wanted.includes(change.event),
  }))
  const toSend = events.filter(({ change }) => wanted.includes(change.event))
  await sendAll(turn, toSend, placed)
  await turn.keeping
  if (turn.isOver) return false

  const passed = passArrived(turn.progress, placed)
  const last = placed.at(-1)
  const isThrough = last === undefined || isSame(passed.cursor, last.cursor)
  // Moves past the changes after the last event that are not sent. Otherwise they would be read again for ever.
  const behind = isThrough ? { ...passed, cursor: next } : passed
  await keep(turn, readsAgain(behind, app.clock.now(), turn.rules))
  return isThrough && more
}

/**
 * Returns the permissions of fields that the endpoint's account lacks. The fields that they open are not sent.
 * Disables the endpoint and returns undefined if the account has lost a right that the endpoint needs. Only an older
 * process beside this one, or a change in the database itself, leaves such an endpoint enabled.
 */
async function findAnswering({ app, webhook, held }: Turn): Promise<{ lacks: LackedRights } | undefined> {
  const { company_id: companyId, account_id: accountId, events } = webhook
  if (accountId === null) return { lacks: null }
  const [account] = await app.database.read<AccountRow>(findAccount(companyId, accountId))
  const detail = account ? rightLost(account, events) : accountDisabled
  if (account && detail === null) return { lacks: lackedRights(account.permissions) }
  const disabling = { reason: 'rights', detail, now: app.clock.now() } as const
  await app.database.transaction((transaction) => giveUp(transaction, held, disabling))
  return undefined
}

async function giveUp(transaction: Transaction, held: Claim, disabling: DisableRequest): Promise<void> {
  const given = await transaction.run(giveUpWebhook(held, disabling))
  if (given.length === 0) return
  const note = { records: 'webhook_endpoints', recordId: held.id, action: `gave_up_${disabling.reason}`, changes: null }
  await transaction.run(appendAudit(createServiceActor(held.companyId), note))
}

/**
 * Sends events one after the other if their order counts, else several at once. Stops after a failure, unless a later
 * event has arrived and the order is free. The turn is over if an attempt cannot be stored. Then throws the reason once
 * the other attempts have ended: a destination closed during an attempt would count as a failure of the receiver.
 */
async function sendAll(turn: Turn, events: readonly Event[], placed: readonly PositionedEvent[]): Promise<void> {
  const { app, rules } = turn
  const queue = events.values()
  const isHeldUp = (): boolean =>
    mustEnd(turn) || (turn.hasFailed && (rules.ordered || turn.progress.failing_since !== null))
  const work = async (): Promise<void> => {
    for (const event of queue) {
      if (isHeldUp()) return
      const { id } = event.change
      if (isDue(turn.progress, id, app.clock.now())) await send(turn, event, placed)
      else if (rules.ordered && turn.progress.pending[id] !== 'arrived') return
    }
  }
  const workers = rules.ordered || turn.progress.failing_since !== null ? 1 : atOnceMax
  const ends = await Promise.allSettled(
    Array.from({ length: workers }, () =>
      work().catch((error: unknown) => {
        turn.isOver = true
        throw error
      }),
    ),
  )
  const broken = ends.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason
}

async function send(turn: Turn, event: Event, placed: readonly PositionedEvent[]): Promise<void> {
  const { app, webhook, target, cutOff, rules } = turn
  const sent = eventToSend(event, webhook.payload)
  const { row, answerHeaders } = await attempt(app, target, sent, { byHand: false, signal: cutOff })
  // Our own cut-off is no failure of the receiver. The event may have arrived or not, so it is sent again.
  if (cutOff.aborted && row.status === null) return
  const now = app.clock.now()
  const outcome = {
    arrived: hasArrived(row),
    retryAfter: retryAfter(row.status, answerHeaders['retry-after'], now, rules),
  }
  turn.progress = passArrived(afterAttempt(turn.progress, { id: sent.id, outcome, now, rules }), placed)
  turn.hasFailed ||= !outcome.arrived
  app.metrics.webhookTried(outcome.arrived)
  await keep(turn, turn.progress, row)
}

/** Stores the attempt and the progress of the endpoint in one transaction, if the claim still holds. */
function keep(turn: Turn, progress: Progress, row?: AttemptRow): Promise<void> {
  const { app, held } = turn
  turn.progress = progress
  const kept = async (): Promise<void> => {
    const at = app.clock.elapsed()
    const reason = row && whyGivenUp(app, progress, row)
    const isOurs = await app.database.transaction(async (transaction) => {
      if (row) transaction.send(insertAttempt(row))
      const rows = await transaction.run(settleWebhook(held, progress, leaseSeconds(app)))
      if (rows.length === 0) return false
      if (reason === undefined) return true
      await giveUp(transaction, held, { reason, detail: null, now: app.clock.now() })
      return false
    })
    if (isOurs) turn.renew(at)
    else turn.isOver = true
  }
  const keeping = turn.keeping.then(kept)
  turn.keeping = keeping.catch(() => undefined)
  return keeping
}

/**
 * Returns the reason to disable the endpoint: its answer is 410, or nothing has arrived for days. No event is lost,
 * because the cursor stays.
 */
function whyGivenUp({ config, clock }: App, progress: Progress, row: AttemptRow): DisableReason | undefined {
  if (row.status === goneStatus) return 'gone'
  const since = progress.failing_since?.getTime() ?? Number.POSITIVE_INFINITY
  return clock.now().getTime() - since >= config.webhookFailingDays * dayMilliseconds ? 'failing' : undefined
}

const goneStatus = 410
const busyStatuses: readonly (number | null)[] = [429, 503]

/** Returns the milliseconds that a busy receiver asks to wait, at most the longest pause between attempts. */
function retryAfter(status: number | null, text: string | undefined, now: Date, { retrySeconds }: Rules) {
  if (text === undefined || !busyStatuses.includes(status)) return undefined
  const wanted = /^\d{1,9}$/.test(text) ? 1000 * Number(text) : Date.parse(text) - now.getTime()
  return Number.isNaN(wanted) ? undefined : Math.min(Math.max(wanted, 1000), 1000 * Math.max(...retrySeconds))
}

const mustEnd = ({ app, begun, ending, cutOff, isOver }: Turn): boolean =>
  isOver || ending.aborted || cutOff.aborted || app.clock.elapsed() - begun > app.config.webhookTimeout

const progressOf = (webhook: EndpointRow): Progress => {
  const { pending, paused_until, next_attempt_at, failing_since } = webhook
  return { cursor: cursorOf(webhook), pending, paused_until, next_attempt_at, failing_since }
}
