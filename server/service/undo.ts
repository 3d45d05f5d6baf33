import { type Definition, isProtected } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { conflictsMax, undoneRecordsMax } from '#registry/limits.ts'
import type { Action } from '#registry/permissions.ts'
import { Refusal, type UndoConflict } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { prefetchStatement } from '#sql/prefetch.ts'
import { changedSince, changesOfWrite, holdUndo, moveUndo, removalsById, type UndoneRow } from '#sql/records/written.ts'
import type { Transaction } from '../store/database.ts'
import type { Actor } from './actor.ts'
import { same } from './check-record.ts'
import type { Command, Prefetched } from './command.ts'
import { type Group, listed, merged, planRemoval, type Removed, removal, resourceNamed } from './remove-record.ts'
import { restoreRemoval } from './restore-removal.ts'
import { type Rights, rightsOf } from './rights.ts'
import { type NamedRemoval, placeOf, type Step, sidesOf, stepsOf } from './undo-steps.ts'
import type { Effect } from './write-plan.ts'
import { change } from './write-record.ts'

export type Undone = {
  /** Records that were taken back now, and those that the next call takes back. */
  records: number
  remaining: number
  effect: Effect
}

/**
 * Takes back what a write did, the newest first, as far as one transaction goes; the next call goes on. Each step is a
 * write like any other, judged by the same rules; where one is refused nothing is done. Decisions, Plans.
 */
export const undo = (companyId: number, writeId: string): Command<Undone> => ({
  prefetch: null,
  async execute(transaction, actor) {
    const rows = writeId === '' ? [] : await transaction.run<UndoneRow>(changesOfWrite(companyId, writeId))
    if (!mayBeUndone(actor, rows)) throw new Refusal('not_found', { detail: unknownWrite })
    const rights = await rightsOf(transaction, actor)
    try {
      const [held] = await transaction.run<{ undone_from: number }>(holdUndo(companyId, writeId))
      const left = rows.filter(({ id }) => id < (held?.undone_from ?? 0))
      const steps = stepsOf(left, await removalsOf(transaction, companyId, left))
      if (steps.length === 0) throw new Refusal('undo_conflict', { detail: undoneAlready, conflicts: [] })
      const now = upTo(steps, undoneRecordsMax)
      for (const step of now) needRights(rights, actor, step)
      const done = await take(transaction, actor, now)
      await transaction.run(moveUndo(companyId, writeId, Math.min(...now.map(({ from }) => from))))
      return { records: countOf(now), remaining: countOf(steps.slice(now.length)), effect: effectOf(done) }
    } catch (error) {
      // Steps before it have been taken.
      if (error instanceof Refusal) transaction.undo()
      throw error
    }
  },
})

const unknownWrite =
  'The company has no write with this id that can be taken back here. X-Write-Id names one; a write that changed nothing leaves nothing to take back.'
const undoneAlready = 'The write has been taken back already.'

/** A token takes back what tokens wrote; what was done in Settings is nobody’s to take back. */
const mayBeUndone = ({ tokenId }: Actor, rows: readonly UndoneRow[]): boolean =>
  rows.length > 0 &&
  rows.every((row) => definitionOf(registry, row.records) && (tokenId === null || row.token_id !== null))

async function removalsOf(transaction: Transaction, companyId: number, rows: readonly UndoneRow[]) {
  const ids = [...new Set(rows.flatMap(({ removal_id }) => removal_id ?? []))]
  const removals = ids.length === 0 ? [] : await transaction.run<NamedRemoval>(removalsById(companyId, ids))
  return new Map(removals.map((one) => [one.id, one]))
}

/** As many steps as are about so many records, one at least. */
function upTo(steps: readonly Step[], most: number): Step[] {
  let records = 0
  const end = steps.findIndex((step) => {
    records += step.records
    return records > most
  })
  return steps.slice(0, end < 0 ? steps.length : Math.max(1, end))
}

const countOf = (steps: readonly Step[]): number => steps.reduce((sum, { records }) => sum + records, 0)

