import { checkRules } from '#derive/input.ts'
import { type Definition, type Problem, problem } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { referencesOf, uniqueFields } from '#sql/records/columns.ts'
import { holdLive } from '#sql/records/restore.ts'
import { type HolderRow, holdersOf } from '#sql/records/sets.ts'
import type { WriteContext } from './actor.ts'
import { lookUpFound } from './check.ts'
import { resourceNamed } from './remove.ts'
import { judgedSums } from './sums.ts'
import { readToday } from './today.ts'

/** Problems that keep deleted records from being restored. */

export type ReturningRecords = { definition: Definition; records: JsonObject[] }

/** The last state of an erased record, and the version under which it comes back. */
export type ErasedRow = { held: JsonObject; version: number }

export const idOf = (record: JsonObject): number => record.id as number

/** Returns problems of unique values that other records have by now, and of references that lead to nothing. */
export async function inTheWay(
  context: WriteContext,
  returning: ReturningRecords[],
  erased: ErasedRow | undefined,
): Promise<Problem[]> {
  return [
    ...(await takenValues(context, returning, (record) => record !== erased?.held)),
    ...(await takenValues(context, returning, (record) => record === erased?.held)),
    ...(await lostReferences(context, returning)),
  ]
}

/** Returns the rules that no longer hold: the project may be another client's by now. */
export async function brokenRules(context: WriteContext, returning: ReturningRecords[]): Promise<Problem[]> {
  const problems: Problem[] = []
  const today = await readToday(context)
  for (const group of returning) {
    const { definition, records } = group
    for (const record of records) {
      const found = await lookUpFound(context, definition, record)
      const [sums] = await judgedSums(context, definition, [{ body: {} }], () => record)
      const isJudged = sums !== undefined || Object.keys(found).length > 0
      const broken = isJudged ? checkRules(definition, record, record, [], { found, sums, today }) : []
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
  { transaction, actor: { companyId } }: WriteContext,
  returning: ReturningRecords[],
  isMeant: (record: JsonObject) => boolean,
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const group of returning) {
    const { definition } = group
    const records = group.records.filter(isMeant)
    for (const field of records.length > 0 ? uniqueFields(definition) : []) {
      const values = records.map((record) => record[field] as string | null)
      const rows = await transaction.run<HolderRow>(holdersOf(companyId, definition, field, values))
      for (const { place, holder } of rows) {
        if (holder === null) continue
        const value = JSON.stringify(values[place - 1])
        const message = `is ${value}, which another ${definition.one} has meanwhile; change it there first`
        const at = placeOf(group, returning[0], idOf(records[place - 1] as JsonObject), field)
        problems.push(problem(at, 'not_unique', message))
      }
    }
  }
  return problems
}

async function lostReferences({ transaction, actor }: WriteContext, returning: ReturningRecords[]): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const group of returning) {
    const { definition, records } = group
    for (const [name, { to }] of referencesOf(definition)) {
      const comeToo = new Set(returning.find((other) => other.definition.name === to)?.records.map(idOf))
      const outside = records.filter((record) => record[name] !== null && !comeToo.has(record[name] as number))
      if (outside.length === 0) continue
      const wanted = [...new Set(outside.map((record) => record[name] as number))]
      const rows = await transaction.run<{ id: number; live: boolean }>(holdLive(actor.companyId, to, wanted))
      const live = new Set(rows.filter((row) => row.live).map(({ id }) => id))
      for (const record of outside.filter((record) => !live.has(record[name] as number))) {
        const message = `leads to a ${resourceNamed(to).one} that has been deleted meanwhile; restore that first`
        problems.push(problem(placeOf(group, returning[0], idOf(record), name), 'not_found', message))
      }
    }
  }
  return problems
}
