import type { Json } from '#registry/json.ts'
import { Refusal, refusals } from '#registry/refusals.ts'
import type { Statement } from '#sql/statement.ts'
import { type AnswerRow, claimKey } from '#sql/system/answers.ts'
import {
  type BatchAnswerRow,
  batchAnswer,
  batchAnswers,
  forgetBatchAnswers,
  lockBatch,
  storeBatchAnswer,
} from '#sql/system/batch-answers.ts'
import { type BeginRow, beginWrite } from '#sql/system/begin-write.ts'
import type { CallerAsk, CallerRow } from '#sql/system/caller.ts'
import { type CallRow, settleCall } from '#sql/system/calls.ts'
import { endWrite } from '#sql/system/end-write.ts'
import { passGate, takeValuesOfCall } from '#sql/system/locks.ts'
import { newWriteId } from '../service/actor.ts'
import type { Prefetched } from '../service/command.ts'
import { Fault, violatedIndex } from '../store/faults.ts'
import { type Answer, refusalAnswer, replyOf, writeIdHeader } from './answer.ts'
import type { App } from './app.ts'
import { authorize } from './authorize.ts'
import { authorized, enforceRateLimit } from './authorized.ts'
import type { Call, Reply } from './call.ts'
import { callRow, settledRow } from './call-log.ts'
import { earlierAnswer, type Key, keptAnswer, lockOfBatch } from './claim-key.ts'
import type { Series } from './handler.ts'
import { keepDetails } from './keep-details.ts'
import { orRefusal, orThrow } from './refused.ts'

/**
 * A write whose operations have a transaction each. The first transaction binds the key and logs the call as one whose
 * outcome is not known; then each operation is done together with its answer, so that a retry does what is left, whatever
 * ended the call before it. The last one notes what the call was answered. Decisions, Batch, Call log.
 */
export async function runSeries(app: App, call: Call, asked: Asked): Promise<Reply> {
  const begun = await begin(app, call, asked)
  const { caller } = begun
  if ('refused' in begun) return told(app, call, asked, caller, begun.refused)
  const { texts, writeId, earlier, row } = begun
  const { length } = asked.series
  const textOf = (n: number): string => texts.get(n) as string
  const wasWhole = texts.size === length
  const answerWith = (n: number, text: string): Answer =>
    asked.series.say(Array.from({ length }, (_, each) => (each === n ? text : textOf(each))))
  try {
    for (let n = 0; n < length; n++) {
      if (texts.has(n)) continue
      const settle =
        texts.size + 1 < length
          ? undefined
          : (text: string): Statement => settleCall(settledRow(app, call, row, answerWith(n, text)))
      const text = await orUnknown(texts.size > 0, () => part(app, call, { ...asked, n, textOf, writeId, settle }))
      texts.set(n, text)
    }
  } catch (error) {
    await settleFailure(app, call, asked, { caller, row, error })
    throw error
  }
  const answer = asked.series.say(Array.from({ length }, (_, n) => textOf(n)))
  const headers = { ...answer.headers, [writeIdHeader]: writeId, ...(wasWhole ? earlier?.headers : {}) }
  return told(app, call, asked, caller, { ...answer, headers })
}

/** The reply, which is kept beside what was asked. */
function told(app: App, call: Call, { ask, sent }: Asked, caller: CallerRow, answer: Answer): Reply {
  const reply = replyOf(answer)
  keepDetails(app, call, ask, caller, { outcome: { ...answer, headers: reply.headers }, sent })
  return reply
}

type Asked = { ask: CallerAsk; key: Key | undefined; series: Series; sent: Json | undefined }

/**
 * Notes that the call broke off, and with what it was answered. Where that cannot be noted, or is not known, the log goes
 * on saying that the outcome is not known.
 */
async function settleFailure(
  app: App,
  call: Call,
  { ask, sent }: Asked,
  { caller, row, error }: { caller: CallerRow; row: CallRow; error: unknown },
): Promise<void> {
  if (error instanceof Fault && error.code === 'outcome_unknown') return
  const refusal = error instanceof Refusal ? error : new Refusal(error instanceof Fault ? error.code : 'internal_error')
  const answer = refusalAnswer(refusal, call.requestId, app.config.publicUrl)
  if (error instanceof Refusal) keepDetails(app, call, ask, caller, { outcome: error, sent })
  await app.database
    .transaction(async (transaction) => transaction.send(settleCall(settledRow(app, call, row, answer))), call.share)
    .catch(() => undefined)
}

/** What has been done under the key before; nothing of it is done again. `row` is the call as it is logged. */
type Begun = {
  caller: CallerRow
  texts: Map<number, string>
  writeId: string
  earlier: Answer | undefined
  row: CallRow
}

