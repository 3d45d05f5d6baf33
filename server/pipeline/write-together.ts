import { orRefusal, Refusal } from '#registry/refusals.ts'
import { type BeginRow, beginWrite } from '#sql/system/begin-write.ts'
import type { CallerRow } from '#sql/system/caller.ts'
import { insertCalls } from '#sql/system/calls.ts'
import { waitBriefly } from '#sql/system/connection.ts'
import { passGate } from '#sql/system/locks.ts'
import { type ClaimRow, claimKeys } from '#sql/system/stored-responses.ts'
import type { PrefetchedRow } from '../records/command.ts'
import { rowsAmong } from '../records/look-up.ts'
import { noneLate, type SetRow, shortSet } from '../records/write-set.ts'
import type { GroupedWrite } from '../writes/group.ts'
import type { KeyPolicy } from '../writes/idempotency.ts'
import { sendAnswers } from '../writes/run-write.ts'
import type { App } from './app.ts'
import { authorize, type TokenAsk } from './authorize.ts'
import type { ApiResponse, Call } from './call.ts'
import { callRow } from './call-log.ts'
import { actorOf, enforceRateLimit } from './require-authorized.ts'
import { type StoredResponse, withTag, writeIdHeader } from './stored-response.ts'

/** A create or an update of a record that may share its transaction with others of its caller. */
export type Member = GroupedWrite<ApiResponse> & GroupedCall

type GroupedCall = {
  app: App
  call: Call
  ask: TokenAsk
  keys: KeyPolicy<StoredResponse> | undefined
  writeId: string
  row: SetRow<StoredResponse>
  /** Returns the reply after the commit. */
  reply(caller: CallerRow, answer: StoredResponse): ApiResponse
}

export function memberOf(grouped: GroupedCall, bytes: number, alone: Member['alone']): Member {
  const { ask, call, keys, row } = grouped
  const { companyId, tokenHash, peer, scopes, addOns, rights } = ask
  const likeness = [
    tokenHash.toString('base64'),
    peer,
    call.route.id,
    scopes,
    addOns,
    rights.join(),
    keys !== undefined,
  ].join(' ')
  return { ...grouped, companyId, share: call.share, likeness, key: keys?.key, holds: row.holds, bytes, alone }
}

/**
 * Runs the writes of several calls of one caller in one transaction, which waits only briefly for locks. A call gets no
 * reply here unless it simply succeeds: after a refusal, a replay, a key in flight or a locked record, it runs alone,
 * and is answered there. Decisions, Groups.
 */
export async function writeTogether(members: readonly Member[]): Promise<readonly (ApiResponse | undefined)[]> {
  const [{ app, ask, call, row }] = members as [Member]
  const { companyId } = ask
  const { definition, operation } = row
  const keys = members.flatMap(({ keys }) => (keys ? [keys] : []))
  const rows = members.map(({ row, writeId, call: { requestId }, key }) => ({
    ...row.row,
    by: { writeId, requestId, idempotencyKey: key },
  }))
  const asked = members.map(({ row }) => row.lookUp)
  const prefetch = operation.prefetch(companyId, definition, asked, false)
  const { written, tags } = await app.database.transaction(
    async (transaction) => {
      transaction.send(waitBriefly)
      transaction.send(passGate(companyId))
      const [claims, begun] = await Promise.all([
        keys.length > 0 ? transaction.run<ClaimRow>(claimKeys(keys, ask)) : undefined,
        transaction.run<BeginRow<PrefetchedRow>>(beginWrite(ask, keys, prefetch, false)),
      ])
      const caller = orRefusal(() => authorize(begun[0], ask))
      if (caller instanceof Refusal) return { written: [] }
      const earlier = new Map(begun.map(({ place, is_over }) => [place, is_over]))
      const claimed = claims && new Set(claims.flatMap(({ place, claimed }) => (claimed ? [place] : [])))
      const going = members.flatMap(({ call }, place) => {
        call.share.report(true)
        if (earlier.get(place) === false || (claimed && !claimed.has(place))) return []
        return orRefusal(() => enforceRateLimit(app, call, ask, caller)) instanceof Refusal ? [] : [place]
      })
      if (going.length === 0) return { written: [] }
      const set = shortSet(transaction, actorOf(ask, call, caller, { writeId: '', key: undefined }), noneLate(), true)
      const outcomes = await operation.write(
        set,
        definition,
        going.map((place) => rows[place] as (typeof rows)[number]),
        rowsAmong(begun[0]?.seen ?? null, going),
      )
      const written = going.flatMap((place, index) => {
        const outcome = outcomes[index]
        if (outcome === undefined || outcome instanceof Refusal) return []
        const member = members[place] as Member
        const response = member.row.say(outcome)
        const headers = { ...response.headers, [writeIdHeader]: member.writeId }
        const answer: StoredResponse = { ...response, record: undefined, headers }
        const isOver = earlier.has(place)
        return [{ place, member, keys: member.keys, answer, unread: answer.unread, isOver, caller }]
      })
      if (written.length === 0) return { written }
      const { tags } = await sendAnswers(transaction, { companyId, who: caller }, written)
      const calls = written.map(({ member, answer }) =>
        callRow(app, member.call, ask, caller, answer, { dryRun: false }),
      )
      transaction.send(insertCalls(calls))
      return { written, tags }
    },
    call.share,
    { isOnce: true },
  )
  const tagOf = await tags
  const replies = new Map(
    written.map(({ place, member, answer, unread, caller }) => [
      place,
      member.reply(caller, withTag(answer, unread && tagOf?.get(unread.id))),
    ]),
  )
  return members.map((_, place) => replies.get(place))
}
