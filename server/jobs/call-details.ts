import { type DetailsRow, insertDetails } from '#sql/system/call-details.ts'
import { makeAllowance } from '../service/allowance.ts'
import type { Database } from '../store/database.ts'
import { type Spool, startSpool } from './spool.ts'

/**
 * What calls said and were answered, as much of it as there is room for: refused calls have room of their own, so that
 * whoever reads all day does not hide what fails. Decisions, Call log.
 */
export type CallDetails = Spool<DetailsRow> & {
  hasRoom(companyId: number, isRefused: boolean, bytes: number): boolean
}

/** Bytes, of refused calls and of others each. */
export const ofCompany = { atOnce: 512 * 1024, perSecond: 4 * 1024 }
export const ofProcess = { atOnce: 4 * 1024 * 1024, perSecond: 16 * 1024 }

export function startCallDetails(
  database: Database,
  clock: { elapsed(): number },
  onLoss: (lost: number, error: unknown) => void,
): CallDetails {
  const spool = startSpool(database, { insert: insertDetails, batchMax: 200, keptMax: 500, onLoss })
  const [companies, process] = [makeAllowance(ofCompany, clock), makeAllowance(ofProcess, clock)]
  return {
    ...spool,
    hasRoom: (companyId, isRefused, bytes) =>
      companies.take(`${companyId} ${isRefused}`, bytes) && process.take(String(isRefused), bytes),
  }
}
