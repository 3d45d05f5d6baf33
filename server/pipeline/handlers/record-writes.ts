import type { BatchOp } from '#derive/batch-operation.ts'
import { recordPathBeside } from '#derive/operations/by-reference.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import type { Json } from '#registry/json.ts'
import { type Command, resultOf } from '../../records/command.ts'
import { type RecordResults, type RecordWrite, recordCommands } from '../../records/commands.ts'
import { type Group, listedGroup } from '../../records/remove.ts'
import type { WriteHandler } from '../handler.ts'
import { isFinal, recordId } from '../read-intent.ts'
import type { StoredResponse } from '../stored-response.ts'
import { createResponse, recordOfWrite } from './response.ts'

/** The writes of one record, each by a call of its own or as an operation of a batch. */

export const create = handlerOf('create')
export const update = handlerOf('update')
export const upsert = handlerOf('upsert')
export const remove = handlerOf('delete')

function handlerOf(op: BatchOp): WriteHandler<ResourceRoute> {
  return (route) => {
    const { definition, pathParameters } = route
    const hasId = pathParameters.some(({ name }) => name === 'id')
    return (companyId, { params }, intent, mayDo) => {
      const { dryRun, body, expected } = intent
      const named = { id: hasId ? recordId(params) : 0, reference: params.value ?? '' }
      const wanted = { definition, ...named, body, expected, mayDo, isFinal: isFinal(intent) }
      return writeRecord(op, companyId, wanted, route, dryRun)
    }
  }
}

/** Returns the command of a write with its answer. */
export const writeRecord = <Op extends BatchOp>(
  op: Op,
  companyId: number,
  wanted: RecordWrite,
  route: ResourceRoute,
  dryRun: boolean,
): Command<StoredResponse> =>
  resultOf(recordCommands[op](companyId, wanted), (done) => formatDone(op, route, dryRun, done))

export const formatDone = <Op extends BatchOp>(
  op: Op,
  route: ResourceRoute,
  dryRun: boolean,
  done: RecordResults[Op],
): StoredResponse => formats[op](route, dryRun, done)

const formats: {
  readonly [op in BatchOp]: (route: ResourceRoute, dryRun: boolean, done: RecordResults[op]) => StoredResponse
} = {
  create({ path, success, definition }, dryRun, written) {
    const { id, effect } = written
    const effects = [effect]
    if (dryRun) return { ...createResponse(200, { id: null, created: false, dry_run: true }), effects }
    const { tag, ...left } = recordOfWrite(definition, written)
    const headers = { Location: `${path}/${id}`, ...tag }
    return {
      ...createResponse(success, { id, created: true, dry_run: false }, headers),
      ...left,
      recordId: id,
      effects,
    }
  },
  update({ success, definition }, dryRun, done) {
    const { id, updated, changed, effect } = done
    const { tag, ...left } = recordOfWrite(definition, done)
    // A dry-run does not change the record and its ETag, so it has none to show.
    const headers = dryRun ? {} : tag
    const data = { id, updated: updated && !dryRun, dry_run: dryRun, changed }
    return { ...createResponse(success, data, headers), ...left, effects: [effect] }
  },
  upsert({ path, success, definition }, dryRun, done) {
    const { id, updated, changed, created, effect } = done
    const effects = [effect]
    if (dryRun) {
      const data = { id: created ? null : id, created: false, updated: false, dry_run: true, changed }
      return { ...createResponse(200, data), effects }
    }
    const location = created ? { Location: recordPathBeside(path, id) } : {}
    const data = { id, created, updated, dry_run: false, changed }
    const { tag, ...left } = recordOfWrite(definition, done)
    const headers = { ...location, ...tag }
    return { ...createResponse(created ? success : 200, data, headers), ...left, recordId: id, effects }
  },
  delete({ success }, dryRun, { id, mode, cascaded, kept }) {
    const [along, stay] = [asJson(cascaded), asJson(kept)]
    const data = dryRun
      ? { id, deleted: false, dry_run: true, mode, would_delete: along, would_keep: stay }
      : { id, deleted: true, dry_run: false, mode, deleted_with: along, kept: stay }
    return { ...createResponse(success, data), effects: [{ wouldDelete: cascaded, wouldKeep: kept }] }
  },
}

const asJson = (groups: readonly Group[]): Json => groups.map(listedGroup) as readonly unknown[] as Json