/** The right to the inverse, for every resource that it touches. What no token can name goes along, as it did. */
function needRights(rights: Rights, { channel }: Actor, step: Step): void {
  const need = (records: string, action: Action, along = false): void => {
    const definition = resourceNamed(records)
    if (along && channel === 'api' && !definition.served) return
    const refused = rights(definition, action)
    if (refused) throw refused
  }
  if (step.does === 'change' || step.does === 'remove') {
    need(step.row.records, step.does === 'change' ? 'EDIT' : 'DELETE')
    return
  }
  const { records, went, unlinked } = step.removal
  const action = step.does === 'restore' ? 'EDIT' : 'DELETE'
  need(records, action)
  for (const name of Object.keys(went)) need(name, action, true)
  for (const note of unlinked) need(note.records, 'EDIT', true)
}

/** Takes all steps, and hears of all that is in the way before it refuses. */
async function take(transaction: Transaction, actor: Actor, steps: readonly Step[]): Promise<Removed[]> {
  const found: Found = { conflicts: [], kept: [] }
  const removed: Removed[] = []
  for (const step of steps) removed.push(...(await takeOne(transaction, actor, step, found)))
  const { conflicts, kept } = found
  if (kept.length > 0) {
    throw new Refusal('protected', { blocked_by: merged(kept).map(({ records, ids }) => listed(records, ids)) })
  }
  if (conflicts.length > 0) throw conflicting(conflicts)
  return removed
}

/** What is in the way. */
type Found = { conflicts: UndoConflict[]; kept: Group[] }

function conflicting(conflicts: UndoConflict[]): Refusal {
  const [{ records, id, fields }] = conflicts as [UndoConflict]
  const more = conflicts.length > 1 ? `, and ${conflicts.length - 1} more` : ''
  const where = fields.length > 0 ? ` (${fields.join(', ')})` : ''
  return new Refusal('undo_conflict', {
    detail: `What the write left has changed since: ${records} ${id}${where}${more}. Nothing was done.`,
    conflicts: conflicts.slice(0, conflictsMax),
  })
}

async function takeOne(transaction: Transaction, actor: Actor, step: Step, found: Found): Promise<Removed[]> {
  switch (step.does) {
    case 'change':
      return changeBack(transaction, actor, step.row, found)
    case 'remove':
      return removeMade(transaction, actor, step, found)
    case 'restore':
      return bringBack(transaction, actor, step, found)
    case 'remove again':
      return removeAgain(transaction, actor, step, found)
  }
}

type StepOf<Does extends Step['does']> = Extract<Step, { does: Does }>

/** The old values, where the record has the new ones still. What is worked out is worked out anew. */
async function changeBack(transaction: Transaction, actor: Actor, row: UndoneRow, found: Found): Promise<Removed[]> {
  const definition = resourceNamed(row.records)
  const { old, left } = sidesOf(row)
  const body = Object.fromEntries(Object.entries(old).filter(([name]) => !definition.fields[name]?.readOnly))
  const work = change(actor.companyId, definition, row.record_id, body, undefined)
  const seen = await lookAt(transaction, work)
  const record = seen && recordOf(seen)
  const other = Object.keys(body).filter((name) => !record || !same(record[name], left[name]))
  if (other.length > 0) found.conflicts.push({ records: row.records, id: row.record_id, fields: other })
  else if (isProtected(definition, record as JsonObject) || isProtected(definition, { ...record, ...old }))
    found.kept.push({ records: row.records, ids: [row.record_id] })
  else await work.execute(transaction, actor, seen)
  return []
}

