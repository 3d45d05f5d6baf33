import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Metrics } from './http/metrics.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { Meter } from './service/metering.ts'
import type { SealingKeys } from './service/seal.ts'
import type { TokenRates } from './service/token-rate.ts'
import type { Database } from './store/database.ts'

/** All that the service needs of the world, passed by hand. There is no other state. */
export type World = {
  config: Config
  database: Database
  clock: Clock
  log: Logger
  meter: Meter
  metrics: Metrics
  /** Null: a token may call as often as it likes. */
  tokenRates: TokenRates | null
  /** The one way to send to others. */
  outbound: Outbound
  /** Seals tokens. */
  secret: SealingKeys
}

export type Clock = {
  now(): Date
  /** Milliseconds from any fixed moment, for durations. */
  elapsed(): number
}

export const systemClock: Clock = { now: () => new Date(), elapsed: () => performance.now() }
