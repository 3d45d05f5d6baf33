import type { App as PipelineApp } from '../pipeline/app.ts'

/** The members of the app that the edge uses. */
export type App = PipelineApp & {
  metrics: Metrics
  /** The log reads these for each line with a `request_id`. */
  identities: RequestIdentities
  room: Room
}

/** True while the disk of the database is too full for writes. It changes while the service runs. */
export type Room = { isShort: boolean }

/** Counters of the edge, and their text for a scrape. */
export type Metrics = {
  answered(route: string, status: number, seconds: number): void
  /** Counts a request that was refused for lack of room. */
  shed(sort: string): void
  connected(count: number): void
  /** Counts a closed connection: idle while room was needed, its response unread, or no room for it. */
  cut(why: 'idle' | 'unread' | 'full'): void
  /** Sets the limit of requests under way. */
  admitting(sort: string, limit: number): void
  /** Sets the count of callers that wait for a change. */
  waiting(count: number): void
  text(): Promise<string>
  contentType: string
}

/** The progress of the process towards its end. */
export type Stage = { is: 'serving' | 'leaving' | 'closing' }

/** The caller's own ids of a request, for the log alone: stored calls are found by ids that no caller chooses. */
export type RequestIdentity = { trace_id?: string; caller_request_id?: string }

/** The identities of requests under way, by the request's own id. */
export type RequestIdentities = Map<string, RequestIdentity>
