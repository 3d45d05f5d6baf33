import type { Json } from '#registry/json.ts'
import { orRefusal, orThrow, Refusal, refusals } from '#registry/refusals.ts'
import type { Statement } from '#sql/statement.ts'
import {
  type BatchResponseRow,
  batchAnswer,
  batchAnswers,
  lockBatch,
  storeBatchAnswer,
} from '#sql/system/batch-responses.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import { type CallRow, insertCalls, settleCall } from '#sql/system/calls.ts'
import type { Command } from '../records/command.ts'
import { Fault, violatedIndex } from '../store/faults.ts'
import { type KeyPolicy, lockOfBatch } from '../writes/idempotency.ts'
import { runWrite, tokenCaller } from '../writes/run-write.ts'
import type { App } from './app.ts'
import { authorize, type TokenAsk } from './authorize.ts'
import type { ApiResponse, Call } from './call.ts'
import { callRow, settledRow } from './call-log.ts'
import { replayedAnswer, storedAnswer } from './claim-key.ts'
import type { Series } from './handler.ts'
import { keepDetails } from './keep-details.ts'
import { actorOf, callerOf } from './require-authorized.ts'
import { refusalAnswer, type StoredResponse, writeIdHeader } from './stored-response.ts'

/**
 * Runs a write whose operations have a transaction each. The first transaction binds the key, and logs the call with an
 * unknown outcome. Then each operation commits together with its answer. So a retry does the rest, whatever ended the
 * call before it. The last one logs the answer of the call. Decisions, Batch, Call log.
 */
export async function runSeries(app: App, call: Call, asked: SeriesRequest): Promise<ApiResponse> {
  const begun = await begin(app, call, asked)
  const { answer: first, caller, texts, row } = begun
  const { series, reply } = asked
  if (first.code !== null) return reply(caller, first)
  const writeId = first.headers[writeIdHeader] ?? asked.writeId
  const { length } = series
  const textOf = (n: number): string => texts.get(n) as string
  const wasWhole = texts.size === length
  const answerWith = (n: number, text: string): StoredResponse =>
    series.say(Array.from({ length }, (_, each) => (each === n ? text : textOf(each))))
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
  const answer = series.say(Array.from({ length }, (_, n) => textOf(n)))
  const headers = { ...answer.headers, [writeIdHeader]: writeId, ...(wasWhole ? first.headers : {}) }
  return reply(caller, { ...answer, headers })
}

type SeriesRequest = {
  ask: TokenAsk
  keys: KeyPolicy<StoredResponse> | undefined
  series: Series
  sent: Json | undefined
  writeId: string
  /** Returns the reply, and stores the details of the call. */
  reply(caller: CallerRow, answer: StoredResponse): ApiResponse
}

/**
 * Logs that the call broke off, and its answer. If that fails, or the outcome is unknown, the log keeps the unknown
 * outcome.
 */
async function settleFailure(
  app: App,
  call: Call,
  { ask, sent }: SeriesRequest,
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

/** The outcomes of operations that ran under the key before. None of them runs again. */
type SeriesState = { answer: StoredResponse; texts: Map<number, string> }

/** Runs the first transaction. Returns also the logged row of the call. */
async function begin(app: App, call: Call, { ask, keys, series, sent, writeId }: SeriesRequest) {
  const { companyId } = ask
  let row: CallRow | undefined
  const { answer, who: caller } = await runWrite<CallerRow, SeriesState>(app.database, {
    caller: callerOf(app, call, ask, sent),
    keys: keys && {
      ...keys,
      keep: ({ answer }) => (answer.code === null ? storedAnswer(answer, call) : undefined),
      async replay(stored, { run }) {
        const done = await run<BatchResponseRow>(batchAnswers(companyId, keys.key))
        return { answer: replayedAnswer(stored), texts: new Map(done.map(({ n, body }) => [n, body])) }
      },
    },
    work: {
      async execute() {
        const headers = { [writeIdHeader]: writeId }
        return { answer: { status: 200, code: null, headers, body: '' }, texts: new Map() }
      },
    },
    refuse: (refusal) => ({
      answer: refusalAnswer(refusal, call.requestId, app.config.publicUrl),
      texts: new Map(),
    }),
    note(caller, { answer, texts }) {
      const isKnown = answer.code !== null || texts.size === series.length
      const noted = isKnown ? answer : { ...answer, ...unknown }
      row = callRow(app, call, ask, caller, noted, { dryRun: false, rows: series.length })
      return [insertCalls([row])]
    },
  })
  return { ...answer, caller, row: row as CallRow }
}

/** The logged outcome until the last operation is done. */
const unknown = { status: refusals.outcome_unknown.status, code: 'outcome_unknown' } as const

/** `settle` logs the answer of the call; only the last operation has it. */
type Part = SeriesRequest & {
  n: number
  textOf: (n: number) => string
  settle: ((text: string) => Statement) | undefined
}

/**
 * Runs one operation and stores its answer. The caller is checked each time, so a token that is revoked meanwhile does
 * no more.
 */
async function part(app: App, call: Call, asked: Part): Promise<string> {
  const { ask, keys, series, n, textOf, writeId, settle } = asked
  const { companyId } = ask
  const work = orRefusal(() => series.part(n, textOf))
  const { locks, prefetch } = work instanceof Refusal ? ({} as Partial<Command<string>>) : work
  // A refusal here is not logged by itself: the call has its row, which gets its refusal in the end.
  const caller = tokenCaller(ask, call.share, (row) => {
    call.share.report(row?.live === true)
    return authorize(row, ask)
  })
  let earlier: BatchResponseRow | undefined
  try {
    const { answer } = await runWrite<CallerRow, string>(app.database, {
      caller: {
        ...caller,
        async begin(transaction, _key, needs) {
          if (keys) transaction.send(lockBatch(lockOfBatch(companyId, keys.key)))
          const done = keys ? transaction.run<BatchResponseRow>(batchAnswer(companyId, keys.key, n)) : []
          const [[found], begun] = await Promise.all([done, caller.begin(transaction, undefined, needs)])
          earlier = found
          return begun
        },
      },
      work: {
        locks,
        prefetch,
        execute: async (transaction, caller, seen) =>
          earlier?.body ??
          orThrow(work).execute(transaction, actorOf(ask, call, caller, { writeId, key: keys?.key }), seen),
      },
      refuse: (refusal) => series.refused(n, refusal),
      note: (_caller, body) => [
        ...(keys && !earlier ? storeBatchAnswer(companyId, keys.key, { n, body }) : []),
        ...(settle ? [settle(body)] : []),
      ],
    })
    return answer
  } catch (error) {
    // A refusal with a rollback loses the lock of the batch, and a retry was faster.
    if (violatedIndex(error) === 'batch_answers_pkey') return part(app, call, asked)
    throw error
  }
}

/**
 * Runs `work`. Turns a fault into `outcome_unknown` once an operation is done: the retry with the key settles the rest.
 */
async function orUnknown<T>(isBegun: boolean, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isBegun && error instanceof Fault ? new Fault('outcome_unknown', error) : error
  }
}
