import type { App as PipelineApp } from '../pipeline/app.ts'
import type { RequestIdentities } from './identity.ts'

/** What the edge needs of the app, passed by hand. */
export type App = PipelineApp & {
  metrics: Metrics
  /** Read by the log for each line that has a `request_id`. */
  identities: RequestIdentities
  room: Room
}

/** Whether the disk of the database is so full that writes are refused. It changes while the service runs. */
export type Room = { isShort: boolean }

/** What the edge counts, and the text in which it is shown. */
export type Metrics = {
  answered(route: string, status: number, seconds: number): void
  /** One request that there was no room for. */
  shed(sort: string): void
  /** So many callers' connections are open. */
  connected(count: number): void
  /** One of them was closed: it was idle and room was needed, its answer was not read, or there was no room for it. */
  cut(why: 'idle' | 'unread' | 'full'): void
  /** So many at once from here on. */
  admitting(sort: string, limit: number): void
  /** So many callers wait for a change. */
  waiting(count: number): void
  text(): Promise<string>
  contentType: string
}

/** How far the process is on its way out. */
export type Stage = { is: 'serving' | 'leaving' | 'closing' }
