import type { BatchRow } from '#derive/batch.ts'
import type { BatchWanted } from '#derive/batch-operation.ts'
import { rowProblems, rowRefusal } from '#derive/refused.ts'
import type { Problem } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import type { Refusal } from '#registry/refusals.ts'
import type { Transaction } from '../../store/database.ts'
import type { Actor } from '../actor.ts'
import type { Expected } from '../expected.ts'
import type { Removed } from '../remove-record.ts'
import type { Upserted } from '../upsert.ts'
import type { Changed, Written } from '../write-record.ts'

/** What the parts of a batch share: its operations, what came of them, and how the one refers to the other. */

/** An operation and what it expects of the version of its record. */
export type Ordered = BatchRow & { expected: Expected }
export type WantedRow = { n: number; as: string | undefined; wanted: BatchWanted; expected: Expected }

export type Outcome = { refusal: Refusal } | Done
/** By the number of the operation. */
export type Outcomes = (Outcome | undefined)[]
export type Done = { created: Written } | { updated: Changed } | { upserted: Upserted } | { deleted: Removed }

/** Everything was undone in the middle; what refuses it is among the outcomes, and what follows has none. */
export class Undone extends Error {
  constructor() {
    super('a batch was undone')
    this.name = 'Undone'
  }
}

/** How often a unique value was taken by another in the moment before the write; see `uniquely`. */
export type Late = { times: number }

/** More written together would be a longer pause for everybody else, while their JSON is written and read. */
export const writtenTogether = 250

export type Run = {
  transaction: Transaction
  actor: Actor
  outcomes: Outcomes
  breathe(): Promise<void>
  late: Late
}

/** The body with the ids of earlier operations in it; a field that stands for one that was refused is lost. */
export function resolved(
  { outcomes }: Pick<Run, 'outcomes'>,
  { wanted }: WantedRow,
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

/** What is wrong with an operation, the fields that are lost said once. */
export const refusalOf = (problems: readonly Problem[], lost: readonly Problem[]): { refusal: Refusal } => {
  const names = lost.map(({ field }) => field)
  return { refusal: rowRefusal(rowProblems([...problems.filter(({ field }) => !names.includes(field)), ...lost])) }
}
