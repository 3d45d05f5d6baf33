import type { Definition, Problem } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { permission } from '#registry/permissions.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import { fieldOfIndex } from '#sql/records/columns.ts'
import { type HeldRemoval, lockRemoval, markRestored, softDeletedBy, undelete } from '#sql/records/restore.ts'
import { insertAgain } from '#sql/records/write.ts'
import type { Transaction } from '../store/database.ts'
import { violatedIndex } from '../store/faults.ts'
import type { Actor } from './actor.ts'
import { takeQuotaSlots } from './plan.ts'
import { relink } from './relink.ts'
import { type Group, type MayDo, resourceNamed } from './remove-record.ts'
import { brokenRules, type Erased, idOf, inTheWay, type Returning } from './restore-problems.ts'

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
  refuse(await inTheWay(transaction, actor, returning, erased))

  for (const group of returning) await bringBack(transaction, actor, group, { removalId, erased })
  const linked = await relink(transaction, actor, removal.unlinked)
  refuse(await brokenRules(transaction, actor, returning))
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

function refuse(problems: Problem[]): void {
  if (problems.length > 0) throw invalidFields(problems)
}

type Wanted = { definition: Definition; ids: number[] }

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
    throw invalidField(
      field,
      'not_unique',
      `has a value that another ${definition.one} has meanwhile; change it there first`,
    )
  }
}
