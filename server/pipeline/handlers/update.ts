import type { ResourceRoute } from '#derive/routes.ts'
import { resultOf } from '../../records/command.ts'
import { updateOne } from '../../records/write-record.ts'
import type { ChangeResult } from '../../records/write-set.ts'
import type { WriteHandler } from '../handler.ts'
import { isFinal, recordId } from '../read-intent.ts'
import type { StoredResponse } from '../stored-response.ts'
import { createResponse, recordOfWrite } from './response.ts'

export const update: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params }, intent) => {
    const { body, expected, dryRun } = intent
    const work = updateOne(companyId, route.definition, {
      ...{ id: recordId(params), body, expected, isFinal: isFinal(intent) },
    })
    return resultOf(work, (done) => formatUpdated(route, dryRun, done))
  }

export function formatUpdated(
  { success, definition }: ResourceRoute,
  dryRun: boolean,
  done: ChangeResult,
): StoredResponse {
  const { id, changed, previewed, effect } = done
  const { tag, ...left } = recordOfWrite(definition, done)
  // A dry-run does not change the record and its ETag, so it has none to show.
  const headers = dryRun ? {} : tag
  const isUpdated = changed.length > 0 && !dryRun
  const data = { id, updated: isUpdated, dry_run: dryRun, changed: dryRun ? previewed : changed }
  return { ...createResponse(success, data, headers), ...left, effects: [effect] }
}
