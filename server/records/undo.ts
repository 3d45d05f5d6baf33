import { calculatedFields } from '#derive/input.ts'
import { rightsOfBody, visibleNames } from '#derive/visible.ts'
import type { JsonObject } from '#registry/json.ts'
import { conflictsMax, undoneRecordsMax } from '#registry/limits.ts'
import type { Action } from '#registry/permissions.ts'
import { Refusal, type UndoConflict } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { referencesOf } from '#sql/records/columns.ts'
import { treesOf } from '#sql/records/lock-order.ts'
import { type HeldRemoval, removalsById } from '#sql/records/restore.ts'
import { seenRecords } from '#sql/records/sets.ts'
import { changesOfWrite, holdUndo, moveUndo, type UndoRow } from '#sql/records/written-changes.ts'
import type { Actor, WriteContext } from './actor.ts'
import { LockRequest, lockWhatIsSeen, valuesOfRecord } from './locks.ts'
import type { Effect } from './preview.ts'
import { mergeGroups, type RemovalResult, resourceNamed, summarizeRecords } from './remove.ts'
import { wantRestored } from './restore.ts'
import { needFieldRights, type Rights, rightsOf } from './rights.ts'
import { erasedBy, takeBack, type UndoContext } from './take-back.ts'
import { oldFieldsOf, placeOf, type Step, stepsOf } from './undo-steps.ts'
import type { Command } from './write-record.ts'

export type UndoSummary = {
  /** Records that this call took back, and those that later calls take back. */
  records: number
  remaining: number
  effect: Effect
}

/**
 * Takes the changes of a write back, the newest first, as far as one transaction goes; the next call goes on. Each step
 * is a write like any other, checked by the same rules. If one is refused, nothing is done. Decisions, Plans.
 */
export const undo = (companyId: number, writeId: string): Command<UndoSummary> => ({
  prefetch: null,
  async execute(transaction, actor) {
    const context = { transaction, actor }
    const rows = writeId === '' ? [] : await transaction.run<UndoRow>(changesOfWrite(companyId, writeId))
    if (!mayBeUndone(actor, rows)) throw new Refusal('not_found', { detail: unknownWrite })
    const rights = await rightsOf(transaction, actor)
    try {
      const [held] = await transaction.run<{ undone_from: number }>(holdUndo(companyId, writeId))
      const left = await withoutSettled(
        context,
        rows.filter(({ id }) => id < (held?.undone_from ?? 0)),
      )
      const steps = stepsOf(left, await removalsOf(context, left))
      if (steps.length === 0) throw new Refusal('undo_conflict', { detail: undoneAlready, conflicts: [] })
      const now = upTo(steps, undoneRecordsMax)
      for (const step of now) needRights(rights, actor, step)
      await lockWhatIsSeen(context, () => requestOf(context, now))
      const done = await take(context, now)
      await transaction.run(moveUndo(companyId, writeId, Math.min(...now.map(({ from }) => from))))
      return { records: countOf(now), remaining: countOf(steps.slice(now.length)), effect: effectOf(done) }
    } catch (error) {
      // Earlier steps have written already.
      if (error instanceof Refusal) transaction.undo()
      throw error
    }
  },
})

const unknownWrite =
  'The company has no write with this id that can be taken back here. X-Write-Id names one; a write that changed nothing leaves nothing to take back.'
const undoneAlready = 'The write has been taken back already.'

/**
 * Returns whether a write may be undone. A token undoes writes of tokens only; changes in Settings cannot be undone.
 */
const mayBeUndone = ({ tokenId }: Actor, rows: readonly UndoRow[]): boolean =>
  rows.length > 0 &&
  rows.every((row) => definitionOf(registry, row.records) && (tokenId === null || row.token_id !== null))

/** Returns the changes without those that settled a record: what is taken back settles it again. */
async function withoutSettled({ transaction, actor }: WriteContext, rows: readonly UndoRow[]): Promise<UndoRow[]> {
  const settled = new Set<string>()
  for (const [records, own] of Map.groupBy(rows, (row) => row.records)) {
    const definition = resourceNamed(records)
    const references = referencesOf(definition).filter(([, { settles }]) => settles)
    if (references.length === 0) continue
    const ids = own.map(({ record_id }) => record_id)
    const seen = await transaction.run<JsonObject>(seenRecords(actor.companyId, definition, ids))
    for (const [field, { to }] of references) {
      const values = [
        ...[...seen, ...own.map(({ held }) => held)].map((record) => record?.[field]),
        ...own.flatMap(({ changes }) => changes?.[field] ?? []),
      ]
      for (const id of values) settled.add(placeOf({ records: to, record_id: id as number }))
    }
  }
  return rows.filter((row) => {
    if (row.action !== 'changed' || !settled.has(placeOf(row))) return true
    const definition = resourceNamed(row.records)
    const calculated = calculatedFields(definition).filter((name) => !definition.fields[name]?.follows)
    return !Object.keys(row.changes ?? {}).every((name) => calculated.includes(name))
  })
}

