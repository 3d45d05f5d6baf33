import { randomUUID } from 'node:crypto'
import { type BeginRow, beginWrite } from '#derive/queries/begin-write.ts'
import { type CallerAsk, type CallerRow, seeCaller } from '#derive/queries/caller.ts'
import { endWrite } from '#derive/queries/end-write.ts'
import { type AnswerRow, claimKey } from '#derive/queries/idempotency.ts'
import { isWrite } from '#derive/routes.ts'
import { Refusal } from '#registry/refusals.ts'
import type { Seen } from '../service/work.ts'
import type { World } from '../world.ts'
import { type Answer, refusalAnswer, replyOf } from './answer.ts'
import type { Call, Reply } from './call.ts'
import { earlierAnswer, keptAnswer, keyOf } from './claim-key.ts'
import { noteLater, noteOf } from './note-call.ts'
import { perform } from './perform.ts'
import { type ReadRow, readWanted, readWithCaller, replyOfRead } from './read.ts'
import { type Headers, readHeaders } from './read-headers.ts'
import { readIntent, readIntroduction } from './read-intent.ts'
import { passGates, readToken } from './see-caller.ts'

/**
 * The straight line of every call: headers → token → caller → address → scope → add-on → rate → what is asked → the answer.
 * A refusal is thrown where it is decided; the order of the lines is the order of refusals. Decisions, Errors.
 */
export async function walk(world: World, call: Call): Promise<Reply> {
  const headers = readHeaders(call.rawHeaders, isWrite(call.route))
  const ask = readToken(headers.authorization, call.route, call.peer)
  return isWrite(call.route) ? write(world, call, headers, ask) : read(world, call, headers, ask)
}

/**
 * Looks at the caller of a write before its body is received: refused as in the walk, or known. Whether the body is
 * needed at all: where parameters or headers are refused, the walk says so without it.
 */
export async function admit(world: World, call: Call): Promise<boolean> {
  const headers = readHeaders(call.rawHeaders, isWrite(call.route))
  const ask = readToken(headers.authorization, call.route, call.peer)
  const [row] = await world.database.read<CallerRow>(seeCaller(ask))
  atTheGates(world, call, ask, row)
  return !(orRefusal(() => readIntroduction(call, headers)) instanceof Refusal)
}

/** One statement, one round trip: the caller and what is wanted come together; then it is decided who gets it. */
async function read(world: World, call: Call, headers: Headers, ask: CallerAsk): Promise<Reply> {
  const wanted = orRefusal(() => readWanted(call))
  const statement = wanted instanceof Refusal ? seeCaller(ask) : readWithCaller(ask, call.route, wanted)
  const [row] = await world.database.read<CallerRow & ReadRow>(statement, call.share)

  const caller = atTheGates(world, call, ask, row)
  underTheLimit(world, call, ask, caller)
  const reply = orRefusal(() => replyOfRead(row as ReadRow, orThrow(wanted), headers))
  noteLater(world, call, ask, caller, { outcome: reply, counted: true })
  return orThrow(reply)
}

/** One transaction: what was done, that it was called, and what a retry will hear stand or fall together. */
async function write(world: World, call: Call, headers: Headers, ask: CallerAsk): Promise<Reply> {
  const intent = orRefusal(() => readIntent(call, headers))
  const work = orRefusal(() => perform(ask.companyId, call, orThrow(intent)))
  const dryRun = !(intent instanceof Refusal) && intent.dryRun
  // A dry-run never reads, claims or stores a key. Decisions, Idempotency.
  const key =
    headers.idempotencyKey === undefined || dryRun || intent instanceof Refusal
      ? undefined
      : keyOf(ask, headers.idempotencyKey, call, intent)

  const writeId = randomUUID()
  return world.database.transaction(async (transaction) => {
    const [[claim], [begun]] = await Promise.all([
      key ? transaction.run<{ claimed: boolean }>(claimKey(key, ask)) : [],
      transaction.run<BeginRow<Seen>>(beginWrite(ask, key, work instanceof Refusal ? null : work.look)),
    ])
    const caller = atTheGates(world, call, ask, begun)
    underTheLimit(world, call, ask, caller)
    const actor = {
      companyId: ask.companyId,
      accountId: caller.account_id,
      tokenId: caller.token_id,
      door: 'api',
      writeId,
      requestId: call.requestId,
      idempotencyKey: dryRun ? undefined : headers.idempotencyKey,
    } as const

    const answer = await answering(world, call, async () => {
      orThrow(intent)
      const earlier = key && earlierAnswer(key, claim?.claimed, begun as AnswerRow)
      return earlier ?? orThrow(work).carryOut(transaction, actor, begun?.seen ?? null)
    })

    if (dryRun) transaction.undo()
    const kept = key && keptAnswer(key, answer, call.requestId)
    transaction.send(endWrite(noteOf(world, call, ask, caller, answer, dryRun), kept))
    return replyOf(answer)
  }, call.share)
}

/** Past the gates, or thrown out; a caller whom we know is noted either way. */
function atTheGates(world: World, call: Call, ask: CallerAsk, row: CallerRow | undefined): CallerRow {
  call.share.tell(row?.live === true)
  const caller = orRefusal(() => passGates(row, call.route))
  if (caller instanceof Refusal && row) noteLater(world, call, ask, row, { outcome: caller, counted: false })
  return orThrow(caller)
}

/** Counts the call against the limit of its token, once, however often its transaction runs. It is neither noted nor kept. */
function underTheLimit({ tokenRates }: World, call: Call, { companyId }: CallerAsk, { token_id }: CallerRow): void {
  if (!tokenRates) return
  call.rate ??= tokenRates.count(companyId, token_id)
  const { exceeded, resetSeconds } = call.rate
  if (exceeded) throw new Refusal('too_many_requests', { headers: { 'Retry-After': String(resetSeconds) } })
}

/** A refusal of work that was begun is an answer too: it is counted, and may be what a retry will hear. */
async function answering(world: World, call: Call, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(error, call.requestId, world.config.publicUrl)
    throw error
  }
}

/** A refusal as a value, for what is read early and judged in its turn. */
function orRefusal<T>(reading: () => T): T | Refusal {
  try {
    return reading()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function orThrow<T>(value: T | Refusal): T {
  if (value instanceof Refusal) throw value
  return value
}
