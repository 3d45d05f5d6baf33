import { type DetailsRow, insertDetails } from '#sql/system/call-details.ts'
import { createAllowance } from '../service/allowance.ts'
import type { Database } from '../store/database.ts'
import type { BackgroundRunner } from './in-background.ts'
import { type Spool, startSpool } from './spool.ts'

/** What calls said and were answered, as much of it as there is room for. Decisions, Call log. */
export type CallDetails = Spool<DetailsRow> & { hasRoom: ReturnType<typeof keptRoom> }

/** Bytes of a company's calls that are kept: of those refused and of others each. */
export const ofCompany = { atOnce: 512 * 1024, perSecond: 4 * 1024 }
/** The same of all that a process answers, of companies that call little and of the others each. */
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
 * Whether so many bytes more may be kept; where they may, they are counted. A caller who calls all day hides neither what
 * is refused nor the calls of a company that asks little.
 */
export function keptRoom(clock: Clock) {
  const [companies, all] = [createAllowance(ofCompany), createAllowance(ofProcess)]
  // What could have been kept, whether it was or not: by that, those who call little are told from the others.
  const said = createAllowance(ofCompany)
  return (companyId: number, isRefused: boolean, bytes: number): boolean => {
    const now = clock.elapsed()
    const company = 2 * companyId + Number(isRefused)
    const part = 2 * Number(said.left(company, now) > ofCompany.atOnce / 2) + Number(isRefused)
    said.take(company, bytes, now)
    if (all.left(part, now) < bytes || companies.left(company, now) < bytes) return false
    companies.take(company, bytes, now)
    all.take(part, bytes, now)
    return true
  }
}
