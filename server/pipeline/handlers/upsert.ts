import { recordPathBeside } from '#derive/operations/by-reference.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { resultOf } from '../../records/command.ts'
import { type UpsertResult, upsert as upserting } from '../../records/upsert.ts'
import type { WriteHandler } from '../handler.ts'
import { isFinal } from '../read-intent.ts'
import type { StoredResponse } from '../stored-response.ts'
import { createResponse, recordOfWrite } from './response.ts'

export const upsert: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params: { value = '' } }, intent) => {
    const { body, expected, dryRun } = intent
    const work = upserting(companyId, { definition: route.definition, value, body, expected, isFinal: isFinal(intent) })
    return resultOf(work, (done) => formatUpserted(route, dryRun, done))
  }

export function formatUpserted(
  { path, success, definition }: ResourceRoute,
  dryRun: boolean,
  done: UpsertResult,
): StoredResponse {
  const { id, changed, previewed, created, effect } = done
  const effects = [effect]
  if (dryRun) {
    const data = { id: created ? null : id, created: false, updated: false, dry_run: true, changed: previewed }
    return { ...createResponse(200, data), effects }
  }
  const location = created ? { Location: recordPathBeside(path, id) } : {}
  const data = { id, created, updated: changed.length > 0, dry_run: false, changed }
  const { tag, ...left } = recordOfWrite(definition, done)
  const headers = { ...location, ...tag }
  return { ...createResponse(created ? success : 200, data, headers), ...left, recordId: id, effects }
}
