import type { Outbound } from '../outbound/outbound.ts'
import type { App as PipelineApp } from '../pipeline/app.ts'
import type { SealingKeys } from '../service/seal.ts'

/** What sending needs of the app, passed by hand. */
export type App = Pick<PipelineApp, 'config' | 'database' | 'clock' | 'log'> & {
  /** The one way to send to others. */
  outbound: Outbound
  /** Seals the secrets that sign. */
  secret: SealingKeys
  metrics: { webhookTried(arrived: boolean): void }
}
