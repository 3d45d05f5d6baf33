import type { JsonObject } from '#registry/json.ts'
import { orRefusal, orThrow, Refusal, refusals } from '#registry/refusals.ts'
import {
  type BatchResponseRow,
  batchAnswer,
  batchAnswers,
  lockBatch,
  storeBatchAnswer,
} from '#sql/system/batch-responses.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import { type CallRow, insertCalls, settleCall } from '#sql/system/calls.ts'
import { Fault, violatedIndex } from '../store/faults.ts'
import { tokenCaller } from '../writes/caller.ts'
import { lockOfBatch, type PartPolicy } from '../writes/idempotency.ts'
import { runWrite, type Write } from '../writes/run-write.ts'
import { type AdmittedCall, actorOf, authorizeCall } from './admitted-call.ts'
import { callRow, settledRow } from './call-log.ts'
import { replayedResponse, storedResponse } from './claim-key.ts'
import type { Series } from './handler.ts'
import { keepDetails } from './keep-details.ts'
import { type CallResponse, refusalResponse, writeIdHeader } from './response.ts'
import type { CallWrite } from './write-call.ts'

/**
 * Runs a write whose operations have a transaction each. The first transaction binds the key, and logs the call with an
 * unknown outcome. Then each operation commits together with its outcome. So a retry does the rest, whatever ended the
 * call before it. The last one logs the response of the call. Decisions, Batch, Call log.
 */
export async function runSeries(write: CallWrite, series: Series): Promise<CallResponse> {
  const { state, who, row } = await beginSeries(write, series)
  const { first, outcomes } = state
  if (first.code !== null) {
    keepDetails(who, first)
    return first
  }
  const { length } = series
  const isReplay = outcomes.size === length
  const writeId = first.headers[writeIdHeader] ?? write.writeId
  try {
    for (let n = 0; n < length; n++) {
      if (outcomes.has(n)) continue
      const isLast = outcomes.size + 1 === length
      const part = { n, writeId, outcomes, row: isLast ? row : undefined }
      outcomes.set(n, await orUnknown(outcomes.size > 0, () => runPart(write, series, part)))
    }
  } catch (error) {
    await settleFailure(who, row, error)
    throw error
  }
  const response = series.respond(Array.from({ length }, (_, n) => outcomes.get(n) as JsonObject))
  const headers = { ...response.headers, [writeIdHeader]: writeId, ...(isReplay ? first.headers : {}) }
  keepDetails(who, { ...response, headers })
  return { ...response, headers }
}

/**
 * Logs that the call broke off, and its response. If that fails, or the outcome is unknown, the log keeps the unknown
 * outcome.
 */
async function settleFailure(admitted: AdmittedCall, row: CallRow, error: unknown): Promise<void> {
  if (error instanceof Fault && error.code === 'outcome_unknown') return
  const { app, call } = admitted
  const refusal = error instanceof Refusal ? error : new Refusal(error instanceof Fault ? error.code : 'internal_error')
  const response = refusalResponse(refusal, call.requestId, app.config.publicUrl)
  if (error instanceof Refusal) keepDetails(admitted, error)
  await app.database
    .transaction(async ({ send }) => send(settleCall(settledRow(admitted, row, response))), call.share)
    .catch(() => undefined)
}

/** The response of the call as it is stored first, and the outcomes of operations, none of which runs again. */
type SeriesState = { first: CallResponse; outcomes: Map<number, JsonObject> }

/** Runs the first transaction. Returns also the logged row of the call. */
async function beginSeries(write: CallWrite, { length }: Series) {
  const { app, call, ask, keys, writeId } = write
  let row: CallRow | undefined
  const { response: state, who } = await runWrite<CallerRow | undefined, AdmittedCall, SeriesState>(
    app.database,
    tokenCaller(ask, call.share),
    {
      admit: write.admit,
      keys: keys && {
        ...keys,
        keep: ({ first }) => (first.code === null ? storedResponse(first, call) : undefined),
        async replay(stored, { run }) {
          const rows = await run<BatchResponseRow>(batchAnswers(ask.companyId, keys.key))
          return { first: replayedResponse(stored), outcomes: new Map(rows.map((one) => [one.n, outcomeIn(one)])) }
        },
      },
      work: {
        async execute() {
          const headers = { [writeIdHeader]: writeId }
          return { first: { status: 200, code: null, headers, body: '' }, outcomes: new Map() }
        },
      },
      refuse: (refusal) => ({
        first: refusalResponse(refusal, call.requestId, app.config.publicUrl),
        outcomes: new Map(),
      }),
    },
    {
      log(responses) {
        return responses.map(({ who, response: { first, outcomes } }) => {
          const isKnown = first.code !== null || outcomes.size === length
          row = callRow(who, isKnown ? first : { ...first, ...unknown }, { dryRun: false, rows: length })
          return insertCalls([row])
        })
      },
    },
  )
  return { state, who, row: row as CallRow }
}

/** The logged outcome until the last operation is done. */
const unknown = { status: refusals.outcome_unknown.status, code: 'outcome_unknown' } as const

/** Only the last part has the logged row of the call, which gets its response. */
type Part = { n: number; writeId: string; outcomes: SeriesState['outcomes']; row: CallRow | undefined }

/**
 * Runs one operation and stores its outcome. The caller is checked each time, so a token that is revoked meanwhile does
 * no more.
 */
async function runPart(write: CallWrite, series: Series, part: Part): Promise<JsonObject> {
  const { app, call, ask, keys } = write
  const { n, writeId, outcomes, row } = part
  const command = orRefusal(() => series.part(n, (earlier) => outcomes.get(earlier) as JsonObject))
  const { locks, prefetch } = command instanceof Refusal ? {} : command
  const operation: Write<CallerRow | undefined, AdmittedCall, JsonObject> = {
    // A refusal here is not logged by itself: the call has its row, which gets its refusal in the end.
    admit: (caller) => authorizeCall(write, caller),
    part: keys && partOf(ask.companyId, keys.key, n),
    work: {
      locks,
      prefetch,
      async execute(transaction, admitted, prefetched) {
        const { execute, respond } = orThrow(command)
        return respond(await execute(transaction, actorOf(admitted, { writeId, key: keys?.key }), prefetched))
      },
    },
    refuse: (refusal) => series.refused(n, refusal),
  }
  const success = { status: call.route.success, code: null }
  try {
    const { response } = await runWrite(app.database, tokenCaller(ask, call.share), operation, {
      log: () => (row ? [settleCall(settledRow(write, row, success))] : []),
    })
    return response
  } catch (error) {
    // A refusal with a rollback loses the lock of the batch, and a retry was faster.
    if (violatedIndex(error) === 'batch_answers_pkey') return runPart(write, series, part)
    throw error
  }
}

const partOf = (companyId: number, key: string, n: number): PartPolicy<JsonObject> => ({
  async find(transaction) {
    transaction.send(lockBatch(lockOfBatch(companyId, key)))
    const [stored] = await transaction.run<BatchResponseRow>(batchAnswer(companyId, key, n))
    return stored && { response: outcomeIn(stored) }
  },
  store: (outcome) => storeBatchAnswer(companyId, key, { n, body: JSON.stringify(outcome) }),
})

const outcomeIn = ({ body }: BatchResponseRow): JsonObject => JSON.parse(body) as JsonObject

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
