import type { BatchRow } from '#derive/batch.ts'
import type { BatchOp, BatchOperation } from '#derive/batch-operation.ts'
import { rowProblems, rowRefusal } from '#derive/refusals.ts'
import { type Problem, problem } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { Refusal } from '#registry/refusals.ts'
import { treesOf } from '#sql/records/lock-order.ts'
import type { RecordResults } from './summary.ts'
import type { Outcomes, WriteSet } from './write-set.ts'

/** The data that the parts of a batch share: operations, outcomes, and references from one operation to another. */

export type AcceptedRow = Extract<BatchRow, { wanted: BatchOperation }>

export type OperationResult = RecordResults[BatchOp]

/**
 * The state that the operations of a batch share. If `late.isUndone`, everything was rolled back: later operations have
 * no outcome.
 */
export type Run = WriteSet & { outcomes: Outcomes<OperationResult> }

/**
 * Returns the body with the ids of earlier operations filled in. `lost` are the fields that stand for a refused one,
 * which has no id.
 */
export function fillIn(
  wanted: BatchOperation,
  idOf: (n: number) => number | undefined,
): { body: JsonObject; lost: Problem[] } {
  const body = { ...wanted.body }
  const lost: Problem[] = []
  for (const [field, n] of wanted.refs) {
    const id = idOf(n)
    if (id !== undefined) body[field] = id
    else {
      delete body[field]
      lost.push(problem(field, 'not_found', `stands for the id of operation ${n}, which is refused`))
    }
  }
  return { body, lost }
}

export const resolveBody = ({ outcomes }: Run, { wanted }: AcceptedRow) =>
  fillIn(wanted, (n) => {
    const outcome = outcomes[n]
    return outcome instanceof Refusal ? undefined : outcome?.id
  })

/** Returns the refusal of a body with its problems at their places in the operation. */
export function inBody(refusal: Refusal): Refusal {
  const { errors } = refusal.particulars
  return errors ? rowRefusal(rowProblems(errors)) : refusal
}

/**
 * Returns the first operations that can run together: consecutive ones of one sort and resource, up to one that uses
 * the result of another. `updateRecords` ends a set at conflicts that only the database shows.
 */
export function nextSet(rows: readonly AcceptedRow[]): AcceptedRow[] {
  const set: AcceptedRow[] = []
  let namesChange = false
  for (const row of rows) {
    const first = set[0]
    if (first && (!isOfSet(first, row) || hangsInTree(row) || (namesChange && isNamed(row)))) break
    set.push(row)
    if (hangsInTree(row)) break
    namesChange ||= Object.hasOwn(row.wanted.body, 'external_ref')
  }
  return set
}

const isOfSet = (first: AcceptedRow, { wanted }: AcceptedRow): boolean =>
  wanted.op === first.wanted.op &&
  wanted.definition === first.wanted.definition &&
  ![...wanted.refs.values()].some((n) => n >= first.n)

/** Returns whether the operation finds its record by an external reference. */
const isNamed = ({ wanted }: AcceptedRow): boolean => wanted.externalRef !== undefined

/**
 * Returns whether an update moves a record in a tree. It runs alone, because circles are looked for among written
 * records.
 */
export const hangsInTree = ({ wanted: { id, externalRef, definition, body } }: AcceptedRow): boolean =>
  (id ?? externalRef) !== undefined && treesOf(definition).some((name) => Object.hasOwn(body, name))
