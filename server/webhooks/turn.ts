import { type LackedRights, lackedRights } from '#derive/visible.ts'
import { accountDisabled, type DisableReason, feedEvents, recordsOfEvent } from '#registry/webhooks.ts'
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

/** Events of an endpoint that are under way at once, where they may arrive in any order. */
const atOnceMax = 4
const dayMilliseconds = 24 * 3600 * 1000

/** The seconds for which a claim holds without a sign of life: longer than an attempt and what is done after it. */
export const leaseSeconds = ({ config }: App): number => Math.max(2, (3 * config.webhookTimeout) / 1000)

export type TakenWebhook = { webhook: ClaimedRow; claim: string; ending: AbortSignal; cutOff: AbortSignal }

/** A turn of an endpoint while it goes on. */
type Turn = {
  app: App
  webhook: EndpointRow
  /** The events that it is told of. */
  wanted: readonly string[]
  held: Claim
  rules: Rules
  target: Target
  /** Nothing more is begun. */
  ending: AbortSignal
  /** What is under way is let go of. */
  cutOff: AbortSignal
  begun: number
  progress: Progress
  hasFailed: boolean
  /** The claim is lost, or the endpoint has been given up. */
  isOver: boolean
  /** What is kept is kept in its order. */
  keeping: Promise<unknown>
}

/**
 * Sends to one claimed endpoint what is due, for as long as one attempt may take, so that all have their turn. What is
 * kept is kept only while the claim holds; no connection to the database is held while an answer is waited for.
 */
export async function takeTurn(app: App, { webhook, claim, ending, cutOff }: TakenWebhook): Promise<void> {
  const held = { companyId: webhook.company_id, id: webhook.id, claim }
  const target = await openTarget(app, webhook)
  const turn: Turn = {
    ...{ app, webhook, wanted: feedEvents(webhook.events, webhook.add_ons), held, target, ending, cutOff },
    ...{ begun: app.clock.elapsed(), progress: progressOf(webhook) },
    rules: { ordered: webhook.ordered, retrySeconds: app.config.webhookRetrySeconds },
    ...{ hasFailed: false, isOver: false, keeping: Promise.resolve() },
  }
  try {
    while (!mustEnd(turn) && (await sendPage(turn))) {
      // The next page.
    }
  } finally {
    target.destination.close()
  }
  await app.database.read(releaseWebhook(held))
}

/** Whether there is another page behind this one. */
async function sendPage(turn: Turn): Promise<boolean> {
  const { app, webhook, wanted, progress } = turn
  const { company_id: companyId } = webhook
  const answering = await findAnswering(turn)
  if (!answering) return false
  const records = [...new Set(wanted.map(recordsOfEvent))]
  const ask = { companyId, after: progress.cursor, records, limit: windowMax, lacks: answering.lacks }
  const { events, next, more, epoch, isGone } = await readEvents(app.database, ask)
  // The receiver may know of changes that this log does not have.
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
  // What is not told, behind the last event, is passed too; else it would be looked at for ever.
  const behind = isThrough ? { ...passed, cursor: next } : passed
  await keep(turn, readsAgain(behind, app.clock.now(), turn.rules))
  return isThrough && more
}

/**
 * Returns the permissions of fields that the account lacks which answers for the endpoint: what they open is not sent.
 * Switches the endpoint off, and returns nothing, where the account has lost a right without that being said here: by an
 * older process beside this one, or in the database itself.
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
 * Sends in order one after the other, else several at once; none after a failure, unless something has arrived since.
 * Where one cannot be kept the turn is over; it throws the reason when the others have ended too, because whoever
 * closes the destination under a delivery would make it a failure of the receiver.
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
  // That is no failure of the receiver. Whether it has arrived is not known, so it is sent again.
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

/** In one transaction what was tried and how far that has brought the endpoint, while the claim holds. */
function keep(turn: Turn, progress: Progress, row?: AttemptRow): Promise<void> {
  const { app, held } = turn
  turn.progress = progress
  const kept = async (): Promise<void> => {
    const reason = row && whyGivenUp(app, progress, row)
    const isOurs = await app.database.transaction(async (transaction) => {
      if (row) transaction.send(insertAttempt(row))
      const rows = await transaction.run(settleWebhook(held, progress, leaseSeconds(app)))
      if (rows.length === 0) return false
      if (reason === undefined) return true
      await giveUp(transaction, held, { reason, detail: null, now: app.clock.now() })
      return false
    })
    if (!isOurs) turn.isOver = true
  }
  const keeping = turn.keeping.then(kept)
  turn.keeping = keeping.catch(() => undefined)
  return keeping
}

/** The receiver says that it is gone, or nothing has arrived for days. Nothing is lost by it: the cursor stays. */
function whyGivenUp({ config, clock }: App, progress: Progress, row: AttemptRow): DisableReason | undefined {
  if (row.status === goneStatus) return 'gone'
  const since = progress.failing_since?.getTime() ?? Number.POSITIVE_INFINITY
  return clock.now().getTime() - since >= config.webhookFailingDays * dayMilliseconds ? 'failing' : undefined
}

const goneStatus = 410
const busyStatuses: readonly (number | null)[] = [429, 503]

/** The milliseconds after which a busy receiver wants to be asked again; no more than any pause takes. */
function retryAfter(
  status: number | null,
  text: string | undefined,
  now: Date,
  { retrySeconds }: Rules,
): number | undefined {
  if (text === undefined || !busyStatuses.includes(status)) return undefined
  const wanted = /^\d{1,9}$/.test(text) ? 1000 * Number(text) : Date.parse(text) - now.getTime()
  return Number.isNaN(wanted) ? undefined : Math.min(Math.max(wanted, 1000), 1000 * Math.max(...retrySeconds))
}

const mustEnd = ({ app, begun, ending, isOver }: Turn): boolean =>
  isOver || ending.aborted || app.clock.elapsed() - begun > app.config.webhookTimeout

const progressOf = (webhook: EndpointRow): Progress => {
  const { pending, paused_until, next_attempt_at, failing_since } = webhook
  return { cursor: cursorOf(webhook), pending, paused_until, next_attempt_at, failing_since }
}
