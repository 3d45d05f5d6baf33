import { readQuery } from '#derive/query.ts'
import { orRefusal, orThrow, Refusal } from '#registry/refusals.ts'
import { type CallerRow, selectCaller } from '#sql/system/caller.ts'
import { readHeaders } from '../protocol/headers.ts'
import { groupedBodyMax } from '../writes/group.ts'
import { type AdmittedCall, enforceRateLimit, requireAuthorized, type TokenCall } from './admitted-call.ts'
import type { App } from './app.ts'
import { askedOf, readToken } from './authorize.ts'
import type { Call, Wait } from './call.ts'
import { logCallLater } from './call-log.ts'
import type { PlannedRead, ReadStep, Write } from './handler.ts'
import { keepDetails } from './keep-details.ts'
import { isFinal, readIntent, readIntroduction } from './read-intent.ts'
import type { CallResponse } from './response.ts'
import { runSeries } from './run-series.ts'
import { createCallWrite, memberOf, writeAlone } from './write-call.ts'

/**
 * Answers a read. The steps of every call are: token → caller → address → scope → add-on → rate → headers → request →
 * response. A refusal is thrown where it is decided; the order of the lines is the order of refusals. Decisions,
 * Errors.
 * A read is one statement and one round trip: it returns the caller with the rows, and they are shown only if the
 * caller may see them.
 */
export async function answerRead(app: App, call: Call, read: ReadStep, wait: Wait): Promise<CallResponse> {
  const ask = readToken(call)
  const headers = orRefusal(() => readHeaders(call.rawHeaders, false))
  const planned = orRefusal(() => {
    orThrow(headers)
    return read(call, readQuery(call.query, call.route), { ask, config: app.config })
  })
  const statements = planned instanceof Refusal ? { statement: selectCaller(ask) } : planned
  const admitted = await readCaller({ app, call, ask }, statements, wait)
  const response = orRefusal(() => orThrow(planned).reply(admitted.caller, orThrow(headers)))
  logCallLater(admitted, response, true)
  keepDetails(admitted, response)
  return orThrow(response)
}

type StatementOfRead = Pick<PlannedRead, 'statement' | 'waits'>

/**
 * Returns the authorized call, with the columns of the read beside its caller. A read that waits is repeated until there
 * is something new, or its time has passed. The caller is checked each time.
 */
async function readCaller(read: TokenCall, { statement, waits }: StatementOfRead, wait: Wait): Promise<AdmittedCall> {
  const { app, call, ask } = read
  for (let goesOn = true; ; ) {
    const [row] = await app.database.read<CallerRow>(statement, call.share)
    const admitted = requireAuthorized(read, row)
    enforceRateLimit(admitted)
    const pause = goesOn ? waits?.(admitted.caller) : undefined
    const left = pause ? pause.seconds * 1000 - (app.clock.elapsed() - call.startedAt) : 0
    if (!pause || left <= 0) return admitted
    goesOn = await wait(ask.companyId, pause.seen, left)
  }
}

/**
 * Answers a write in one transaction: the checks of `answerRead` in their order, then the work. A create or an update
 * of a record may share its transaction with others of its caller. Decisions, Groups.
 */
export async function answerWrite(app: App, call: Call, write: Write): Promise<CallResponse> {
  const token = readToken(call)
  const intent = orRefusal(() => readIntent(call))
  const command = orRefusal(() => write(token.companyId, call, orThrow(intent)))
  const isParsed = !(intent instanceof Refusal)
  const ask = isParsed ? askedOf(token, call.route, intent.body) : token
  const body = isParsed ? intent.body : undefined
  const callWrite = createCallWrite({ app, call, ask, body }, intent, command)
  const { series, row } = command instanceof Refusal ? {} : command
  if (series && !callWrite.dryRun) return runSeries(callWrite, series)
  const bytes = call.body === 'too large' ? 0 : call.body.bytes.length
  if (!row || !isParsed || !isFinal(intent) || bytes > groupedBodyMax) return writeAlone(callWrite)
  return app.groups.run(memberOf({ ...callWrite, row }, bytes))
}

/**
 * Checks the caller of a write before its body is received, with the refusals of the pipeline. Returns whether the body
 * is needed. It is not if headers or parameters are refused: the pipeline refuses them without it.
 */
export async function admit(app: App, call: Call): Promise<boolean> {
  const ask = readToken(call)
  const [row] = await app.database.read<CallerRow>(selectCaller(ask))
  requireAuthorized({ app, call, ask }, row)
  return !(orRefusal(() => readIntroduction(call)) instanceof Refusal)
}
