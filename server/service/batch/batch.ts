import type { BatchOp } from '#derive/batch-operation.ts'
import { rowRefusal } from '#derive/refused.ts'
import type { Definition } from '#registry/definition.ts'
import { Refusal } from '#registry/refusals.ts'
import type { Transaction } from '../../store/database.ts'
import type { Actor } from '../actor.ts'
import { makeBreather } from '../breather.ts'
import { runLocked } from '../command.ts'
import { removal } from '../remove-record.ts'
import { createSet } from './create-set.ts'
import { nextSet } from './cut.ts'
import { lockBatch } from './locks.ts'
import { idOfReference } from './reference.ts'
import { type Late, type Ordered, type Outcomes, type Run, Undone, type WantedRow } from './run.ts'
import { updateSet } from './update-set.ts'
import { upsertOne } from './upsert-one.ts'

/**
 * Many operations in one transaction, in their order, as sets. An operation that is refused has written nothing, and the
 * others go on, so that everything that is wrong is found; the caller decides whether they stay. Decisions, Batch.
 */
export async function runBatch(
  transaction: Transaction,
  actor: Actor,
  rows: readonly Ordered[],
  late: Late,
): Promise<Outcomes> {
  const wanted = rows.flatMap((row) => ('wanted' in row ? [row] : []))
  const run: Run = { transaction, actor, outcomes: [], breathe: makeBreather(), late }
  for (const row of rows) if ('problems' in row) run.outcomes[row.n] = { refusal: rowRefusal(row.problems) }
  await lockBatch(run, wanted)
  try {
    for (let rest = wanted; rest.length > 0; ) {
      const set = nextSet(rest)
      const { op, definition } = (set[0] as WantedRow).wanted
      await sets[op](run, definition, set)
      rest = rest.slice(set.length)
    }
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
  return run.outcomes
}

type DoSet = (run: Run, definition: Definition, set: readonly WantedRow[]) => Promise<void>

/** Each is a piece of work of its own. */
const oneByOne =
  (does: (run: Run, row: WantedRow) => Promise<void>): DoSet =>
  async (run, _definition, set) => {
    for (const row of set) {
      await does(run, row)
      await run.breathe()
    }
  }

const sets: { readonly [op in BatchOp]: DoSet } = {
  ...{ create: createSet, update: updateSet, upsert: oneByOne(upsertOne), delete: oneByOne(deleteOne) },
}

/** A deletion follows what refers to its record. */
async function deleteOne({ transaction, actor, outcomes }: Run, row: WantedRow): Promise<void> {
  const { definition, externalRef } = row.wanted
  try {
    const id = row.wanted.id ?? (await idOfReference(transaction, actor.companyId, definition, externalRef as string))
    const work = removal(actor.companyId, { definition, id, expected: row.expected })
    outcomes[row.n] = { deleted: await runLocked(transaction, actor, work) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    outcomes[row.n] = { refusal: error }
  }
}
