import { readQuery } from '#derive/query.ts'
import { orRefusal, orThrow, Refusal } from '#registry/refusals.ts'
import { type CallerRow, selectCaller } from '#sql/system/caller.ts'
import { insertCalls } from '#sql/system/calls.ts'
import { readHeaders } from '../protocol/headers.ts'
import { newWriteId } from '../records/actor.ts'
import { groupedBodyMax } from '../writes/group.ts'
import { runWrite } from '../writes/run-write.ts'
import type { App } from './app.ts'
import { askedOf, readToken, type TokenAsk } from './authorize.ts'
import type { ApiResponse, Call, Wait } from './call.ts'
import { callRow, logCallLater } from './call-log.ts'
import { keyOfCall } from './claim-key.ts'
import { conclude } from './conclude.ts'
import type { PlannedRead, ReadStep, Write, WriteCommand } from './handler.ts'
import { keepDetails } from './keep-details.ts'
import { isFinal, readIntent, readIntroduction } from './read-intent.ts'
import { actorOf, callerOf, enforceRateLimit, requireAuthorized } from './require-authorized.ts'
import { runSeries } from './run-series.ts'
import { refusalAnswer, replyOf, type StoredResponse, withRecord, withTag } from './stored-response.ts'
import { memberOf } from './write-together.ts'

/**
 * Answers a read. The steps of every call are: token → caller → address → scope → add-on → rate → headers → request →
 * response. A refusal is thrown where it is decided; the order of the lines is the order of refusals. Decisions,
 * Errors.
 * A read is one statement and one round trip: it returns the caller with the rows, and they are shown only if the
 * caller may see them.
 */
export async function answerRead(app: App, call: Call, read: ReadStep, wait: Wait): Promise<ApiResponse> {
  const ask = readToken(call)
  const headers = orRefusal(() => readHeaders(call.rawHeaders, false))
  const wanted = orRefusal(() => {
    orThrow(headers)
    return read(call, readQuery(call.query, call.route), { ask, config: app.config })
  })
  const planned = wanted instanceof Refusal ? { statement: selectCaller(ask) } : wanted
  const caller = await readCaller(app, call, ask, planned, wait)
  const reply = orRefusal(() => orThrow(wanted).reply(caller, orThrow(headers)))
  logCallLater(app, call, ask, caller, { outcome: reply, counted: true })
  keepDetails(app, call, ask, caller, { outcome: reply })
  return orThrow(reply)
}

type StatementOfRead = Pick<PlannedRead, 'statement' | 'waits'>

/**
 * Returns the authorized caller, with the columns of the read beside it. A read that waits is repeated until there is
 * something new, or its time has passed. The caller is checked each time.
 */
async function readCaller(app: App, call: Call, ask: TokenAsk, { statement, waits }: StatementOfRead, wait: Wait) {
  for (let goesOn = true; ; ) {
    const [row] = await app.database.read<CallerRow>(statement, call.share)
    const caller = requireAuthorized(app, call, ask, row)
    enforceRateLimit(app, call, ask, caller)
    const asked = goesOn ? waits?.(caller) : undefined
    const left = asked ? asked.seconds * 1000 - (app.clock.elapsed() - call.startedAt) : 0
    if (!asked || left <= 0) return caller
    goesOn = await wait(ask.companyId, asked.seen, left)
  }
}

/**
 * Answers a write in one transaction: the checks of `answerRead` in their order, then the work. A create or an update
 * of a record may share its transaction with others of its caller. Decisions, Groups.
 */
export async function answerWrite(app: App, call: Call, write: Write): Promise<ApiResponse> {
  const shown = readToken(call)
  const intent = orRefusal(() => readIntent(call))
  const work = orRefusal(() => write(shown.companyId, call, orThrow(intent)))
  const isRead = !(intent instanceof Refusal)
  const ask = isRead ? askedOf(shown, call.route, intent.body) : shown
  const [dryRun, sent] = isRead ? [intent.dryRun, intent.body] : [false, undefined]
  const { rows, series, locks, prefetch, row } = work instanceof Refusal ? ({} as Partial<WriteCommand>) : work
  // A dry-run never reads, claims or stores a key. Decisions, Idempotency.
  const key = isRead && !dryRun ? intent.idempotencyKey : undefined
  const keys = key !== undefined && isRead ? keyOfCall(ask.companyId, key, call, intent) : undefined
  const writeId = newWriteId()
  const reply = (caller: CallerRow, answer: StoredResponse): ApiResponse => {
    keepDetails(app, call, ask, caller, { outcome: answer, sent })
    return replyOf(withRecord(answer))
  }
  if (series && !dryRun) return runSeries(app, call, { ask, keys, series, sent, writeId, reply })
  const alone = async (): Promise<ApiResponse> => {
    const { answer, who, tag } = await runWrite<CallerRow, StoredResponse>(app.database, {
      caller: callerOf(app, call, ask, sent),
      keys,
      dryRun,
      work: {
        locks,
        prefetch,
        async execute(transaction, caller, seen) {
          const actor = actorOf(ask, call, caller, { writeId, key })
          const done = await orThrow(work).execute(transaction, actor, seen)
          const answer = await conclude(app, transaction, { actor, call, intent: orThrow(intent) }, done)
          // An empty text is a record whose fields are all withheld from the caller.
          const isShown = isRead && !dryRun && intent.prefersRecord && answer.record !== ''
          return { ...answer, record: isShown ? answer.record : undefined }
        },
      },
      refuse: (refusal) => refusalAnswer(refusal, call.requestId, app.config.publicUrl),
      unread: ({ unread }) => unread,
      note: (caller, answer) => [insertCalls([callRow(app, call, ask, caller, answer, { dryRun, rows })])],
    })
    return reply(who, withTag(answer, tag))
  }
  const bytes = call.body === 'too large' ? 0 : call.body.bytes.length
  if (!row || !isRead || !isFinal(intent) || bytes > groupedBodyMax) return alone()
  return app.groups.run(memberOf({ app, call, ask, keys, writeId, row, reply }, bytes, alone))
}

/**
 * Checks the caller of a write before its body is received, with the refusals of the pipeline. Returns whether the body
 * is needed. It is not if headers or parameters are refused: the pipeline refuses them without it.
 */
export async function admit(app: App, call: Call): Promise<boolean> {
  const ask = readToken(call)
  const [row] = await app.database.read<CallerRow>(selectCaller(ask))
  requireAuthorized(app, call, ask, row)
  return !(orRefusal(() => readIntroduction(call)) instanceof Refusal)
}
