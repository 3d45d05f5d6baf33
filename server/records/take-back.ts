import { type Definition, isProtected } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import type { UndoConflict } from '#registry/refusals.ts'
import { changedSince, type UndoRow } from '#sql/records/written-changes.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import { isSameJson } from './check.ts'
import { type PrefetchedRow, readPrefetch } from './command.ts'
import { onlyRow } from './look-up.ts'
import {
  createRemoval,
  familyOf,
  type Group,
  listsOf,
  planRemoval,
  type RemovalResult,
  resourceNamed,
} from './remove.ts'
import { heldRemoval, restoreLocked } from './restore.ts'
import type { ErasedRow } from './restore-problems.ts'
import { placeOf, type Step, sidesOf } from './undo-steps.ts'
import { updateOne } from './write-record.ts'

/** What keeps a write from being taken back is gathered while its steps are tried. */
export type UndoContext = { transaction: Transaction; actor: Actor; conflicts: UndoConflict[]; kept: Group[] }

/** Takes one change back, or adds what is in the way. */
export async function takeBack(taking: UndoContext, step: Step): Promise<RemovalResult[]> {
  switch (step.does) {
    case 'change':
      await changeBack(taking, step.row)
      return []
    case 'remove':
      return removeMade(taking, step)
    case 'restore':
      await bringBack(taking, step)
      return []
    case 'remove again':
      return removeAgain(taking, step)
  }
}

type StepOf<Does extends Step['does']> = Extract<Step, { does: Does }>

/** The old values, where the record has the new ones still. What is worked out is worked out anew. */
async function changeBack({ transaction, actor, conflicts, kept }: UndoContext, row: UndoRow): Promise<void> {
  const { records, record_id: id } = row
  const definition = resourceNamed(records)
  const { old, left } = sidesOf(row)
  const body = Object.fromEntries(Object.entries(old).filter(([name]) => !definition.fields[name]?.readOnly))
  const work = updateOne(actor.companyId, definition, { id, body, expected: undefined })
  const seen = await readPrefetch(transaction, work)
  const held = onlyRow(seen)
  const record = held && recordOf(held)
  const other = Object.keys(body).filter(
    (name) => !record || !isSameJson(record[name], left[name]) || isErased(row, name),
  )
  if (other.length > 0) conflicts.push({ records, id, fields: other })
  else if (isProtected(definition, record as JsonObject) || isProtected(definition, { ...record, ...old }))
    kept.push({ records, ids: [id] })
  else await work.execute(transaction, actor, seen)
}

/** Whether the values were erased together with a person: a change from nothing to nothing. */
const isErased = ({ changes }: UndoRow, name: string): boolean =>
  changes?.[name]?.every((side) => side === null) ?? false

/** Only the record as the write left it, and only where nothing else refers to it. */
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

/** The whole deletion, and every reference that it had emptied. */
async function bringBack({ transaction, actor, conflicts }: UndoContext, step: StepOf<'restore'>): Promise<void> {
  const { id, records, record_id, restored, unlinked } = step.removal
  if (restored) {
    conflicts.push({ records, id: record_id, fields: [] })
    return
  }
  // Rights have been looked at for every step.
  const removal = await heldRemoval(transaction, actor, id, () => {}, erasedBy(step))
  const { linked } = await restoreLocked(transaction, actor, removal)
  const back = new Set(linked.flatMap(({ records, ids }) => ids.map((one) => placeOf({ records, record_id: one }))))
  for (const { records: name, by, ids } of unlinked) {
    const lost = ids.filter((one) => !back.has(placeOf({ records: name, record_id: one })))
    conflicts.push(...lost.map((one) => ({ records: name, id: one, fields: [by] })))
  }
}

/** The record that comes back into its table, where the removal had erased it. */
export const erasedBy = ({ erased }: StepOf<'restore'>): ErasedRow | undefined =>
  erased?.held ? { held: erased.held, version: erased.version + 1 } : undefined

/** What the write brought back goes again, and nothing that came to it since. */
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

/** The deletion of a record, and what it looks at. */
async function deletionOf(
  { transaction, actor }: UndoContext,
  { records, record_id: id }: Pick<UndoRow, 'records' | 'record_id'>,
) {
  const definition = resourceNamed(records)
  const work = createRemoval(actor.companyId, { definition, id, expected: undefined })
  return { definition, id, work, seen: await readPrefetch(transaction, work) }
}

/** Deletes the record, unless another one refers to it that `counts`. */
async function deleteAlone(
  { transaction, actor, conflicts }: UndoContext,
  { definition, id, work, seen }: Deletion,
  counts: (place: string, effect: Group['effect']) => boolean,
): Promise<RemovalResult[]> {
  const { cascades, restricts, stays } = await planRemoval(transaction, actor, {
    definition,
    id,
    family: familyOf(seen),
  })
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

/** The fields by which records refer to a record of the resource. */
const fieldsTo = ({ removal: { relations } }: Definition, records: string): string[] => [
  ...new Set(relations.filter((relation) => relation.records === records).map(({ by }) => by)),
]

const recordOf = (seen: NonNullable<PrefetchedRow>): JsonObject => JSON.parse(seen.json as string) as JsonObject
