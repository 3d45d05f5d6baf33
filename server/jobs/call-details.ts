import { type DetailsRow, insertDetails } from '#sql/system/call-details.ts'
import type { Database } from '../store/database.ts'
import type { BackgroundRunner } from './in-background.ts'
import { type Spool, startSpool } from './spool.ts'

/** Requests and answers of calls, within a budget of bytes. Decisions, Call log. */
export type CallDetails = Spool<DetailsRow> & { hasRoom: ReturnType<typeof keptRoom> }

/** Bytes stored for a company: one budget for refused calls, and another as large for the other calls. */
export const ofCompany = { atOnce: 512 * 1024, perSecond: 4 * 1024 }
/** Bytes stored by a process: separate budgets for quiet and busy companies, and for refused and other calls. */
export const ofProcess = { atOnce: 512 * 1024, perSecond: 8 * 1024 }

export function startCallDetails(database: Database, clock: Clock, inBackground: BackgroundRunner): CallDetails {
  const spool = startSpool(database, {
    ...{ insert: insertDetails, batchMax: 200, keptMax: 500, onLoss() {} },
    ...{ job: 'call_details', inBackground },
  })
  return { ...spool, hasRoom: keptRoom(clock) }
}

type Clock = { elapsed(): number }

/**
 * Returns a function that returns whether the bytes of a call may be stored, and counts them if so. The separate
 * budgets keep a busy caller from displacing refused calls, or the calls of a quiet company.
 */
export function keptRoom(clock: Clock) {
  const [companies, all] = [createAllowance(ofCompany), createAllowance(ofProcess)]
  // Bytes offered for storage, stored or not. They separate quiet companies from busy ones.
  const offered = createAllowance(ofCompany)
  return (companyId: number, isRefused: boolean, bytes: number): boolean => {
    const now = clock.elapsed()
    const company = 2 * companyId + Number(isRefused)
    const part = 2 * Number(offered.left(company, now) > ofCompany.atOnce / 2) + Number(isRefused)
    offered.take(company, bytes, now)
    if (all.left(part, now) < bytes || companies.left(company, now) < bytes) return false
    companies.take(company, bytes, now)
    all.take(part, bytes, now)
    return true
  }
}

type Amounts = { atOnce: number; perSecond: number }

type RemainingAmount = { amount: number; at: number }

/**
 * Creates the amounts that each key may take: a maximum at once, and a refill every second. `now` is in milliseconds.
 * Keys with their full amount are dropped, so only keys that take are stored.
 */
export function createAllowance({ atOnce, perSecond }: Amounts) {
  const lefts = new Map<number, RemainingAmount>()
  const fullAfter = (atOnce / perSecond) * 1000
  let sweptAt = 0

  const leftOf = ({ amount, at }: RemainingAmount, now: number): number =>
    Math.min(atOnce, amount + ((now - at) / 1000) * perSecond)
  const sweep = (now: number): void => {
    if (now - sweptAt < fullAfter) return
    sweptAt = now
    for (const [key, left] of lefts) if (leftOf(left, now) >= atOnce) lefts.delete(key)
  }

  return {
    left(key: number, now: number): number {
      const known = lefts.get(key)
      return known ? leftOf(known, now) : atOnce
    },
    /** Takes the amount, or as much as is left. */
    take(key: number, amount: number, now: number): void {
      sweep(now)
      const known = lefts.get(key)
      if (!known) return void lefts.set(key, { amount: Math.max(0, atOnce - amount), at: now })
      known.amount = Math.max(0, leftOf(known, now) - amount)
      known.at = now
    },
  }
}
