import type { Config } from '../config/config.ts'
import type { Values } from '../metrics.ts'
import type { Connection } from '../store/database.ts'

/** The messages between the processes of one service. They contain no requests and no records. */

export type WorkerMessage =
  /** The first message, with all that a worker needs to serve. `cluster` is the folder of the bundled database. */
  | { say: 'serve'; config: Config; connection: Connection; cluster: string | null }
  /** Stop serving. Close the port now, and end the connections of callers after `away`. */
  | { say: 'stop' }
  | { say: 'away' }
  /** Asks for the metrics of the worker. */
  | { say: 'count'; asked: number }
  /** The answer to `scrape`. */
  | { say: 'scraped'; asked: number; text: string }

export type PrimaryMessage =
  | { say: 'serving'; url: string }
  /** The worker cannot listen. `code` is that of the system. */
  | { say: 'failed'; code: string | undefined; message: string }
  /** The worker accepts no more connections. */
  | { say: 'closed' }
  | { say: 'counted'; asked: number; values: Values }
  /** The worker has a request for /metrics, which is about all processes. */
  | { say: 'scrape'; asked: number }
