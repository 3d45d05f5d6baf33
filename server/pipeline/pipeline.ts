import { readQuery } from '#derive/query.ts'
import { permission } from '#registry/permissions.ts'
import { Refusal } from '#registry/refusals.ts'
import { type CallerAsk, type CallerRow, holdsScope, selectCaller } from '#sql/system/caller.ts'
import { insertCalls } from '#sql/system/calls.ts'
import { readHeaders } from '../http/protocol/headers.ts'
import { newWriteId } from '../service/actor.ts'
import type { Transaction } from '../store/database.ts'
import { runWrite } from '../writes/run-write.ts'
import { type Answer, refusalAnswer, replyOf, withRecord } from './answer.ts'
import type { App } from './app.ts'
import { askedOf, readToken } from './authorize.ts'
import { actorOf, authorized, callerOf, enforceRateLimit } from './authorized.ts'
import type { Call, Reply, Wait } from './call.ts'
import { callRow, logCallLater } from './call-log.ts'
import { keyOfCall } from './claim-key.ts'
import { conclude } from './conclude.ts'
import type { Read, Wanted, Write, WriteCommand } from './handler.ts'
import { keepDetails } from './keep-details.ts'
import { readIntent, readIntroduction } from './read-intent.ts'
import { orRefusal, orThrow } from './refused.ts'
import { runSeries } from './run-series.ts'

/**
 * The straight line of every call: token → caller → address → scope → add-on → rate → headers → what is asked → the answer.
 * A refusal is thrown where it is decided; the order of the lines is the order of refusals. Decisions, Errors.
 *
 * Of a read it is one statement, one round trip: the caller and what is wanted come together; then it is decided who
 * gets it.
 */
export async function answerRead(app: App, call: Call, read: Read, wait: Wait): Promise<Reply> {
  const ask = readToken(call)
  const headers = orRefusal(() => readHeaders(call.rawHeaders, false))
  const wanted = orRefusal(() => {
    orThrow(headers)
    return read(call, readQuery(call.query, call.route))
  })
  const statement = wanted instanceof Refusal ? selectCaller(ask) : wanted.statement(ask, app.config)
  const first = await readRow(app, call, ask, statement)
  const waits = wanted instanceof Refusal ? undefined : wanted.waits
  const caller = waits ? await rowAfterWaiting(app, call, ask, { first, statement, waits, wait }) : first
  const reply = orRefusal(() => orThrow(wanted).reply(caller, orThrow(headers)))
  logCallLater(app, call, ask, caller, { outcome: reply, counted: true })
  keepDetails(app, call, ask, caller, { outcome: reply })
  return orThrow(reply)
}

/** The caller, with what is wanted beside it. */
async function readRow(app: App, call: Call, ask: CallerAsk, statement: Asked): Promise<CallerRow> {
  const [row] = await app.database.read<CallerRow>(statement, call.share)
  const caller = authorized(app, call, ask, row)
  enforceRateLimit(app, call, ask, caller)
  return caller
}

type Asked = ReturnType<Wanted['statement']>
type Waiting = { first: CallerRow; statement: Asked; waits: NonNullable<Wanted['waits']>; wait: Wait }

/** What is there once there is something to tell, or at the end of the time; the caller is looked at each time, too. */
async function rowAfterWaiting(app: App, call: Call, ask: CallerAsk, { first, statement, waits, wait }: Waiting) {
  let caller = first
  for (let goesOn = true; goesOn; ) {
    const asked = waits(caller)
    const left = asked ? asked.seconds * 1000 - (app.clock.elapsed() - call.startedAt) : 0
    if (!asked || left <= 0) return caller
    goesOn = await wait(ask.companyId, asked.seen, left)
    caller = await readRow(app, call, ask, statement)
  }
  return caller
}

/** The same of a write, in one transaction. */
export async function answerWrite(app: App, call: Call, write: Write): Promise<Reply> {
  const shown = readToken(call)
  const intent = orRefusal(() => readIntent(call))
  const work = orRefusal(() => write(shown.companyId, call, orThrow(intent)))
  const isRead = !(intent instanceof Refusal)
  const ask = isRead ? askedOf(shown, call.route, intent.body) : shown
  const [dryRun, sent] = isRead ? [intent.dryRun, intent.body] : [false, undefined]
  const { rows, series, locks, prefetch } = work instanceof Refusal ? ({} as Partial<WriteCommand>) : work
  // A dry-run never reads, claims or stores a key. Decisions, Idempotency.
  const key = isRead && !dryRun ? intent.idempotencyKey : undefined
  const keys = key !== undefined && isRead ? keyOfCall(ask.companyId, key, call, intent) : undefined
  if (series && !dryRun) return runSeries(app, call, { ask, keys, series, sent })

  const writeId = newWriteId()
  const { answer, who: caller } = await runWrite<CallerRow, Answer>(app.database, {
    caller: callerOf(app, call, ask, sent),
    keys,
    dryRun,
    work: {
      locks,
      prefetch,
      async execute(transaction, caller, seen) {
        const actor = actorOf(ask, call, caller, { writeId, key })
        const [done, isShown] = await Promise.all([
          orThrow(work).execute(transaction, actor, seen),
          isRead && !dryRun && intent.prefersRecord && mayReadRecord(transaction, ask, call),
        ])
        const answer = await conclude(app, transaction, { actor, call, intent: orThrow(intent) }, done)
        return { ...answer, record: isShown ? answer.record : undefined }
      },
    },
    refuse: (refusal) => refusalAnswer(refusal, call.requestId, app.config.publicUrl),
    note: (caller, answer) => [insertCalls([callRow(app, call, ask, caller, answer, { dryRun, rows })])],
  })
  keepDetails(app, call, ask, caller, { outcome: { ...answer, headers: replyOf(answer).headers }, sent })
  return replyOf(withRecord(answer))
}

/** Whether the caller could fetch the record that the call writes. */
async function mayReadRecord(transaction: Transaction, ask: CallerAsk, { route }: Call): Promise<boolean> {
  if (!route.definition) return false
  const [row] = await transaction.run<{ holds: boolean }>(holdsScope(ask, permission(route.definition.name, 'VIEW')))
  return row?.holds === true
}

/**
 * Looks at the caller of a write before its body is received: refused as in the pipeline, or known. Whether the body is
 * needed at all: where headers or parameters are refused, the pipeline says so without it.
 */
export async function admit(app: App, call: Call): Promise<boolean> {
  const ask = readToken(call)
  const [row] = await app.database.read<CallerRow>(selectCaller(ask))
  authorized(app, call, ask, row)
  return !(orRefusal(() => readIntroduction(call)) instanceof Refusal)
}
