import type { BatchRow } from '#derive/batch.ts'
import type { BatchOperation } from '#derive/batch-operation.ts'
import { rowProblems, rowRefusal } from '#derive/refusals.ts'
import type { Problem } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import type { Refusal } from '#registry/refusals.ts'
import { treesOf } from '#sql/records/lock-order.ts'
import type { ExpectedVersion } from './expected.ts'
import type { RemovalResult } from './remove.ts'
import type { UpsertResult } from './upsert.ts'
import type { ChangeResult, WriteResult, WriteSet } from './write-set.ts'

/** What the parts of a batch share: its operations, what came of them, and how the one refers to the other. */

/** An operation and what it expects of the version of its record. */
export type OrderedOperation = BatchRow & { expected: ExpectedVersion }
export type AcceptedRow = { n: number; as: string | undefined; wanted: BatchOperation; expected: ExpectedVersion }

export type Outcome = { refusal: Refusal } | OperationResult
/** By the number of the operation. */
export type Outcomes = (Outcome | undefined)[]
export type OperationResult =
  | { created: WriteResult }
  | { updated: ChangeResult }
  | { upserted: UpsertResult }
  | { deleted: RemovalResult }

/** What the operations of a batch share. Where `late` says so, everything was rolled back in the middle: what follows has no outcome. */
export type Run = WriteSet & { outcomes: Outcomes }

/** The body with the ids of earlier operations in it; a field that stands for one that was refused is lost. */
export function resolveBody(
  { outcomes }: Pick<Run, 'outcomes'>,
  { wanted }: AcceptedRow,
): { body: JsonObject; lost: Problem[] } {
  const body = { ...wanted.body }
  const lost: Problem[] = []
  for (const [field, n] of wanted.refs) {
    const id = idOf(outcomes[n])
    if (id !== undefined) body[field] = id
    else {
      delete body[field]
      lost.push(standsForRefused(field, n))
    }
  }
  return { body, lost }
}

export const standsForRefused = (field: string, n: number): Problem => ({
  field,
  code: 'not_found',
  message: `stands for the id of operation ${n}, which is refused`,
})

function idOf(outcome: Outcome | undefined): number | undefined {
  if (outcome === undefined || 'refusal' in outcome || 'deleted' in outcome) return undefined
  if ('upserted' in outcome) return outcome.upserted.id
  return 'created' in outcome ? outcome.created.id : outcome.updated.id
}

/** What is refused about the body of an operation is said of where it stands in the operation. */
export function inBody(refusal: Refusal): Refusal {
  const { errors } = refusal.particulars
  return errors ? rowRefusal(rowProblems(errors)) : refusal
}

/**
 * The first operations that can be done together: consecutive ones of one sort and one resource, up to where one uses
 * what another of them does. What only the database knows is cut when it is known (`update-set.ts`).
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

/** Whether the operation finds its record by an external reference. */
const isNamed = ({ wanted }: AcceptedRow): boolean => wanted.externalRef !== undefined

/** An update that hangs a record elsewhere is done alone: circles are looked for in what is written. */
export const hangsInTree = ({ wanted: { id, externalRef, definition, body } }: AcceptedRow): boolean =>
  (id ?? externalRef) !== undefined && treesOf(definition).some((name) => Object.hasOwn(body, name))