async function removalsOf({ transaction, actor }: WriteContext, rows: readonly UndoRow[]) {
  const ids = [...new Set(rows.flatMap(({ removal_id }) => removal_id ?? []))]
  const removals = ids.length === 0 ? [] : await transaction.run<HeldRemoval>(removalsById(actor.companyId, ids))
  return new Map(removals.map((one) => [one.id, one]))
}

/** Returns all locks of the steps. */
async function requestOf(context: WriteContext, steps: readonly Step[]): Promise<LockRequest> {
  const request = new LockRequest()
  for (const step of steps) {
    if (step.does === 'restore') {
      await wantRestored(context, request, { ...step.removal, erased: erasedBy(step) })
      continue
    }
    if (step.does === 'remove') request.wantRemoved(resourceNamed(step.row.records), step.row.record_id)
    else if (step.does === 'remove again') {
      for (const { records, record_id } of step.members) request.wantRemoved(resourceNamed(records), record_id)
    } else {
      const { records, record_id: id } = step.row
      const definition = resourceNamed(records)
      const old = oldFieldsOf(step.row)
      request.wantWritten(definition, id, 'for no key update', old)
      request.values.push(...valuesOfRecord(definition, old))
      for (const field of treesOf(definition)) if (field in old) request.trees.add(`${records}.${field}`)
    }
  }
  return request
}

/** Returns the first steps with `most` records together, one step at least. */
function upTo(steps: readonly Step[], most: number): Step[] {
  let records = 0
  const end = steps.findIndex((step) => {
    records += step.records
    return records > most
  })
  return steps.slice(0, end < 0 ? steps.length : Math.max(1, end))
}

const countOf = (steps: readonly Step[]): number => steps.reduce((sum, { records }) => sum + records, 0)

/**
 * Throws unless the actor may do the inverse on every resource of a step. Resources that no token can name need no
 * right, as in the write itself.
 */
function needRights(rights: Rights, { channel, lacksRights }: Actor, step: Step): void {
  const need = (records: string, action: Action, along = false): void => {
    const definition = resourceNamed(records)
    if (along && channel === 'api' && !definition.served) return
    const refused = rights(definition, action)
    if (refused) throw refused
  }
  if (step.does === 'remove') {
    need(step.row.records, 'DELETE')
    return
  }
  if (step.does === 'change' || step.does === 'void') {
    need(step.row.records, 'EDIT')
    // A deletion reveals no value; a change back sets the old ones, which its rules compare with others.
    need(step.row.records, 'VIEW')
    needFieldRights({ lacksRights }, rightsOfBody(resourceNamed(step.row.records), oldFieldsOf(step.row)))
    return
  }
  const { records, went, unlinked } = step.removal
  const action = step.does === 'restore' ? 'EDIT' : 'DELETE'
  need(records, action)
  for (const name of Object.keys(went)) need(name, action, true)
  for (const note of unlinked) need(note.records, 'EDIT', true)
}

/** Takes all steps, and gathers all conflicts before it refuses. */
async function take(context: WriteContext, steps: readonly Step[]): Promise<RemovalResult[]> {
  const taking: UndoContext = { ...context, conflicts: [], kept: [] }
  const removed: RemovalResult[] = []
  for (const step of steps) removed.push(...(await takeBack(taking, step)))
  const { conflicts, kept } = taking
  if (kept.length > 0) {
    throw new Refusal('protected', {
      blocked_by: mergeGroups(kept).map(({ records, ids }) => summarizeRecords(records, ids)),
    })
  }
  if (conflicts.length > 0) throw conflictRefusal(context.actor, conflicts)
  return removed
}

function conflictRefusal({ lacksRights }: Actor, met: readonly UndoConflict[]): Refusal {
  const conflicts = met.map((one) => ({ ...one, fields: visibleNames(one.records, lacksRights, one.fields) }))
  const [{ records, id, fields }] = conflicts as [UndoConflict]
  const more = conflicts.length > 1 ? `, and ${conflicts.length - 1} more` : ''
  const where = fields.length > 0 ? ` (${fields.join(', ')})` : ''
  return new Refusal('undo_conflict', {
    detail: `What the write left has changed since: ${records} ${id}${where}${more}. Nothing was done.`,
    conflicts: conflicts.slice(0, conflictsMax),
  })
}

const effectOf = (removed: readonly RemovalResult[]): Effect => ({
  wouldDelete: mergeGroups(removed.flatMap(({ cascaded }) => cascaded)),
  wouldKeep: mergeGroups(removed.flatMap(({ kept }) => kept)),
})
