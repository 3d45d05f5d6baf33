/** What the scheduler orders a service to do; each order is answered by a report. `run`: from now on its clock runs. */
export type Order = { is: 'report' } | { is: 'advance'; byMs: number } | { is: 'run' }

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

/** The time at which each service starts, in milliseconds since 1970. */
export const clockStartMs = Date.UTC(2026, 10, 1)
