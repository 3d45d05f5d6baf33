import type { Json } from '#registry/json.ts'
import { orThrow, Refusal } from '#registry/refusals.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import { insertCalls } from '#sql/system/calls.ts'
import { type Actor, newWriteId } from '../records/actor.ts'
import { rowsAmong } from '../records/look-up.ts'
import { concludeWork } from '../records/preview.ts'
import { noneLate, type SetRow, shortSet } from '../records/write-set.ts'
import type { Transaction } from '../store/database.ts'
import { tokenCaller } from '../writes/caller.ts'
import type { GroupedWrite } from '../writes/group.ts'
import { runWrites, type SharedWork, type Write } from '../writes/run-write.ts'
import {
  type AdmittedCall,
  actorOf,
  authorizeCall,
  enforceRateLimit,
  requireAuthorized,
  type TokenCall,
} from './admitted-call.ts'
import type { App } from './app.ts'
import type { Call } from './call.ts'
import { callRow } from './call-log.ts'
import { keyOfCall } from './claim-key.ts'
import type { WriteCommand } from './handler.ts'
import { keepDetails } from './keep-details.ts'
import type { Intent } from './read-intent.ts'
import { type CallResponse, refusalResponse, writeIdHeader } from './response.ts'

/** The writes of /v1: each alone, or several in one transaction. */

export type CallWrite = TokenCall &
  Write<CallerRow | undefined, AdmittedCall, CallResponse> & {
    dryRun: boolean
    /** The number of operations of a batch. */
    rows: number | undefined
    writeId: string
    respond: WriteCommand['respond']
  }

/** A create or an update of a record that may share its transaction with others of its caller. */
export type Member = CallWrite & GroupedWrite<CallResponse> & { row: SetRow }

export function createCallWrite(
  tokenCall: TokenCall,
  intent: Intent | Refusal,
  command: WriteCommand | Refusal,
): CallWrite {
  const { app, call } = tokenCall
  const { dryRun = false, idempotencyKey } = intent instanceof Refusal ? {} : intent
  const { rows, locks, prefetch } = command instanceof Refusal ? {} : command
  // A dry-run never reads, claims or stores a key. Decisions, Idempotency.
  const key = dryRun ? undefined : idempotencyKey
  const keys = key === undefined || intent instanceof Refusal ? undefined : keyOfCall(tokenCall, key, intent)
  const writeId = newWriteId()
  return {
    ...tokenCall,
    ...{ keys, dryRun, rows, writeId },
    respond: (result) => orThrow(command).respond(result),
    admit(row, isFinal) {
      const admitted = isFinal ? requireAuthorized(tokenCall, row) : authorizeCall(tokenCall, row)
      enforceRateLimit(admitted)
      return admitted
    },
    work: {
      locks,
      prefetch,
      async execute(transaction, admitted, prefetched) {
        const { execute, respond } = orThrow(command)
        const actor = actorOf(admitted, { writeId, key })
        const response = respond(await execute(transaction, actor, prefetched))
        return conclude(app, transaction, actor, { call, intent: orThrow(intent) }, response)
      },
    },
    refuse: (refusal) => refusalResponse(refusal, call.requestId, app.config.publicUrl),
    unread: ({ unread }) => unread,
  }
}

/** Adds what lets the write share a transaction. */
export function memberOf(write: CallWrite & { row: SetRow }, bytes: number): Member {
  const { ask, call, keys, row } = write
  const { companyId, tokenHash, peer, scopes, addOns, rights } = ask
  const token = tokenHash.toString('base64')
  const likeness = [token, peer, call.route.id, scopes, addOns, rights.join(), keys !== undefined].join(' ')
  const own = { companyId, likeness, bytes, share: call.share, key: keys?.key, holds: row.holds }
  return { ...write, ...own, alone: () => writeAlone(write) }
}

export async function writeAlone(write: CallWrite): Promise<CallResponse> {
  const [response] = await runCalls([write])
  return response as CallResponse
}

/**
 * Runs the writes of several calls of one caller in one transaction. A call gets no response here unless it simply
 * succeeds: it runs alone then, and is answered there. Decisions, Groups.
 */
export function writeTogether(members: readonly Member[]): Promise<readonly (CallResponse | undefined)[]> {
  const [{ companyId, row }] = members as readonly [Member, ...Member[]]
  const { operation, definition } = row
  const rows = members.map(({ row, writeId, call: { requestId }, key }) => {
    return { ...row.row, by: { writeId, requestId, idempotencyKey: key } }
  })
  const lookUps = members.map(({ row }) => row.lookUp)
  return runCalls(members, {
    prefetch: operation.prefetch(companyId, definition, lookUps, false),
    async execute(transaction, calls, prefetched) {
      const [{ who }] = calls as readonly [(typeof calls)[number]]
      const places = calls.map(({ place }) => place)
      const set = shortSet(transaction, actorOf(who, { writeId: '', key: undefined }), noneLate(), true)
      const outcomes = await operation.write(
        set,
        definition,
        rows.filter((_, place) => places.includes(place)),
        rowsAmong(prefetched, places),
      )
      return places.map((place, index) => {
        const outcome = outcomes[index]
        if (outcome === undefined || outcome instanceof Refusal) return outcome
        const { respond, writeId } = members[place] as Member
        return withWriteId({ ...respond(outcome), record: undefined }, writeId)
      })
    },
  })
}

async function runCalls(writes: readonly CallWrite[], shared?: SharedWork<AdmittedCall, CallResponse>) {
  const [{ app, ask, call, dryRun }] = writes as readonly [CallWrite, ...CallWrite[]]
  const results = await runWrites(app.database, tokenCaller(ask, call.share), writes, {
    dryRun,
    shared,
    log: (responses) => [
      insertCalls(responses.map(({ place, who, response }) => callRow(who, response, writes[place] as CallWrite))),
    ],
  })
  return results.map((result) => {
    if (!result) return undefined
    const { who, response, tag } = result
    const tagged = tag === undefined ? response : { ...response, headers: { ...response.headers, ETag: tag } }
    keepDetails(who, tagged)
    return tagged
  })
}

type ConcludedCall = {
  call: { route: Pick<Call['route'], 'method'>; path: string }
  intent: Pick<Intent, 'dryRun' | 'ifPlan' | 'body' | 'conditions' | 'prefersRecord'>
}

/**
 * Ends successful work before its commit. A dry-run gets the preview, a write the header with its id, and the record if
 * the caller prefers it.
 */
export async function conclude(
  { secret }: Pick<App, 'secret'>,
  transaction: Transaction,
  actor: Actor,
  { call: { route, path }, intent: { dryRun, ifPlan, body, conditions, prefersRecord } }: ConcludedCall,
  { record, ...response }: CallResponse,
): Promise<CallResponse> {
  const outcome = await concludeWork(transaction, actor, secret, {
    ...{ dryRun, ifPlan, effects: response.effects ?? [] },
    call: { method: route.method, path, body, conditions: conditions as Json },
  })
  if (outcome) return { ...response, ...outcome }
  // An empty text is a record whose fields are all withheld from the caller.
  return withWriteId(prefersRecord && record?.json !== '' ? { ...response, record } : response, actor.writeId)
}

const withWriteId = (response: CallResponse, writeId: string): CallResponse => ({
  ...response,
  headers: { ...response.headers, [writeIdHeader]: writeId },
})
