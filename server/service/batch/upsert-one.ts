import { Refusal } from '#registry/refusals.ts'
import { conflict } from '#sql/statement.ts'
import { runLocked } from '../command.ts'
import { upsert } from '../upsert.ts'
import { inBody, type Run, refusalOf, resolved, Undone, type WantedRow } from './run.ts'

/** Whether it creates or updates is known when its reference is locked. */
export async function upsertOne(run: Run, row: WantedRow): Promise<void> {
  const { transaction, actor, outcomes, late } = run
  const { body, lost } = resolved(run, row)
  if (lost.length > 0) {
    outcomes[row.n] = refusalOf([], lost)
    return
  }
  let isUndone = false
  const watched = {
    ...transaction,
    undo() {
      isUndone = true
      transaction.undo()
    },
  }
  try {
    const { definition, externalRef } = row.wanted
    const wanted = { definition, value: externalRef as string, body, expected: row.expected }
    outcomes[row.n] = { upserted: await runLocked(watched, actor, upsert(actor.companyId, wanted)) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // Somebody took a value between the look-up and the write; run again, the transaction finds it taken.
    if (isUndone && late.times++ === 0) throw conflict(error)
    outcomes[row.n] = { refusal: inBody(error) }
    if (isUndone) throw new Undone()
  }
}
