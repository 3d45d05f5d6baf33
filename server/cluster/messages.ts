import type { Config } from '../config/config.ts'
import type { Values } from '../metrics.ts'
import type { Connection } from '../store/database.ts'

/** What the processes of one service say to each other. Requests and records are never among it. */

export type WorkerMessage =
  /** The first message: all that a worker has to know to serve. `cluster` is the folder of the bundled database. */
  | { say: 'serve'; config: Config; connection: Connection; cluster: string | null }
  /** Stop serving; the port is closed first, and callers are sent away only after `away`. */
  | { say: 'stop' }
  | { say: 'away' }
  /** What have you counted? */
  | { say: 'count'; asked: number }
  /** The answer to `scrape`. */
  | { say: 'scraped'; asked: number; text: string }

export type PrimaryMessage =
  | { say: 'serving'; url: string }
  /** It cannot listen; the code is that of the system. */
  | { say: 'failed'; code: string | undefined; message: string }
  /** It takes no more connections. */
  | { say: 'closed' }
  | { say: 'counted'; asked: number; values: Values }
  /** Somebody wants /metrics, which is about all processes. */
  | { say: 'scrape'; asked: number }
