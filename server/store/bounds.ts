import type { Limits } from './database.ts'

/** Time limits for a stalled connection. docs/reliability/liveness.md derives its bounds from these. */

type StatementLimit = Pick<Limits, 'statementTimeout'>

/** Time for the answer to arrive after PostgreSQL has ended the statement by its own time-out. */
const answerTimeoutMs = 2000

/** The longest wait for the answer to one batch of statements (B). */
export const batchTimeoutMs = ({ statementTimeout }: StatementLimit): number => statementTimeout + answerTimeoutMs

/**
 * Returns the longest time that the server keeps a transaction, or a session that is idle in one. It frees the locks of
 * a process that is cut off and can end nothing. Twice a batch, so that the process always acts before the server.
 */
export const transactionTimeoutMs = (limits: StatementLimit): number => Math.max(30_000, 2 * batchTimeoutMs(limits))
