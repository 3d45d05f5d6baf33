import type pg from 'pg'
import type { Statement } from '#sql/statement.ts'
import { commit, rollback } from '#sql/system/connection.ts'
import { waitFor } from '../wait/wait.ts'
import { type QueuedStatement, sendBatch } from './batch.ts'
import { asFault, Fault } from './faults.ts'

export type StatementPipeline = ReturnType<typeof createStatementPipeline>

const connection = 'its connection to the database'

/** Returns functions that send the statements of one transaction. */
export function createStatementPipeline(client: pg.ClientBase) {
  let waiting: QueuedStatement[] = []
  let leaving = false
  let isRolledBack = false
  const leave = (): void => {
    const batch = waiting
    waiting = []
    leaving = false
    if (batch.length > 0) sendBatch(client, batch)
  }
  const ask = (queued: QueuedStatement): void => {
    if (isRolledBack) {
      queued.failed(new Error('the transaction is rolled back'), false)
      return
    }
    waiting.push(queued)
    if (!leaving) process.nextTick(leave)
    leaving = true
  }
  return {
    /** Runs a statement. Those of one turn of the event loop are sent together; each has its own rows. */
    run: <Row>(statement: Statement) =>
      waitFor<Row[]>(connection, (resolve, reject) =>
        ask({
          statement,
          answered: (rows) => resolve(rows as Row[]),
          failed: (error) => reject(asFault(error)),
        }),
      ),
    /**
     * Queues a statement without reading its rows. It is sent with the next `run()` or `end()`, which rejects if it
     * fails: its failure fails every later statement of the batch, and the commit is always later.
     */
    send: (statement: Statement): void => {
      if (!isRolledBack) waiting.push({ statement, answered() {}, failed() {} })
    },
    /** Commits. Rejects with `outcome_unknown` if the connection is lost once the commit is on its way. */
    end: () =>
      waitFor<void>(connection, (resolve, reject) =>
        ask({
          statement: commit,
          // PostgreSQL answers the commit of a failed transaction with ROLLBACK, and without an error.
          answered: (_, command) =>
            command === 'COMMIT' ? resolve() : reject(new Error('a statement failed before the commit')),
          failed: (error, reached) => {
            const fault = asFault(error)
            reject(reached && fault instanceof Fault ? new Fault('outcome_unknown', error) : fault)
          },
        }),
      ),
    /** Rolls back, and drops statements that are not sent yet. A later statement fails: it belongs to no transaction. */
    rollBack: () =>
      waitFor<void>(connection, (resolve) => {
        isRolledBack = true
        const unsent = waiting
        waiting = []
        for (const { failed } of unsent) failed(new Error('the transaction is rolled back'), false)
        // The rollback is a batch of its own: in a batch with a failed statement it would be skipped, and the
        // transaction stay open.
        sendBatch(client, [{ statement: rollback, answered: () => resolve(), failed: () => resolve() }])
      }),
  }
}
