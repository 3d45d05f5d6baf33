import type { SealingKeys } from '../service/seal.ts'
import type { World as CallWorld } from '../walk/world.ts'

/** What the edge needs of the world, passed by hand. */
export type World = CallWorld & {
  metrics: Metrics
  /** Seals tokens. */
  secret: SealingKeys
}

/** What the edge counts, and the text in which it is shown. */
export type Metrics = {
  answered(route: string, status: number, seconds: number): void
  /** One request that there was no room for. */
  turnedAway(sort: string): void
  /** So many callers' connections are open. */
  connected(count: number): void
  /** One of them was closed: it was idle and room was needed, its answer was not read, or there was no room for it. */
  cut(why: 'idle' | 'unread' | 'full'): void
  /** So many at once from here on. */
  letIn(sort: string, limit: number): void
  /** So many callers wait for a change. */
  waiting(count: number): void
  text(): Promise<string>
  contentType: string
}

/** How far the process is on its way out. */
export type Stage = { is: 'serving' | 'leaving' | 'closing' }
