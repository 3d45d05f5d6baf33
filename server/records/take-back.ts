import { isFollowing } from '#derive/input.ts'
import { writableFields } from '#derive/schema.ts'
import { type Definition, isProtected } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { isSameJson, type Json, type JsonObject } from '#registry/json.ts'
import type { UndoConflict } from '#registry/refusals.ts'
import { changedSince, type UndoRow } from '#sql/records/written-changes.ts'
import type { WriteContext } from './actor.ts'
import { onlyRow, type PrefetchedRow, readPrefetch } from './look-up.ts'
import {
  createRemoval,
  familyOf,
  type Group,
  listsOf,
  planRemoval,
  type RemovalResult,
  resourceNamed,
} from './remove.ts'
import { refuseIfOver, restoreLocked } from './restore.ts'
import type { ErasedRow } from './restore-problems.ts'
import { oldFieldsOf, placeOf, type Step } from './undo-steps.ts'
import { updateOne } from './write-record.ts'

/** The state of an undo. Its conflicts are gathered while its steps are tried. */
export type UndoContext = WriteContext & { conflicts: UndoConflict[]; kept: Group[] }

/** Takes one change back, or adds its conflicts. */
export async function takeBack(taking: UndoContext, step: Step): Promise<RemovalResult[]> {
  if (step.does === 'remove') return removeMade(taking, step)
  if (step.does === 'remove again') return removeAgain(taking, step)
  if (step.does === 'void') await voidMade(taking, step)
  else await (step.does === 'change' ? changeBack(taking, step.row) : bringBack(taking, step))
  return []
}

type StepOf<Does extends Step['does']> = Extract<Step, { does: Does }>

/** Writes the old values if the record still has the new ones. Values that follow from others are computed anew. */
async function changeBack({ transaction, actor, conflicts, kept }: UndoContext, row: UndoRow): Promise<void> {
  const { records, record_id: id } = row
  const definition = resourceNamed(records)
  const old = oldFieldsOf(row)
  const fields = writableFields(definition).filter(([name]) => name in old)
  const writing = (some: readonly [string, Field][]) => {
    const body = Object.fromEntries(some.map(([name]) => [name, old[name] as Json]))
    return updateOne(actor.companyId, definition, { id, body, expected: undefined })
  }
  const seen = await readPrefetch(transaction, writing(fields))
  const held = onlyRow(seen)
  const record = held && recordOf(held)
  const after = { ...record, ...old }
  const own = fields.filter(([, field]) => !isFollowing(field, after))
  const other = own.filter(
    ([name]) => !record || !isSameJson(record[name], row.changes?.[name]?.[1]) || isErased(row, name),
  )
  // Beside others, a value that followed from a field which has changed since was not set by the write itself.
  const since =
    other.length < own.length && other.some(([, { follows }]) => follows)
      ? await transaction.run<{ field: string }>(changedSince(actor.companyId, records, id, row.version))
      : []
  const lost = other.filter(([, { follows }]) => !since.some(({ field }) => field === follows))
  if (lost.length > 0) conflicts.push({ records, id, fields: lost.map(([name]) => name) })
  else if (isProtected(definition, record as JsonObject) || isProtected(definition, after))
    kept.push({ records, ids: [id] })
  else await writing(own.filter((field) => !other.includes(field))).execute(transaction, actor, seen)
}

/** Returns whether the values were erased together with a person: a change from null to null. */
const isErased = ({ changes }: UndoRow, name: string): boolean =>
  changes?.[name]?.every((side) => side === null) ?? false

/** Deletes a created record, if it is as the write left it and nothing else refers to it. */
async function removeMade(taking: UndoContext, { row, version }: StepOf<'remove'>): Promise<RemovalResult[]> {
  const { transaction, actor, conflicts, kept } = taking
  const { records, record_id: id } = row
  const deletion = await deletionOf(taking, row)
  const { definition, seen } = deletion
  if (!seen || seen.version !== version) {
    const changed = await transaction.run<{ field: string }>(changedSince(actor.companyId, records, id, version))
    conflicts.push({ records, id, fields: changed.map(({ field }) => field).toSorted() })
    return []
  }
  if (isProtected(definition, recordOf(seen))) {
    kept.push({ records, ids: [id] })
    return []
  }
  return deleteAlone(taking, deletion, () => true)
}

