import type { BatchOp } from '#derive/batch-operation.ts'
import { rowRefusal } from '#derive/refusals.ts'
import type { Definition } from '#registry/definition.ts'
import { Refusal } from '#registry/refusals.ts'
import { treesOf } from '#sql/records/lock-order.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import { idOfReference, idsOfReferences, lockBatch } from './batch-locks.ts'
import {
  type AcceptedRow,
  inBody,
  nextSet,
  type OperationResult,
  type OrderedOperation,
  type Outcomes,
  type Run,
  resolveBody,
} from './batch-run.ts'
import { runLocked } from './command.ts'
import { createRecords } from './create.ts'
import { createRemoval } from './remove.ts'
import { type ChangedRow, updateRecords } from './update.ts'
import { upsert } from './upsert.ts'
import { type LateConflict, refusalOf, type Outcomes as SetOutcomes, writtenTogether } from './write-set.ts'

/**
 * Runs many operations in one transaction, in their order, as sets. A refused operation has written nothing, and the
 * others go on, so that all problems are found. The caller decides whether their changes stay. Decisions, Batch.
 */
export async function runBatch(
  transaction: Transaction,
  actor: Actor,
  rows: readonly OrderedOperation[],
  late: LateConflict,
): Promise<Outcomes> {
  const wanted = rows.flatMap((row) => ('wanted' in row ? [row] : []))
  const run: Run = { transaction, actor, outcomes: [], breathe: createBreather(), late }
  late.isUndone = false
  for (const row of rows) if ('problems' in row) run.outcomes[row.n] = { refusal: rowRefusal(row.problems) }
  await lockBatch(run, wanted)
  for (let rest = wanted; rest.length > 0 && !late.isUndone; ) {
    const set = nextSet(rest)
    const { op, definition } = (set[0] as AcceptedRow).wanted
    rest = rest.slice(await sets[op](run, definition, set))
  }
  return run.outcomes
}

/** Runs the first rows of a set, one at least. Returns how many. */
type SetWriter = (run: Run, definition: Definition, set: readonly AcceptedRow[]) => Promise<number>

/** Runs each row as a command of its own. */
const oneByOne =
  (
    does: (run: Run, row: AcceptedRow, resolvedRow: ReturnType<typeof resolveBody>) => Promise<OperationResult>,
  ): SetWriter =>
  async (run, _definition, set) => {
    for (const row of set) {
      if (run.late.isUndone) break
      await run.breathe()
      try {
        run.outcomes[row.n] = await does(run, row, resolveBody(run, row))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        run.outcomes[row.n] = { refusal: inBody(error) }
      }
    }
    return set.length
  }

const sets: { readonly [op in BatchOp]: SetWriter } = {
  async create(run, definition, set) {
    const done = await createRecords(
      run,
      definition,
      set.map((row) => resolveBody(run, row)),
    )
    return note(run, set, done, (created) => ({ created }))
  },
  async update(run, definition, set) {
    const rows = await targetsOf(run, definition, set.slice(0, writtenTogether))
    return note(run, set, await updateRecords(run, definition, rows), (updated) => ({ updated }))
  },
  upsert: oneByOne(async (run, { wanted: { definition, externalRef }, expected }, { body, lost }) => {
    if (lost.length > 0) throw refusalOf([], lost)
    const work = upsert(run.actor.companyId, { definition, value: externalRef as string, body, expected }, run.late)
    return { upserted: await runLocked(run.transaction, run.actor, work) }
  }),
  /** A deletion also changes the records that refer to its own, so each runs by itself. */
  delete: oneByOne(async ({ transaction, actor }, { wanted: { definition, externalRef, ...wanted }, expected }) => {
    const id = wanted.id ?? (await idOfReference(transaction, actor.companyId, definition, externalRef as string))
    const work = createRemoval(actor.companyId, { definition, id, expected })
    return { deleted: await runLocked(transaction, actor, work) }
  }),
}

/** Stores the outcomes of the first rows of a set. Returns how many. */
function note<D>(
  run: Run,
  set: readonly AcceptedRow[],
  outcomes: SetOutcomes<D>,
  doneOf: (done: D) => OperationResult,
): number {
  for (const [place, outcome] of outcomes.entries()) {
    const { n } = set[place] as AcceptedRow
    if (outcome instanceof Refusal) run.outcomes[n] = { refusal: inBody(outcome) }
    else if (outcome !== undefined) run.outcomes[n] = doneOf(outcome)
  }
  return outcomes.length
}

/**
 * Returns the first rows of a set with the ids of their records. Stops before a row whose record, or whose parent in a
 * tree, another row updates.
 */
async function targetsOf(run: Run, definition: Definition, set: readonly AcceptedRow[]): Promise<ChangedRow[]> {
  const { transaction, actor } = run
  const references = set.map(({ wanted }) => wanted.externalRef)
  const found = references.some((reference) => reference !== undefined)
    ? await idsOfReferences(transaction, actor.companyId, definition, references)
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
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}
