import type { ResourceRoute } from '#derive/routes.ts'
import { resultOf } from '../../records/command.ts'
import { createOne } from '../../records/write-record.ts'
import type { WriteResult } from '../../records/write-set.ts'
import type { WriteHandler } from '../handler.ts'
import { isFinal } from '../read-intent.ts'
import type { StoredResponse } from '../stored-response.ts'
import { createResponse, recordOfWrite } from './response.ts'

export const create: WriteHandler<ResourceRoute> = (route) => (companyId, _call, intent) =>
  resultOf(createOne(companyId, route.definition, { body: intent.body, isFinal: isFinal(intent) }), (written) =>
    formatCreated(route, intent.dryRun, written),
  )

export function formatCreated(
  { path, success, definition }: ResourceRoute,
  dryRun: boolean,
  written: WriteResult,
): StoredResponse {
  const { id, effect } = written
  const effects = [effect]
  if (dryRun) return { ...createResponse(200, { id: null, created: false, dry_run: true }), effects }
  const { tag, ...left } = recordOfWrite(definition, written)
  const headers = { Location: `${path}/${id}`, ...tag }
  return { ...createResponse(success, { id, created: true, dry_run: false }, headers), ...left, recordId: id, effects }
}
