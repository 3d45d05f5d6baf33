import type { Logger } from 'pino'
import type { DetailsRow } from '#sql/system/call-details.ts'
import type { CallRow } from '#sql/system/calls.ts'
import type { Config } from '../config/config.ts'
import type { TokenRates } from '../service/token-rate.ts'
import type { Database } from '../store/database.ts'
import type { SealingKeys } from '../store/seal.ts'
import type { Groups } from '../writes/group.ts'
import type { ApiResponse } from './call.ts'
import type { Member } from './write-together.ts'

/** What a call needs of the app, passed by hand. */
export type App = {
  config: Config
  database: Database
  clock: Clock
  log: Logger
  /** Logs calls that have no transaction of their own. */
  meter: { add(call: CallRow): void }
  /** Keeps what calls said and were answered; null: nothing of it. */
  callDetails: CallDetailsKeeper | null
  /** Null: a token may call as often as it likes. */
  tokenRates: TokenRates | null
  /** Creates and updates of one caller that share a transaction. */
  groups: Groups<Member, ApiResponse>
  /** Seals secrets, and signs plans. */
  secret: SealingKeys
}

export type CallDetailsKeeper = {
  /** Whether so many bytes more may be kept now; where they may, they are counted. */
  hasRoom(companyId: number, isRefused: boolean, bytes: number): boolean
  add(details: DetailsRow): void
}

export type Clock = {
  now(): Date
  /** Milliseconds from any fixed moment, for durations. */
  elapsed(): number
}
