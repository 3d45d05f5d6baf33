import type { BackgroundRunner } from '../jobs/in-background.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { App as PipelineApp } from '../pipeline/app.ts'

/** What sending needs of the app, passed by hand. */
export type App = Pick<PipelineApp, 'config' | 'database' | 'clock' | 'log' | 'secret'> & {
  /** The one way to send to others. */
  outbound: Outbound
  inBackground: BackgroundRunner
  metrics: { webhookTried(arrived: boolean): void }
}
