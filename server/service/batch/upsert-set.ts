import type { Definition } from '#registry/definition.ts'
import { Refusal } from '#registry/refusals.ts'
import { conflict } from '#sql/statement.ts'
import { runCommand } from '../command.ts'
import { upsert } from '../upsert.ts'
import { inBody, type Run, refusalOf, resolved, Undone, type WantedRow } from './run.ts'

/** Each is a piece of work of its own: whether it creates or updates is known when its reference is locked. */
export async function upsertSet(run: Run, definition: Definition, rows: readonly WantedRow[]): Promise<void> {
  for (const row of rows) {
    await upsertOne(run, definition, row)
    await run.breathe()
  }
}

async function upsertOne(run: Run, definition: Definition, row: WantedRow): Promise<void> {
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
    const value = row.wanted.externalRef as string
    const work = upsert(actor.companyId, { definition, value, body, expected: row.expected })
    outcomes[row.n] = { upserted: await runCommand(watched, actor, work) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // Somebody took a value between the look-up and the write; run again, the transaction finds it taken.
    if (isUndone && late.times++ === 0) throw conflict(error)
    outcomes[row.n] = { refusal: inBody(error) }
    if (isUndone) throw new Undone()
  }
}
