import type { BatchOp } from '#derive/batch-operation.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import type { Effect } from './preview.ts'
import { type Group, listedGroup, type RemovalResult } from './remove.ts'
import type { UpsertResult } from './upsert.ts'
import type { ChangeResult, WriteResult } from './write-set.ts'

export type RecordResults = {
  create: WriteResult
  update: ChangeResult
  upsert: UpsertResult
  delete: RemovalResult
}

/** The data about the write of one record, the same for every channel. `id` is null after a dry-run that may create it. */
export type Summary = {
  id: number | null
  data: JsonObject
  isCreated?: boolean
  /** The record after the write. A dry-run leaves none. */
  written?: WriteResult
  effects: readonly Effect[]
}

export const summarize = <Op extends BatchOp>(op: Op, dryRun: boolean, result: RecordResults[Op]): Summary =>
  summaries[op](dryRun, result)

const summaries: { readonly [op in BatchOp]: (dryRun: boolean, result: RecordResults[op]) => Summary } = {
  create(dryRun, result) {
    const effects = [result.effect]
    if (dryRun) return { id: null, data: { id: null, created: false, dry_run: true }, effects }
    const { id } = result
    return { id, data: { id, created: true, dry_run: false }, isCreated: true, written: result, effects }
  },
  update(dryRun, result) {
    const { id, updated, changed, effect } = result
    const data = { id, updated: updated && !dryRun, dry_run: dryRun, changed }
    return { id, data, ...(dryRun ? {} : { written: result }), effects: [effect] }
  },
  upsert(dryRun, result) {
    const { id, updated, changed, created, effect } = result
    const effects = [effect]
    if (dryRun) {
      const data = { id: created ? null : id, created: false, updated: false, dry_run: true, changed }
      return { id: null, data, effects }
    }
    const data = { id, created, updated, dry_run: false, changed }
    return { id, data, isCreated: created, written: result, effects }
  },
  delete(dryRun, { id, mode, cascaded, kept }) {
    const [along, stay] = [asJson(cascaded), asJson(kept)]
    const data = dryRun
      ? { id, deleted: false, dry_run: true, mode, would_delete: along, would_keep: stay }
      : { id, deleted: true, dry_run: false, mode, deleted_with: along, kept: stay }
    return { id, data, effects: [{ wouldDelete: cascaded, wouldKeep: kept }] }
  },
}

const asJson = (groups: readonly Group[]): Json => groups.map(listedGroup) as readonly unknown[] as Json
