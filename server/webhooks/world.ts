import type { Outbound } from '../outbound/outbound.ts'
import type { SealingKeys } from '../service/seal.ts'
import type { World as CallWorld } from '../walk/world.ts'

/** What sending needs of the world, passed by hand. */
export type World = Pick<CallWorld, 'config' | 'database' | 'clock' | 'log'> & {
  /** The one way to send to others. */
  outbound: Outbound
  /** Seals the secrets that sign. */
  secret: SealingKeys
  metrics: { webhookTried(arrived: boolean): void }
}
