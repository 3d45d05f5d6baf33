import type { Json } from '#registry/json.ts'
import { Refusal } from '#registry/refusals.ts'
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
import { endWrite } from '#sql/system/end-write.ts'
import { newWriteId } from '../service/actor.ts'
import type { Prefetched } from '../service/command.ts'
import { Fault, violatedIndex } from '../store/faults.ts'
import { type Answer, refusalAnswer, replyOf, writeIdHeader } from './answer.ts'
import type { App } from './app.ts'
import { authorized, enforceRateLimit } from './authorized.ts'
import type { Call, Reply } from './call.ts'
import { callRow } from './call-log.ts'
import { earlierAnswer, type Key, keptAnswer, lockOfBatch } from './claim-key.ts'
import type { Series } from './handler.ts'
import { keepDetails } from './keep-details.ts'
import { orRefusal, orThrow } from './refused.ts'

/**
 * A write whose operations have a transaction each. The first transaction binds the key and logs the call; then each
 * operation is done together with its answer, so that a retry does what is left, whatever ended the call before it.
 * Decisions, Batch.
 */
export async function runSeries(app: App, call: Call, asked: Asked): Promise<Reply> {
  const begun = await begin(app, call, asked)
  const { caller } = begun
  if ('refused' in begun) return told(app, call, asked, caller, begun.refused)
  const { texts, writeId, earlier } = begun
  const { length } = asked.series
  const textOf = (n: number): string => texts.get(n) as string
  const wasWhole = texts.size === length
  for (let n = 0; n < length; n++) {
    if (texts.has(n)) continue
    texts.set(n, await orUnknown(texts.size > 0, () => part(app, call, { ...asked, n, textOf, writeId })))
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

/** What has been done under the key before; nothing of it is done again. */
type Begun = { caller: CallerRow; texts: Map<number, string>; writeId: string; earlier: Answer | undefined }

const begin = (
  app: App,
  call: Call,
  { ask, key, series, sent }: Asked,
): Promise<Begun | { caller: CallerRow; refused: Answer }> =>
  app.database.transaction(async (transaction) => {
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
    transaction.send(endWrite(logged(taken), key && keptAnswer(key, taken, call.requestId)))
    const texts = new Map(done.map(({ n, body }) => [n, body]))
    return { caller, texts, writeId, earlier }
  }, call.share)

type Part = Asked & { n: number; textOf: (n: number) => string; writeId: string }

/** One operation and its answer. The caller is checked with each: a token that is revoked meanwhile does no more. */
async function part(app: App, call: Call, asked: Part): Promise<string> {
  const { ask, key, series, n, textOf, writeId } = asked
  const { companyId } = ask
  const work = orRefusal(() => series.part(n, textOf))
  try {
    return await app.database.transaction(async (transaction) => {
      const [, [earlier], [begun]] = await Promise.all([
        key ? transaction.run(lockBatch(lockOfBatch(companyId, key.key))) : [],
        key ? transaction.run<BatchAnswerRow>(batchAnswer(companyId, key.key, n)) : [],
        transaction.run<BeginRow<Prefetched>>(
          beginWrite(ask, undefined, work instanceof Refusal ? null : work.prefetch),
        ),
      ])
      if (earlier) return earlier.body
      const caller = authorized(app, call, ask, begun)
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
      return text
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
