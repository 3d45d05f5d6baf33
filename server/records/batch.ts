import type { Batch, BatchRow } from '#derive/batch.ts'
import type { BatchOp } from '#derive/batch-operation.ts'
import { batchRefused, rowRefusal } from '#derive/refusals.ts'
import { routesOn } from '#derive/routes.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { Refusal, type RefusedOperation, refusedRow } from '#registry/refusals.ts'
import { treesOf } from '#sql/records/lock-order.ts'
import { conflict } from '#sql/statement.ts'
import type { Transaction } from '../store/database.ts'
import { waitFor } from '../wait/wait.ts'
import type { Actor } from './actor.ts'
import { idOfReference, idsOfReferences, lockBatch } from './batch-locks.ts'
import { type AcceptedRow, inBody, nextSet, type OperationResult, type Run, resolveBody } from './batch-run.ts'
import { createRecords } from './create.ts'
import type { Effect } from './preview.ts'
import { createRemoval } from './remove.ts'
import { summarize } from './summary.ts'
import { type ChangedRow, updateRecords } from './update.ts'
import { upsert } from './upsert.ts'
import { type Command, runLocked, type WriteEnding } from './write-record.ts'
import { type LateConflict, noneLate, refusalOf, writtenTogether } from './write-set.ts'

/** The outcome of a batch, the same for every channel. */
export type BatchResult = { data: JsonObject; effects: readonly Effect[] }

/** The id of the call and the page of errors, which the refusal of an operation names. */
export type RefusalContext = { requestId: string; errorsPage: string }

/**
 * Returns a batch as one write. In the mode `all` a refused operation rolls it back, and the refusal has all problems of
 * all operations. Else the other operations stay.
 */
export function batchCommand({ mode, rows }: Batch, dryRun: boolean, context: RefusalContext): Command<BatchResult> {
  const late = noneLate()
  return {
    prefetch: null,
    async execute(transaction, actor) {
      const outcomes = await runBatch(transaction, actor, rows, late)
      const refused = rows.flatMap(({ n, as }): RefusedOperation[] => {
        const outcome = outcomes[n]
        return outcome instanceof Refusal ? [{ n, as, refusal: outcome }] : []
      })
      if (refused.length > 0 && mode === 'all') {
        transaction.undo()
        throw batchRefused(rows.length, refused)
      }
      const summaries = rows.map((row) => {
        const outcome = outcomes[row.n]
        // Rolled back in the middle: a retry finds the values that were taken.
        if (!outcome) throw conflict(`operation ${row.n} was not come to`)
        return outcome instanceof Refusal
          ? { row: formatRefused(row, outcome, context), effects: [] }
          : summarizeRow(row as AcceptedRow, dryRun, outcome)
      })
      const operations = summaries.map(({ row }) => row)
      return { data: summarizeBatch(mode, dryRun, operations), effects: summaries.flatMap(({ effects }) => effects) }
    },
  }
}

/** Returns the data of a batch; `operations` has the outcome of each. */
export function summarizeBatch(mode: Batch['mode'], dryRun: boolean, operations: JsonObject[]): JsonObject {
  const refused = operations.filter(({ status }) => (status as number) >= 400).length
  return { mode, dry_run: dryRun, done: operations.length - refused, refused, operations }
}

/** Returns the outcome of one operation: the response of its own call, with its place in the batch. */
export function summarizeRow(
  { n, as, wanted: { op, definition } }: AcceptedRow,
  dryRun: boolean,
  result: OperationResult,
) {
  const { data, isCreated, written, effects } = summarize(op, dryRun, result)
  const placed = effects.map((effect) =>
    effect.doubts?.length ? { ...effect, doubts: effect.doubts.map((doubt) => ({ n, ...doubt })) } : effect,
  )
  const status = isCreated ? routesOn(definition)[op].success : 200
  const row: JsonObject = {
    n,
    ...(as === undefined ? {} : { as }),
    status,
    ...(written?.tag === undefined ? {} : { etag: written.tag }),
    data,
  }
  return { row, effects: placed }
}

export const formatRefused = ({ n, as }: BatchRow, refusal: Refusal, { requestId, errorsPage }: RefusalContext) =>
  refusedRow({ n, as, refusal }, requestId, errorsPage) as unknown as JsonObject

/**
 * Runs many operations in one transaction, in their order, as sets. A refused operation has written nothing, and the
 * others go on, so that all problems are found. The caller decides whether their changes stay. Decisions, Batch.
 */
async function runBatch(
  transaction: Transaction,
  actor: Actor,
  rows: readonly BatchRow[],
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

/** Returns the command of one operation; the record is named by its id, by its reference, or not. */
export type RowCommand = (
  companyId: number,
  definition: Definition,
  row: Pick<ChangedRow, 'body' | 'expected'> & WriteEnding & { id: number; reference: string },
) => Command<OperationResult>

/**
 * Runs each row as a command of its own: an upsert is a create or an update, and a deletion also changes the records
 * that refer to its own.
 */
const oneByOne =
  (commandOf: RowCommand): SetWriter =>
  async (run, definition, set) => {
    const { transaction, actor, late } = run
    const outcomes: Run['outcomes'] = Array.from(set, () => undefined)
    for (const [place, row] of set.entries()) {
      if (late.isUndone) break
      await run.breathe()
      try {
        const { body, lost } = resolveBody(run, row)
        if (lost.length > 0) throw refusalOf([], lost)
        const { externalRef: reference = '', mayBeNew, expected } = row.wanted
        const id = row.wanted.id ?? (mayBeNew ? 0 : await idOfReference(run, definition, reference))
        const command = commandOf(actor.companyId, definition, { id, reference, body, expected, late })
        outcomes[place] = await runLocked(transaction, actor, command)
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
  upsert: oneByOne(upsert),
  delete: oneByOne(createRemoval),
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
    rows.push({ id, expected: row.wanted.expected, ...resolveBody(run, row) })
  }
  return rows
}

const breatheEveryMs = 4

/** Returns a function that lets other requests run, every few milliseconds of a long task. */
function createBreather(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < breatheEveryMs) return
    await waitFor('the next turn', (resolve) => void setImmediate(resolve))
    since = performance.now()
  }
}
