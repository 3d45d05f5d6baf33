import type pg from 'pg'
import type { Statement } from '#sql/statement.ts'
import { commit, rollback } from '#sql/system/connection.ts'
import { type QueuedStatement, sendBatch } from './batch.ts'
import { asFault, Fault } from './faults.ts'

/** What a transaction says over its connection. */
export type StatementPipeline = {
  /** What is asked in one turn of the event loop travels together, in order; each promise brings its own rows. */
  run<Row>(statement: Statement): Promise<Row[]>
  /** A statement whose rows nobody needs: it travels with the next that is run, or with the commit, and fails it when it fails. */
  send(statement: Statement): void
  /** Commits. */
  end(): Promise<void>
  /** Rolls back, whatever was asked and is not sent yet. A statement that is asked later fails: it is of no transaction. */
  rollBack(): Promise<void>
}

export function createStatementPipeline(client: pg.ClientBase): StatementPipeline {
  let waiting: QueuedStatement[] = []
  let leaving = false
  let isRolledBack = false
  const leave = (): void => {
    const batch = waiting
    waiting = []
    leaving = false
    if (batch.length > 0) sendBatch(client, batch)
  }
  const ask = (asked: QueuedStatement): void => {
    if (isRolledBack) {
      asked.failed(new Error('the transaction is rolled back'), false)
      return
    }
    waiting.push(asked)
    if (!leaving) process.nextTick(leave)
    leaving = true
  }
  return {
    run: <Row>(statement: Statement) =>
      new Promise<Row[]>((resolve, reject) =>
        ask({
          statement,
          answered: (rows) => resolve(rows as Row[]),
          failed: (error) => reject(asFault(error)),
        }),
      ),
    // Its failure is that of everything after it in the batch, and the commit is always after it.
    send: (statement: Statement): void => {
      if (!isRolledBack) waiting.push({ statement, answered() {}, failed() {} })
    },
    /** Once a commit is on its way, a lost connection says nothing about whether it arrived. */
    end: () =>
      new Promise<void>((resolve, reject) =>
        ask({
          statement: commit,
          // PostgreSQL answers the commit of a transaction that has failed by rolling back, and calls it no error.
          answered: (_, command) =>
            command === 'COMMIT' ? resolve() : reject(new Error('a statement failed before the commit')),
          failed: (error, reached) => {
            const fault = asFault(error)
            reject(reached && fault instanceof Fault ? new Fault('outcome_unknown', error) : fault)
          },
        }),
      ),
    rollBack: () =>
      new Promise<void>((resolve) => {
        isRolledBack = true
        const unsent = waiting
        waiting = []
        for (const { failed } of unsent) failed(new Error('the transaction is rolled back'), false)
        // In a batch with others it would be skipped after the first that fails, and the connection stay in the transaction.
        sendBatch(client, [{ statement: rollback, answered: () => resolve(), failed: () => resolve() }])
      }),
  }
}
