import type { App } from './app.ts'

/** Returns the seconds until a claim that is not renewed ends: longer than an attempt and its storing take. */
export const leaseSeconds = ({ config }: Pick<App, 'config'>): number => Math.max(2, (3 * config.webhookTimeout) / 1000)
