import type { Logger } from 'pino'
import type { CallRow } from '#sql/system/calls.ts'
import type { Config } from '../config/config.ts'
import type { SealingKeys } from '../service/seal.ts'
import type { TokenRates } from '../service/token-rate.ts'
import type { Database } from '../store/database.ts'

/** What a call needs of the app, passed by hand. */
export type App = {
  config: Config
  database: Database
  clock: Clock
  log: Logger
  /** Logs calls that have no transaction of their own. */
  meter: { add(call: CallRow): void }
  /** Null: a token may call as often as it likes. */
  tokenRates: TokenRates | null
  /** Seals secrets, and signs plans. */
  secret: SealingKeys
}

export type Clock = {
  now(): Date
  /** Milliseconds from any fixed moment, for durations. */
  elapsed(): number
}
