import type { BatchOp } from '#derive/batch-operation.ts'
import { rowRefusal } from '#derive/refusals.ts'
import type { Definition } from '#registry/definition.ts'
import { Refusal } from '#registry/refusals.ts'
import { treesOf } from '#sql/records/lock-order.ts'
import type { Transaction } from '../store/database.ts'
import { waitFor } from '../wait/wait.ts'
import type { Actor } from './actor.ts'
import { idOfReference, idsOfReferences, lockBatch } from './batch-locks.ts'
import {
  type AcceptedRow,
  inBody,
  nextSet,
  type OperationResult,
  type OrderedOperation,
  type Run,
  resolveBody,
} from './batch-run.ts'
import { runLocked } from './command.ts'
import { recordCommands } from './commands.ts'
import { createRecords } from './create.ts'
import { type ChangedRow, updateRecords } from './update.ts'
import { type LateConflict, refusalOf, writtenTogether } from './write-set.ts'

/**
 * Runs many operations in one transaction, in their order, as sets. A refused operation has written nothing, and the
 * others go on, so that all problems are found. The caller decides whether their changes stay. Decisions, Batch.
 */
export async function runBatch(
  transaction: Transaction,
  actor: Actor,
  rows: readonly OrderedOperation[],
  late: LateConflict,
): Promise<Run['outcomes']> {
  const wanted = rows.flatMap((row) => ('wanted' in row ? [row] : []))
  const run: Run = { transaction, actor, outcomes: [], breathe: createBreather(), late }
  late.isUndone = false
  for (const row of rows) if ('problems' in row) run.outcomes[row.n] = rowRefusal(row.problems)
  await lockBatch(run, wanted)
  for (let rest = wanted; rest.length > 0 && !late.isUndone; ) {
    const set = nextSet(rest)
    const { op, definition } = (set[0] as AcceptedRow).wanted
    const outcomes = await sets[op](run, definition, set)
    for (const [place, outcome] of outcomes.entries()) {
      const { n } = set[place] as AcceptedRow
      run.outcomes[n] = outcome instanceof Refusal ? inBody(outcome) : outcome
    }
    rest = rest.slice(outcomes.length)
  }
  return run.outcomes
}

/** Runs the first rows of a set, one at least. Returns their outcomes. */
type SetWriter = (run: Run, definition: Definition, set: readonly AcceptedRow[]) => Promise<Run['outcomes']>

/**
 * Runs each row as a command of its own: an upsert is a create or an update, and a deletion also changes the records
 * that refer to its own.
 */
const oneByOne: SetWriter = async (run, definition, set) => {
  const { transaction, actor, late } = run
  const outcomes: Run['outcomes'] = Array.from(set, () => undefined)
  for (const [place, row] of set.entries()) {
    if (late.isUndone) break
    await run.breathe()
    try {
      const { body, lost } = resolveBody(run, row)
      if (lost.length > 0) throw refusalOf([], lost)
      const { op, externalRef: reference = '', mayBeNew } = row.wanted
      const id = row.wanted.id ?? (mayBeNew ? 0 : await idOfReference(run, definition, reference))
      const wanted = { definition, id, reference, body, expected: row.expected, late }
      outcomes[place] = await runLocked<OperationResult>(
        transaction,
        actor,
        recordCommands[op](actor.companyId, wanted),
      )
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      outcomes[place] = error
    }
  }
  return outcomes
}

const sets: { readonly [op in BatchOp]: SetWriter } = {
  create: (run, definition, set) =>
    createRecords(
      run,
      definition,
      set.map((row) => resolveBody(run, row)),
    ),
  async update(run, definition, set) {
    return updateRecords(run, definition, await targetsOf(run, definition, set.slice(0, writtenTogether)))
  },
  upsert: oneByOne,
  delete: oneByOne,
}

/**
 * Returns the first rows of a set with the ids of their records. Stops before a row whose record, or whose parent in a
 * tree, another row updates.
 */
async function targetsOf(run: Run, definition: Definition, set: readonly AcceptedRow[]): Promise<ChangedRow[]> {
  const references = set.map(({ wanted }) => wanted.externalRef)
  const found = references.some((reference) => reference !== undefined)
    ? await idsOfReferences(run, definition, references)
    : []
  const own = treesOf(definition)
  const targets = new Set<unknown>()
  const rows: ChangedRow[] = []
  for (const [place, row] of set.entries()) {
    const id = row.wanted.id ?? found[place] ?? null
    if ((id !== null && targets.has(id)) || own.some((name) => targets.has(row.wanted.body[name]))) break
    if (id !== null) targets.add(id)
    rows.push({ id, expected: row.expected, ...resolveBody(run, row) })
  }
  return rows
}

const breatheEveryMs = 4

/** Returns a function that lets other requests run, every few milliseconds of a long task. */
export function createBreather(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < breatheEveryMs) return
    await waitFor('the next turn', (resolve) => void setImmediate(resolve))
    since = performance.now()
  }
}
