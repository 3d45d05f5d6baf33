import { checkRules } from '#derive/input.ts'
import { type Definition, type Problem, problem } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { uniqueFields } from '#sql/records/columns.ts'
import { holderColumn, lookUp } from '#sql/records/prefetch.ts'
import { holdLive, takenMeanwhile } from '#sql/records/restore.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import { lookUpFound } from './check.ts'
import { resourceNamed } from './remove.ts'

/** Problems that keep deleted records from being restored. */

export type ReturningRecords = { definition: Definition; records: JsonObject[] }

/** The last state of an erased record, and the version under which it comes back. */
export type ErasedRow = { held: JsonObject; version: number }

export const idOf = (record: JsonObject): number => record.id as number

/** Returns problems of unique values that other records have by now, and of references that lead to nothing. */
export async function inTheWay(
  transaction: Transaction,
  actor: Actor,
  returning: ReturningRecords[],
  erased: ErasedRow | undefined,
): Promise<Problem[]> {
  return [
    ...(await takenValues(transaction, actor, returning)),
    ...(await takenOfErased(transaction, actor, returning, erased)),
    ...(await lostReferences(transaction, actor, returning)),
  ]
}

/** Returns the rules that no longer hold: the project may be another client's by now. */
export async function brokenRules(
  transaction: Transaction,
  { companyId }: Actor,
  returning: ReturningRecords[],
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const group of returning) {
    const { definition, records } = group
    for (const record of records) {
      const found = await lookUpFound(transaction, companyId, definition, record)
      const broken = Object.keys(found).length > 0 ? checkRules(definition, record, record, found, []) : []
      const at = (field: string) => placeOf(group, returning[0], idOf(record), field)
      problems.push(...broken.map((problem) => ({ ...problem, field: at(problem.field) })))
    }
  }
  return problems
}

/**
 * Returns the place of a problem: the field alone, if the removal is named after the resource, else with resource and
 * id.
 */
const placeOf = (
  { definition }: ReturningRecords,
  first: ReturningRecords | undefined,
  id: number,
  field: string,
): string => (definition === first?.definition ? field : `${definition.name}[${id}].${field}`)

async function takenValues(
  transaction: Transaction,
  { companyId }: Actor,
  returning: ReturningRecords[],
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const group of returning) {
    const { definition, records } = group
    for (const field of uniqueFields(definition)) {
      const rows = await transaction.run<{ id: number; value: string }>(
        takenMeanwhile(companyId, definition, field, records.map(idOf)),
      )
      for (const { id, value } of rows) {
        problems.push(takenProblem(definition, placeOf(group, returning[0], id, field), value))
      }
    }
  }
  return problems
}

/** Returns the taken values of an erased record, which is not in its table. */
async function takenOfErased(
  transaction: Transaction,
  { companyId }: Actor,
  [own]: ReturningRecords[],
  erased: ErasedRow | undefined,
): Promise<Problem[]> {
  if (!erased || !own) return []
  const { definition } = own
  const fields = uniqueFields(definition)
  if (fields.length === 0) return []
  const values = Object.fromEntries(fields.map((name) => [name, erased.held[name] as string | null]))
  const [row] = await transaction.run<JsonObject>(lookUp(companyId, definition, values))
  return fields
    .filter((field) => (row?.[holderColumn(field)] ?? null) !== null)
    .map((field) => takenProblem(definition, field, values[field]))
}

const takenProblem = ({ one }: Definition, field: string, value: string | null | undefined): Problem =>
  problem(field, 'not_unique', `is ${JSON.stringify(value)}, which another ${one} has meanwhile; change it there first`)

async function lostReferences(
  transaction: Transaction,
  { companyId }: Actor,
  returning: ReturningRecords[],
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const group of returning) {
    const { definition, records } = group
    for (const [name, field] of Object.entries(definition.fields)) {
      if (field.kind !== 'reference') continue
      const comeToo = new Set(returning.find((other) => other.definition.name === field.to)?.records.map(idOf))
      const outside = records.filter((record) => record[name] !== null && !comeToo.has(record[name] as number))
      if (outside.length === 0) continue
      const wanted = [...new Set(outside.map((record) => record[name] as number))]
      const rows = await transaction.run<{ id: number; live: boolean }>(holdLive(companyId, field.to, wanted))
      const live = new Set(rows.filter((row) => row.live).map(({ id }) => id))
      for (const record of outside.filter((record) => !live.has(record[name] as number))) {
        const message = `leads to a ${resourceNamed(field.to).one} that has been deleted meanwhile; restore that first`
        problems.push(problem(placeOf(group, returning[0], idOf(record), name), 'not_found', message))
      }
    }
  }
  return problems
}
