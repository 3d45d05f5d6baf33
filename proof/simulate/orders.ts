/** What the scheduler orders a service to do; each order is answered by a report. `stop` and `run`: its clock does so from now on. */
export type Order = { is: 'report' | 'run' | 'stop' } | { is: 'advance'; byMs: number }

/** What a service has done so far, and what it still does. */
export type RestReport = {
  /** Requests that have begun, and answers that are sent. */
  begun: number
  finished: number
  /** What is under way without waiting for anybody outside. */
  busy: string[]
  /** The connections that it has opened, by their own port. */
  sockets: { port: number; read: number; written: number }[]
}
