import { type BeginRow, beginWrite } from '#sql/system/begin-write.ts'
import { type CallerAsk, type CallerRow, type CallerSource, tokenSource } from '#sql/system/caller.ts'
import { takeValues, takeValuesOfWrite } from '#sql/system/locks.ts'
import { type SessionKey, type SessionRow, sessionSource } from '#sql/system/sessions.ts'
import { type ClaimRow, claimKeys, type KeyAsk } from '#sql/system/stored-responses.ts'
import type { Share } from '../fair/shares.ts'
import { type Actor, operator } from '../records/actor.ts'
import { type PrefetchedRow, readPrefetch } from '../records/look-up.ts'
import type { Command } from '../records/write-record.ts'
import type { Transaction } from '../store/database.ts'
import type { KeyState } from './idempotency.ts'

/** The locks and the prefetch of a work. */
export type WorkNeeds = { [part in 'locks' | 'prefetch']?: Command<unknown>[part] | undefined }

/** The caller of writes, whose row is locked until the commit. */
export type Caller<Row> = {
  companyId: number
  /** The share of the connections to use; the service's own by default. */
  share?: Share
  /**
   * Claims the keys and locks the caller. Takes the locks and prefetches if the work is going to run. `waits` is whether
   * to wait for rows that are locked otherwise.
   */
  begin(transaction: Transaction, keys: readonly KeyAsk[], needs: WorkNeeds, waits: boolean): Promise<BegunWrite<Row>>
}

/** The states of the keys in their order, and the prefetched row. */
type BegunWrite<Row> = { row: Row; prefetched: PrefetchedRow; states: readonly KeyState[] }

export const tokenCaller = (ask: CallerAsk, share: Share): Caller<CallerRow | undefined> => ({
  companyId: ask.companyId,
  share,
  begin: beginBy<CallerRow, CallerAsk>(tokenSource(ask)),
})

export const sessionCaller = (session: SessionKey): Caller<SessionRow | undefined> => ({
  companyId: session.companyId,
  begin: beginBy<SessionRow, SessionKey>(sessionSource(session)),
})

/** Returns the operator's command as a caller. It has no keys and is never refused. */
export const operatorCaller = (companyId: number): Caller<Actor> => ({
  companyId,
  async begin(transaction, _keys, { locks = [], prefetch = null }) {
    if (locks.length > 0) transaction.send(takeValues(companyId, locks))
    return { row: operator(companyId), prefetched: await readPrefetch(transaction, { prefetch }), states: [] }
  },
})

const beginBy =
  <Row extends object, Values extends { companyId: number }>(
    source: CallerSource<Values>,
  ): Caller<Row | undefined>['begin'] =>
  async (transaction, keys, { locks = [], prefetch = null }, waits) => {
    const claims = keys.length > 0 ? transaction.run<ClaimRow>(claimKeys(keys, source)) : []
    // Members of a group take no locks of values.
    if (locks.length > 0) transaction.send(takeValuesOfWrite(source, keys[0], locks))
    const begun = transaction.run<BeginRow<Row, PrefetchedRow>>(beginWrite(source, keys, prefetch, waits))
    const [claimed, rows] = await Promise.all([claims, begun])
    const isClaimed = new Map(claimed.map((row) => [row.place, row.claimed]))
    const earlier = new Map(rows.map((row) => [row.place, row]))
    const states = keys.map((_, place) => ({ claimed: isClaimed.get(place), earlier: earlier.get(place) }))
    return { row: rows[0], prefetched: rows[0]?.seen ?? null, states }
  }
