import type { InBackground } from '../jobs/in-background.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { App as PipelineApp } from '../pipeline/app.ts'

/** What sending needs of the app, passed by hand. */
export type App = Pick<PipelineApp, 'config' | 'database' | 'clock' | 'log' | 'secret'> & {
  /** The one way to send to others. */
  outbound: Outbound
  inBackground: InBackground
  metrics: { webhookTried(arrived: boolean): void }
}
