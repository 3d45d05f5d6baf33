import type { Outbound } from '../outbound/outbound.ts'
import type { World as CallWorld } from '../walk/world.ts'

/** What sending needs of the world, passed by hand. */
export type World = Pick<CallWorld, 'config' | 'database' | 'clock' | 'log' | 'secret'> & {
  /** The one way to send to others. */
  outbound: Outbound
  metrics: { webhookTried(arrived: boolean): void }
}
