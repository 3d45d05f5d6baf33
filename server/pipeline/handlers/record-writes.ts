import type { BatchOp } from '#derive/batch-operation.ts'
import { createdPath } from '#derive/operations/by-reference.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { recordId } from '../../protocol/path-id.ts'
import { createRemoval } from '../../records/remove.ts'
import { type RecordResults, summarize } from '../../records/summary.ts'
import { upsert as upsertOne } from '../../records/upsert.ts'
import { createOne, updateOne } from '../../records/write-record.ts'
import type { WriteHandler } from '../handler.ts'
import { isFinal } from '../read-intent.ts'
import { type CallResponse, createResponse, JsonText } from '../response.ts'

/** The writes of one record. */

export const create: WriteHandler<ResourceRoute> = (route) => (companyId, _call, intent) => ({
  ...createOne(companyId, route.definition, { body: intent.body, isFinal: isFinal(intent) }),
  respond: responder('create', route, intent.dryRun),
})

export const update: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params }, intent) => ({
    ...updateOne(companyId, route.definition, { ...intent, id: recordId(params), isFinal: isFinal(intent) }),
    respond: responder('update', route, intent.dryRun),
  })

export const upsert: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params: { value = '' } }, intent) => ({
    ...upsertOne(companyId, route.definition, { ...intent, reference: value, isFinal: isFinal(intent) }),
    respond: responder('upsert', route, intent.dryRun),
  })

export const remove: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params }, { expected, dryRun }) => ({
    ...createRemoval(companyId, route.definition, { id: recordId(params), expected }),
    respond: responder('delete', route, dryRun),
  })

/** Returns the function that makes the response to the write of a record. */
export const responder =
  <Op extends BatchOp>(op: Op, { path, success, definition }: ResourceRoute, dryRun: boolean) =>
  (result: RecordResults[Op]): CallResponse => {
    const { id, data, isCreated, written, effects } = summarize(op, dryRun, result)
    const { json = null, tag } = written ?? {}
    const headers = {
      ...(isCreated ? { Location: createdPath(path, id as number) } : {}),
      ...(tag === undefined ? {} : { ETag: tag }),
    }
    return {
      ...createResponse(isCreated ? success : 200, data, headers),
      ...(json !== null ? { record: new JsonText(json) } : written ? { unread: { definition, id: written.id } } : {}),
      ...(id === null ? {} : { recordId: id }),
      effects,
    }
  }