const begin = (
  app: App,
  call: Call,
  { ask, key, series, sent }: Asked,
): Promise<Begun | { caller: CallerRow; refused: Answer }> =>
  app.database.transaction(async (transaction) => {
    transaction.send(passGate(ask.companyId))
    const [[claim], [begun]] = await Promise.all([
      key ? transaction.run<{ claimed: boolean }>(claimKey(key, ask)) : [],
      transaction.run<BeginRow<Prefetched>>(beginWrite(ask, key, null)),
    ])
    const caller = authorized(app, call, ask, begun, sent)
    enforceRateLimit(app, call, ask, caller)
    const { companyId } = ask
    const logged = (answer: Answer) => callRow(app, call, ask, caller, answer, { dryRun: false, rows: series.length })

    const earlier = orRefusal(() => key && earlierAnswer(key, claim?.claimed, begun as AnswerRow))
    if (earlier instanceof Refusal) {
      const refused = refusalAnswer(earlier, call.requestId, app.config.publicUrl)
      transaction.send(endWrite(logged(refused), undefined))
      return { caller, refused }
    }
    const done = key && earlier ? await transaction.run<BatchAnswerRow>(batchAnswers(companyId, key.key)) : []
    if (key && !earlier) transaction.send(forgetBatchAnswers(companyId, key.key))
    const writeId = earlier?.headers[writeIdHeader] ?? newWriteId()
    const headers = { [writeIdHeader]: writeId }
    const taken: Answer = { status: 200, code: null, headers, body: '', replayed: earlier !== undefined }
    const texts = new Map(done.map(({ n, body }) => [n, body]))
    const row = logged(texts.size === series.length ? taken : { ...taken, ...unknown })
    transaction.send(endWrite(row, key && keptAnswer(key, taken, call.requestId)))
    return { caller, texts, writeId, earlier, row }
  }, call.share)

/** Until the last operation is done. */
const unknown = { status: refusals.outcome_unknown.status, code: 'outcome_unknown' } as const

/** `settle` notes the answer of the call; only the last operation has it. */
type Part = Asked & {
  n: number
  textOf: (n: number) => string
  writeId: string
  settle: ((text: string) => Statement) | undefined
}

/** One operation and its answer. The caller is checked with each: a token that is revoked meanwhile does no more. */
async function part(app: App, call: Call, asked: Part): Promise<string> {
  const { ask, key, series, n, textOf, writeId, settle } = asked
  const { companyId } = ask
  const work = orRefusal(() => series.part(n, textOf))
  try {
    return await app.database.transaction(async (transaction) => {
      transaction.send(passGate(companyId))
      if (key) transaction.send(lockBatch(lockOfBatch(companyId, key.key)))
      const locks = work instanceof Refusal ? [] : (work.locks ?? [])
      if (locks.length > 0) transaction.send(takeValuesOfCall(ask, undefined, locks))
      const [[earlier], [begun]] = await Promise.all([
        key ? transaction.run<BatchAnswerRow>(batchAnswer(companyId, key.key, n)) : [],
        transaction.run<BeginRow<Prefetched>>(
          beginWrite(ask, undefined, work instanceof Refusal ? null : work.prefetch),
        ),
      ])
      const end = (text: string): string => {
        if (settle) transaction.send(settle(text))
        return text
      }
      if (earlier) return end(earlier.body)
      call.share.report(begun?.live === true)
      // The call has its row, which says in the end what it was refused for.
      const caller = authorize(begun)
      const actor = {
        companyId,
        accountId: caller.account_id,
        tokenId: caller.token_id,
        channel: 'api',
        writeId,
        requestId: call.requestId,
        idempotencyKey: key?.key,
      } as const
      const text = await orTold(
        () => orThrow(work).execute(transaction, actor, begun?.seen ?? null),
        (refusal) => series.refused(n, refusal),
      )
      if (key) transaction.send(storeBatchAnswer(companyId, key.key, { n, body: text }))
      return end(text)
    }, call.share)
  } catch (error) {
    // A refusal that had to undo lost the lock of the batch, and a retry was quicker.
    if (violatedIndex(error) === 'batch_answers_pkey') return part(app, call, asked)
    throw error
  }
}

async function orTold(work: () => Promise<string>, tell: (refusal: Refusal) => string): Promise<string> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return tell(error)
    throw error
  }
}

/** Once something was done, a failure of a dependency leaves it open what: the retry with the key settles it. */
async function orUnknown<T>(isBegun: boolean, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isBegun && error instanceof Fault ? new Fault('outcome_unknown', error) : error
  }
}
