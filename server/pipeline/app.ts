import type { Logger } from 'pino'
import type { DetailsRow } from '#sql/system/call-details.ts'
import type { CallRow } from '#sql/system/calls.ts'
import type { Config } from '../config/config.ts'
import type { TokenRates } from '../service/token-rate.ts'
import type { Database } from '../store/database.ts'
import type { SealingKeys } from '../store/seal.ts'
import type { Groups } from '../writes/group.ts'
import type { CallResponse } from './response.ts'
import type { Member } from './write-call.ts'

/** The parts of the service that a call needs, passed as an argument. */
export type App = {
  config: Config
  database: Database
  clock: Clock
  log: Logger
  /** Logs calls that have no transaction of their own. */
  meter: { add(call: CallRow): void }
  /** Stores details of requests and responses; null stores none. */
  callDetails: CallDetailsKeeper | null
  /** The limit of calls of each token; null is no limit. */
  tokenRates: TokenRates | null
  /** Creates and updates of one caller that share a transaction. */
  groups: Groups<Member, CallResponse>
  /** Seals secrets, and keys the hashes of previews. */
  secret: SealingKeys
}

export type CallDetailsKeeper = {
  /** Returns whether this many more bytes may be stored now. If so, they are counted. */
  hasRoom(companyId: number, isRefused: boolean, bytes: number): boolean
  add(details: DetailsRow): void
}

export type Clock = {
  now(): Date
  /** Milliseconds from any fixed moment, for durations. */
  elapsed(): number
}
