import type { BackgroundRunner } from '../jobs/in-background.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { App as PipelineApp } from '../pipeline/app.ts'

/** The parts of the app that sending needs. */
export type App = Pick<PipelineApp, 'config' | 'database' | 'clock' | 'log' | 'secret'> & {
  outbound: Outbound
  inBackground: BackgroundRunner
  metrics: {
    webhookTried(arrived: boolean): void
    /** Shows the turns under way, and the age of the oldest. */
    webhookTurns(count: number, oldestSeconds: number): void
    webhookTurnEnded(): void
  }
}
