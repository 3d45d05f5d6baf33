import type { ResourceRoute } from '#derive/routes.ts'
import type { Json } from '#registry/json.ts'
import { resultOf } from '../../records/command.ts'
import { createRemoval, type Group, listedGroup, type RemovalResult } from '../../records/remove.ts'
import type { WriteHandler } from '../handler.ts'
import { recordId } from '../read-intent.ts'
import type { StoredResponse } from '../stored-response.ts'
import { createResponse } from './response.ts'

export const remove: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params }, { dryRun, expected }, mayDo) => {
    const [id, { definition }] = [recordId(params), route]
    return resultOf(createRemoval(companyId, { definition, id, expected, mayDo }), (done) =>
      formatRemoved(route, dryRun, done),
    )
  }

export function formatRemoved(
  { success }: ResourceRoute,
  dryRun: boolean,
  { id, mode, cascaded, kept }: RemovalResult,
): StoredResponse {
  const [along, stay] = [asJson(cascaded), asJson(kept)]
  const data = dryRun
    ? { id, deleted: false, dry_run: true, mode, would_delete: along, would_keep: stay }
    : { id, deleted: true, dry_run: false, mode, deleted_with: along, kept: stay }
  return { ...createResponse(success, data), effects: [{ wouldDelete: cascaded, wouldKeep: kept }] }
}

const asJson = (groups: readonly Group[]): Json => groups.map(listedGroup) as readonly unknown[] as Json
