import type { Run, Statement } from '#sql/statement.ts'
import type { Conversation } from '../conversation.ts'

/**
 * A conversation with a database that distributes companies. What a statement asks in steps is done by one statement
 * after the other; whatever is asked meanwhile waits for that, so that all is done in the order in which it was asked.
 */
export function inSteps(plain: Conversation): Conversation {
  /** What is under way, if it takes steps. */
  let steps: Promise<unknown> | undefined
  /** What was only sent fails the end. */
  let failed: { error: unknown } | undefined

  const now: Run = async <Row>(statement: Statement): Promise<Row[]> =>
    (statement.distributed ? await statement.distributed(now) : await plain.run(statement)) as Row[]

  const run = <Row>(statement: Statement): Promise<Row[]> => {
    if (!steps && !statement.distributed) return plain.run<Row>(statement)
    const done = (steps ?? Promise.resolve()).then(() => now<Row>(statement))
    const over = done.catch(() => undefined)
    const mine = over.then(() => {
      if (steps === mine) steps = undefined
    })
    steps = mine
    return done
  }

  return {
    run,
    send: (statement) => {
      if (!steps && !statement.distributed) plain.send(statement)
      else
        run(statement).catch((error: unknown) => {
          failed ??= { error }
        })
    },
    end: async () => {
      await steps
      if (failed) throw failed.error
      return plain.end()
    },
  }
}
