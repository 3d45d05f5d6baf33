import type { Run, Statement } from '#sql/statement.ts'
import type { StatementPipeline } from '../statement-pipeline.ts'

/**
 * A conversation with a database that distributes companies. What a statement asks in steps is done by one statement
 * after the other; whatever is asked meanwhile waits until the last of them is sent, so that all is done in the order in
 * which it was asked.
 */
export function inSteps(plain: StatementPipeline): StatementPipeline {
  /** What is under way, if it takes steps. */
  let steps: Promise<unknown> | undefined
  /** What was only sent fails the end. */
  let failed: { error: unknown } | undefined

  /** Resolves when all of the statement is sent. */
  const begin = async (statement: Statement): Promise<{ rows: Promise<readonly unknown[]> }> => {
    if (!statement.distributed) return { rows: plain.run(statement) }
    const done = await statement.distributed(now)
    return 'rows' in done ? done : { rows: Promise.resolve(done) }
  }
  const now: Run = async <Row>(statement: Statement): Promise<Row[]> => {
    const { rows } = await begin(statement)
    return (await rows) as Row[]
  }
  /** Lets the statement begin when it is its turn. */
  const queue = (statement: Statement, onFailure: (error: unknown) => void = () => {}) => {
    const begun = (steps ?? Promise.resolve()).then(() => begin(statement))
    const mine = begun
      .then(() => undefined, onFailure)
      .then(() => {
        if (steps === mine) steps = undefined
      })
    steps = mine
    return begun
  }

  return {
    run: async <Row>(statement: Statement): Promise<Row[]> => {
      if (!steps && !statement.distributed) return plain.run<Row>(statement)
      const { rows } = await queue(statement)
      return (await rows) as Row[]
    },
    send: (statement) => {
      if (!steps && !statement.distributed) return plain.send(statement)
      const fail = (error: unknown): void => {
        failed ??= { error }
      }
      queue(statement, fail).then(({ rows }) => rows.catch(fail), fail)
    },
    end: async () => {
      await steps
      if (failed) throw failed.error
      return plain.end()
    },
    // Steps that are under way fail at their next statement.
    rollBack: plain.rollBack,
  }
}
