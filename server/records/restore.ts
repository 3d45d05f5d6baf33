import type { Definition, Problem } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { permission } from '#registry/permissions.ts'
import { invalidField, invalidFields, Refusal } from '#registry/refusals.ts'
import { insertAgain } from '#sql/records/insert.ts'
import { treesOf } from '#sql/records/lock-order.ts'
import {
  type HeldRemoval,
  markRestored,
  removalsById,
  type SoftDeletedRow,
  softDeletedBy,
  undelete,
} from '#sql/records/restore.ts'
import { seenRecords } from '#sql/records/sets.ts'
import { runInOrder } from '#sql/statement.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor, WriteContext } from './actor.ts'
import { LockRequest, lockWhatIsSeen, valuesOfRecord } from './locks.ts'
import { takeQuotaSlots } from './quota.ts'
import { relink } from './relink.ts'
import { type Group, resourceNamed } from './remove.ts'
import { brokenRules, type ErasedRow, idOf, inTheWay, type ReturningRecords } from './restore-problems.ts'
import { settle } from './settle.ts'
import { takenField } from './write-set.ts'

export type RestoreResult = { records: string; recordId: number; cameBack: Group[]; linked: Group[] }

/**
 * Undoes a whole deletion, or nothing of it: every deleted record comes back unless something prevents one. Its unique
 * values must be free, its references must be live or come back too, and the plan must have a slot. References that the
 * deletion emptied are filled in again, if their record is live and they are still empty. Decisions, Deletion.
 */
export async function restoreRemoval(
  transaction: Transaction,
  actor: Actor,
  removalId: number,
): Promise<RestoreResult> {
  const context = { transaction, actor }
  const [removal] = await transaction.run<HeldRemoval>(removalsById(actor.companyId, [removalId]))
  if (!removal) throw new Refusal('not_found')
  for (const { definition } of groupsOf(removal)) actor.mayDo?.(permission(definition.name, 'EDIT'))
  refuseIfOver(removal)
  await lockWhatIsSeen(context, async () => {
    const request = new LockRequest()
    await wantRestored(context, request, removal)
    return request
  })
  return restoreLocked(context, removal)
}

/** A removal that is locked, and its record if it was erased and comes back nevertheless. */
type LockedRemoval = HeldRemoval & { erased?: ErasedRow | undefined }

/** Adds all locks of a restore: records that come back, those they refer to, and those linked to them again. */
export async function wantRestored(context: WriteContext, request: LockRequest, removal: LockedRemoval): Promise<void> {
  const { transaction, actor } = context
  const want = (definition: Definition, record: JsonObject): void => {
    request.wantWritten(definition, idOf(record), 'for update', record)
    request.values.push(...valuesOfRecord(definition, record))
    request.wantCount(definition.name)
  }
  await Promise.all(
    groupsOf(removal).map(async ({ definition, ids }) => {
      for (const record of await transaction.run<JsonObject>(seenRecords(actor.companyId, definition, ids)))
        want(definition, record)
    }),
  )
  const { erased } = removal
  if (erased) want(resourceNamed(removal.records), erased.held)
  for (const { records, by, ids, of = [], settled } of removal.unlinked) {
    const definition = resourceNamed(records)
    for (const [place, id] of ids.entries())
      request.wantWritten(definition, id, 'for no key update', { [by]: of[place] })
    for (const id of settled?.ids ?? []) request.wantWritten(definition, id, 'for no key update')
    if (treesOf(definition).includes(by)) request.trees.add(`${records}.${by}`)
  }
}

/** Restores a removal whose locks are all taken. */
export async function restoreLocked(context: WriteContext, removal: LockedRemoval): Promise<RestoreResult> {
  const { transaction, actor } = context
  const { id: removalId, erased } = removal
  const groups = groupsOf(removal)
  const wanted = groups.map(({ definition, ids }) => ({
    definition,
    ids: erased && definition.name === removal.records ? ids.filter((id) => id !== removal.record_id) : ids,
  }))
  const rows = await transaction.run<SoftDeletedRow>(softDeletedBy(actor.companyId, removalId, wanted))
  const returning = groups.flatMap(({ definition }): ReturningRecords[] => {
    const own = rows.filter(({ records }) => records === definition.name)
    const records = own.map(({ json }) => JSON.parse(json) as JsonObject)
    if (erased && definition.name === removal.records) records.unshift(erased.held)
    return records.length > 0 ? [{ definition, records }] : []
  })
  refuse(await inTheWay(context, returning, erased))

  for (const group of returning) await bringBack(context, group, { removalId, erased })
  const linked = await relink(context, removal.unlinked)
  for (const { definition, records } of returning)
    await settle(
      context,
      definition,
      records.map((record) => ({ by: actor, records: [record] })),
    )
  refuse(await brokenRules(context, returning))
  transaction.send(markRestored(actor.companyId, removalId))
  const counts = new Map(returning.map(({ definition, records }) => [definition.name, records.length]))
  await takeQuotaSlots(context, counts)
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

/** Returns the record itself first, then the records deleted along. */
function groupsOf({ records, record_id, went }: HeldRemoval): { definition: Definition; ids: number[] }[] {
  const own: [string, number[]] = [records, [record_id, ...(went[records] ?? [])]]
  const along = Object.entries(went).filter(([name]) => name !== records)
  return [own, ...along].map(([name, ids]) => ({ definition: resourceNamed(name), ids }))
}

/** Throws if nothing is left to restore. */
export function refuseIfOver({ records, mode, restored, erased }: LockedRemoval): void {
  const { one } = resourceNamed(records)
  if (mode === 'hard' && !erased) {
    throw new Refusal('cannot_restore', {
      detail: `The ${one} was erased for good. Create it anew; its history says what it held.`,
    })
  }
  if (restored) throw new Refusal('cannot_restore', { detail: `The ${one} has been restored already.` })
}

async function bringBack(
  { transaction, actor }: WriteContext,
  { definition, records }: ReturningRecords,
  { removalId, erased }: { removalId: number; erased: ErasedRow | undefined },
) {
  const hidden = records.filter((record) => record !== erased?.held)
  try {
    if (erased && hidden.length < records.length)
      await runInOrder(
        transaction.run,
        ...insertAgain(actor, definition, erased.held, { version: erased.version, removalId }),
      )
    if (hidden.length > 0)
      await runInOrder(transaction.run, ...undelete(actor, definition.name, hidden.map(idOf), removalId))
  } catch (error) {
    // Another transaction took the value between the read and the write.
    const field = takenField(definition, error)
    if (field === undefined) throw error
    throw invalidField(
      field,
      'not_unique',
      `has a value that another ${definition.one} has meanwhile; change it there first`,
    )
  }
}
