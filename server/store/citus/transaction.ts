import type { Run, Statement } from '#sql/statement.ts'
import type { StatementPipeline } from '../statement-pipeline.ts'

/**
 * Returns a pipeline for a database that distributes companies. A statement with steps runs as one statement after the
 * other. Later statements wait until the last step is sent, so all run in the order of their calls.
 */
export function inSteps(plain: StatementPipeline): StatementPipeline {
  /** The last statement of the queue; undefined if nothing waits for steps. */
  let steps: Promise<unknown> | undefined
  /** The first error of a statement of `send`. `end` throws it. */
  let failed: { error: unknown } | undefined

  /** Starts a statement. Resolves when all its steps are sent. */
  const begin = async (statement: Statement): Promise<{ rows: Promise<readonly unknown[]> }> => {
    if (!statement.distributed) return { rows: plain.run(statement) }
    const done = await statement.distributed(now)
    return 'rows' in done ? done : { rows: Promise.resolve(done) }
  }
  const now: Run = async <Row>(statement: Statement): Promise<Row[]> => {
    const { rows } = await begin(statement)
    return (await rows) as Row[]
  }
  /** Starts a statement after those before it. */
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
