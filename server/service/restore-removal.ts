import { checkRules } from '#derive/input.ts'
import type { Definition, Problem } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { permission } from '#registry/permissions.ts'
import { invalidFields, Refusal } from '#registry/refusals.ts'
import { fieldOfIndex, uniqueFields } from '#sql/records/columns.ts'
import { lookUp, takenColumn } from '#sql/records/prefetch.ts'
import {
  type HeldRemoval,
  holdLive,
  lockRemoval,
  markRestored,
  softDeletedBy,
  takenMeanwhile,
  undelete,
} from '#sql/records/restore.ts'
import { insertAgain } from '#sql/records/write.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import type { Actor } from './actor.ts'
import { lookUpFound } from './check-record.ts'
import { takeQuotaSlots } from './plan.ts'
import { relink } from './relink.ts'
import { type Group, type MayDo, resourceNamed } from './remove-record.ts'

export type Restored = { records: string; recordId: number; cameBack: Group[]; linked: Group[] }

/**
 * Undoes a whole deletion, or nothing of it: every record that went comes back, unless something stands against it. Its
 * unique values must be free, what it refers to must be live or come back too, and the plan must have a place. What had
 * let go of it refers to it again, where it is still live and still refers to nothing. Decisions, Deletion.
 */
export async function restoreRemoval(
  transaction: Transaction,
  actor: Actor,
  removalId: number,
  mayDo: MayDo,
  erased?: Erased,
): Promise<Restored> {
  const [removal] = await transaction.run<HeldRemoval>(lockRemoval(actor.companyId, removalId))
  if (!removal) throw new Refusal('not_found')
  const groups = groupsOf(removal)
  for (const { definition } of groups) mayDo(permission(definition.name, 'EDIT'))
  refuseIfOver(removal, groups, erased)

  const returning: Returning[] = []
  for (const { definition, ids } of groups) {
    const rows = await transaction.run<{ id: number; json: string }>(
      softDeletedBy(actor.companyId, definition, removalId, ids),
    )
    const records = rows.map(({ json }) => JSON.parse(json) as JsonObject)
    if (erased && definition === groups[0]?.definition) records.unshift(erased.held)
    if (records.length > 0) returning.push({ definition, records })
  }
  const problems = [
    ...(await takenValues(transaction, actor, returning)),
    ...(await takenOfErased(transaction, actor, returning, erased)),
    ...(await lostReferences(transaction, actor, returning)),
  ]
  if (problems.length > 0) throw invalidFields(problems)

  for (const group of returning) await bringBack(transaction, actor, group, { removalId, erased })
  const linked = await relink(transaction, actor, removal.unlinked)
  await keepRules(transaction, actor, returning)
  transaction.send(markRestored(actor.companyId, removalId))
  for (const { definition, records } of returning) {
    await takeQuotaSlots(transaction, actor.companyId, definition, records.length)
  }
  return {
    records: removal.records,
    recordId: removal.record_id,
    cameBack: returning.map(({ definition, records }) => ({ records: definition.name, ids: records.map(idOf) })),
    linked,
  }
}

/** A record that was erased, as it last was, and the version under which it comes back. */
export type Erased = { held: JsonObject; version: number }

type Wanted = { definition: Definition; ids: number[] }
type Returning = { definition: Definition; records: JsonObject[] }

const idOf = (record: JsonObject): number => record.id as number

/** The record itself first, then what went with it. */
function groupsOf({ records, record_id, went }: HeldRemoval): Wanted[] {
  const along = Object.entries(went).filter(([name]) => name !== records)
  const own = [record_id, ...(went[records] ?? [])]
  return [
    { definition: resourceNamed(records), ids: own },
    ...along.map(([name, ids]) => ({ definition: resourceNamed(name), ids })),
  ]
}

function refuseIfOver({ mode, restored }: HeldRemoval, [own]: Wanted[], erased: Erased | undefined): void {
  const one = own?.definition.one
  if (mode === 'hard' && !erased) {
    throw new Refusal('cannot_restore', {
      detail: `The ${one} was erased for good. Create it anew; its history says what it held.`,
    })
  }
  if (restored) throw new Refusal('cannot_restore', { detail: `The ${one} has been restored already.` })
}

/** A problem of the record that the removal is named after stands at its field; of another, at the record's too. */
const placeOf = ({ definition }: Returning, first: Returning | undefined, id: number, field: string): string =>
  definition === first?.definition ? field : `${definition.name}[${id}].${field}`

async function takenValues(transaction: Transaction, { companyId }: Actor, returning: Returning[]): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const group of returning) {
    const { definition, records } = group
    for (const field of uniqueFields(definition)) {
      const rows = await transaction.run<{ id: number; value: string }>(
        takenMeanwhile(companyId, definition, field, records.map(idOf)),
      )
      for (const { id, value } of rows) {
        problems.push({ ...taken(definition, field, value), field: placeOf(group, returning[0], id, field) })
      }
    }
  }
  return problems
}

/** The same of a record that is not in its table. */
async function takenOfErased(
  transaction: Transaction,
  { companyId }: Actor,
  [own]: Returning[],
  erased: Erased | undefined,
): Promise<Problem[]> {
  if (!erased || !own) return []
  const { definition } = own
  const fields = uniqueFields(definition)
  if (fields.length === 0) return []
  const given = Object.fromEntries(fields.map((name) => [name, erased.held[name] as string | null]))
  const [row] = await transaction.run<JsonObject>(lookUp(companyId, definition, given))
  return fields.filter((field) => row?.[takenColumn(field)]).map((field) => taken(definition, field, given[field]))
}

const taken = ({ one }: Definition, field: string, value: string | null | undefined): Problem => ({
  field,
  code: 'not_unique',
  message: `is ${JSON.stringify(value)}, which another ${one} has meanwhile; change it there first`,
})

async function lostReferences(
  transaction: Transaction,
  { companyId }: Actor,
  returning: Returning[],
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
        problems.push({ field: placeOf(group, returning[0], idOf(record), name), code: 'not_found', message })
      }
    }
  }
  return problems
}

async function bringBack(
  transaction: Transaction,
  actor: Actor,
  { definition, records }: Returning,
  { removalId, erased }: { removalId: number; erased: Erased | undefined },
) {
  const hidden = records.filter((record) => record !== erased?.held)
  try {
    if (erased && hidden.length < records.length)
      await transaction.run(insertAgain(actor, definition, erased.held, { version: erased.version, removalId }))
    if (hidden.length > 0) await transaction.run(undelete(actor, definition.name, hidden.map(idOf), removalId))
  } catch (error) {
    // Taken between our read and our write.
    const field = fieldOfIndex(definition, violatedIndex(error) ?? '')
    if (field === undefined) throw error
    const message = `has a value that another ${definition.one} has meanwhile; change it there first`
    throw invalidFields([{ field, code: 'not_unique', message }])
  }
}

/** What a record says of what it refers to may no longer be true: the project may be another client's by now. */
async function keepRules(transaction: Transaction, { companyId }: Actor, returning: Returning[]): Promise<void> {
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
  if (problems.length > 0) throw invalidFields(problems)
}
