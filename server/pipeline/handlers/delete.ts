import type { ResourceRoute } from '#derive/routes.ts'
import type { Json } from '#registry/json.ts'
import { resultOf } from '../../records/command.ts'
import { type Group, listedGroup, type Removed, removal } from '../../records/remove.ts'
import type { Answer } from '../answer.ts'
import type { WriteHandler } from '../handler.ts'
import { recordId } from '../read-intent.ts'
import { answer } from './answered.ts'

export const remove: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params }, { dryRun, expected }, mayDo) => {
    const [id, { definition }] = [recordId(params), route]
    return resultOf(removal(companyId, { definition, id, expected, mayDo }), (done) => removed(route, dryRun, done))
  }

export function removed({ success }: ResourceRoute, dryRun: boolean, { id, mode, cascaded, kept }: Removed): Answer {
  const [along, stay] = [asJson(cascaded), asJson(kept)]
  const data = dryRun
    ? { id, deleted: false, dry_run: true, mode, would_delete: along, would_keep: stay }
    : { id, deleted: true, dry_run: false, mode, deleted_with: along, kept: stay }
  return { ...answer(success, data), effects: [{ wouldDelete: cascaded, wouldKeep: kept }] }
}

const asJson = (groups: readonly Group[]): Json => groups.map(listedGroup) as readonly unknown[] as Json