/** Takes the step that stands for the deletion of a created record, unless it has been taken or the record has changed. */
async function voidMade(taking: UndoContext, { row, version, body }: StepOf<'void'>): Promise<void> {
  const { transaction, actor, conflicts } = taking
  const { records, record_id: id } = row
  const work = updateOne(actor.companyId, resourceNamed(records), { id, body, expected: undefined })
  const seen = await readPrefetch(transaction, work)
  const held = onlyRow(seen)
  const record = held && recordOf(held)
  if (record && Object.entries(body).every(([name, value]) => record[name] === value)) return
  if (record && held.version === version) {
    await work.execute(transaction, actor, seen)
    return
  }
  const changed = await transaction.run<{ field: string }>(changedSince(actor.companyId, records, id, version))
  conflicts.push({ records, id, fields: changed.map(({ field }) => field).toSorted() })
}

/** Restores the whole deletion, and every reference that it emptied. */
async function bringBack(taking: UndoContext, step: StepOf<'restore'>): Promise<void> {
  const { records, record_id, restored, unlinked } = step.removal
  const { conflicts } = taking
  if (restored) {
    conflicts.push({ records, id: record_id, fields: [] })
    return
  }
  const removal = { ...step.removal, erased: erasedBy(step) }
  refuseIfOver(removal)
  const { linked } = await restoreLocked(taking, removal)
  const back = new Set(linked.flatMap(({ records, ids }) => ids.map((one) => placeOf({ records, record_id: one }))))
  for (const { records: name, by, ids } of unlinked) {
    const lost = ids.filter((one) => !back.has(placeOf({ records: name, record_id: one })))
    conflicts.push(...lost.map((one) => ({ records: name, id: one, fields: [by] })))
  }
}

/** Returns the record that comes back into its table, if the removal erased it. */
export const erasedBy = ({ erased }: StepOf<'restore'>): ErasedRow | undefined =>
  erased?.held ? { held: erased.held, version: erased.version + 1 } : undefined

/** Deletes the restored records again, and none that came to refer to them since. */
async function removeAgain(taking: UndoContext, step: StepOf<'remove again'>): Promise<RemovalResult[]> {
  const { records, record_id } = step.removal
  const deletion = await deletionOf(taking, step.removal)
  const left = step.members.find((row) => row.records === records && row.record_id === record_id)
  if (!deletion.seen || deletion.seen.version !== left?.version) {
    taking.conflicts.push({ records, id: record_id, fields: [] })
    return []
  }
  const own = new Set([...step.members, ...step.linked].map(placeOf))
  return deleteAlone(taking, deletion, (place, effect) => effect !== 'kept' && !own.has(place))
}

type Deletion = Awaited<ReturnType<typeof deletionOf>>

/** Returns the deletion of a record, and its prefetched row. */
async function deletionOf(
  { transaction, actor }: UndoContext,
  { records, record_id: id }: Pick<UndoRow, 'records' | 'record_id'>,
) {
  const definition = resourceNamed(records)
  const work = createRemoval(actor.companyId, definition, { id, expected: undefined })
  return { definition, id, work, seen: await readPrefetch(transaction, work) }
}

/** Deletes the record unless a record refers to it for which `counts` is true. */
async function deleteAlone(
  taking: UndoContext,
  { definition, id, work, seen }: Deletion,
  counts: (place: string, effect: Group['effect']) => boolean,
): Promise<RemovalResult[]> {
  const { transaction, actor, conflicts } = taking
  const { cascades, restricts, stays } = await planRemoval(taking, { definition, id, family: familyOf(seen) })
  const staying = stays.map(({ relation: { records }, effect, ids }) => ({ records, effect, ids }))
  const referring: Group[] = [...listsOf(cascades), ...staying, ...restricts]
  const others = referring.flatMap(({ records, effect, ids }) =>
    ids
      .filter((one) => counts(placeOf({ records, record_id: one }), effect))
      .map((one) => ({ records, id: one, fields: fieldsTo(definition, records) })),
  )
  conflicts.push(...others)
  return others.length > 0 ? [] : [await work.execute(transaction, actor, seen)]
}

/** Returns the fields by which records refer to a record of the resource. */
const fieldsTo = ({ removal: { relations } }: Definition, records: string): string[] => [
  ...new Set(relations.filter((relation) => relation.records === records).map(({ by }) => by)),
]

const recordOf = (seen: NonNullable<PrefetchedRow>): JsonObject => JSON.parse(seen.json as string) as JsonObject
