import type { Limits } from './database.ts'

/** How long a stalled connection can keep anyone waiting. docs/reliability/liveness.md derives its bounds from these. */

type StatementLimit = Pick<Limits, 'statementTimeout'>

/** Time that an answer has to come back in after PostgreSQL itself has ended the statement. */
const answerTimeoutMs = 2000

/** The longest wait for the answer to one batch of statements (B). */
export const batchTimeoutMs = ({ statementTimeout }: StatementLimit): number => statementTimeout + answerTimeoutMs

/**
 * The longest time that the server keeps a transaction, or a session that is idle in one. It frees the locks of a process
 * that is cut off and can end nothing. Twice a batch, so that the server never comes before the process.
 */
export const transactionTimeoutMs = (limits: StatementLimit): number => Math.max(30_000, 2 * batchTimeoutMs(limits))