/** Only the record as the write left it, and only where nothing else refers to it. */
async function removeMade(transaction: Transaction, actor: Actor, { row, version }: StepOf<'remove'>, found: Found) {
  const { records, record_id: id } = row
  const definition = resourceNamed(records)
  const work = removal(actor.companyId, { definition, id, expected: undefined })
  const seen = await lookAt(transaction, work)
  if (!seen || seen.version !== version) {
    const changed = await transaction.run<{ field: string }>(changedSince(actor.companyId, records, id, version))
    found.conflicts.push({ records, id, fields: changed.map(({ field }) => field).toSorted() })
    return []
  }
  if (isProtected(definition, recordOf(seen))) {
    found.kept.push({ records, ids: [id] })
    return []
  }
  const { cascades, restricts, stays } = await planRemoval(transaction, actor, definition, [id])
  const referring = [
    ...[...cascades].map(([name, ids]) => ({ records: name, ids: [...ids] })),
    ...stays.map(({ relation, ids }) => ({ records: relation.records, ids })),
    ...restricts,
  ]
  found.conflicts.push(...referring.flatMap((group) => conflictsOf(definition, group)))
  return referring.length > 0 ? [] : [await work.execute(transaction, actor, seen)]
}

/** The whole deletion, and every reference that it had emptied. */
async function bringBack(
  transaction: Transaction,
  actor: Actor,
  { removal: gone, erased }: StepOf<'restore'>,
  found: Found,
) {
  const { id, records, record_id, restored } = gone
  if (restored) {
    found.conflicts.push({ records, id: record_id, fields: [] })
    return []
  }
  const held = erased?.held ? { held: erased.held, version: erased.version + 1 } : undefined
  // Rights have been looked at for every step.
  const { linked } = await restoreRemoval(transaction, actor, id, () => {}, held)
  const back = new Set(linked.flatMap((group) => group.ids.map((one) => `${group.records} ${one}`)))
  for (const { records: name, by, ids } of gone.unlinked) {
    const lost = ids.filter((one) => !back.has(`${name} ${one}`))
    found.conflicts.push(...lost.map((one) => ({ records: name, id: one, fields: [by] })))
  }
  return []
}

/** What the write brought back goes again, and nothing that came to it since. */
async function removeAgain(transaction: Transaction, actor: Actor, step: StepOf<'remove again'>, found: Found) {
  const { records, record_id: id } = step.removal
  const definition = resourceNamed(records)
  const work = removal(actor.companyId, { definition, id, expected: undefined })
  const seen = await lookAt(transaction, work)
  const left = step.members.find((row) => row.records === records && row.record_id === id)
  if (!seen || seen.version !== left?.version) {
    found.conflicts.push({ records, id, fields: [] })
    return []
  }
  const own = new Set([...step.members, ...step.linked].map(placeOf))
  const { cascades, restricts, stays } = await planRemoval(transaction, actor, definition, [id])
  const touched = [
    ...[...cascades].map(([name, ids]) => ({ records: name, ids: [...ids] })),
    ...stays
      .filter(({ effect }) => effect === 'unlinked')
      .map(({ relation, ids }) => ({ records: relation.records, ids })),
    ...restricts,
  ]
  const strange = touched.map((group) => ({
    ...group,
    ids: group.ids.filter((one) => !own.has(placeOf({ records: group.records, record_id: one }))),
  }))
  const conflicts = strange.flatMap((group) => conflictsOf(definition, group))
  found.conflicts.push(...conflicts)
  return conflicts.length > 0 ? [] : [await work.execute(transaction, actor, seen)]
}

/** Each of the records that refer, and the fields by which they do. */
function conflictsOf({ removal: { relations } }: Definition, { records, ids }: Group): UndoConflict[] {
  const fields = [...new Set(relations.filter((relation) => relation.records === records).map(({ by }) => by))]
  return ids.map((id) => ({ records, id, fields }))
}

async function lookAt<T>(transaction: Transaction, { prefetch }: Command<T>): Promise<Prefetched> {
  const [row] = prefetch ? await transaction.run<{ seen: Prefetched }>(prefetchStatement(prefetch)) : []
  return row?.seen ?? null
}

const recordOf = (seen: NonNullable<Prefetched>): JsonObject => JSON.parse(seen.json as string) as JsonObject

const effectOf = (removed: readonly Removed[]): Effect => ({
  wouldDelete: merged(removed.flatMap(({ cascaded }) => cascaded)),
  wouldKeep: merged(removed.flatMap(({ kept }) => kept)),
})
