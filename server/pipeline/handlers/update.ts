import type { ResourceRoute } from '#derive/routes.ts'
import { change } from '../../service/write-record.ts'
import type { Changed } from '../../service/write-set.ts'
import { type Answer, recordTag } from '../answer.ts'
import type { WriteHandler } from '../handler.ts'
import { recordId } from '../read-intent.ts'
import { answer, answered } from './answered.ts'

export const update: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params }, { dryRun, body, expected }) =>
    answered(change(companyId, route.definition, recordId(params), body, expected), (done) =>
      updated(route, dryRun, done),
    )

export function updated({ success }: ResourceRoute, dryRun: boolean, done: Changed): Answer {
  const { id, version, json, changed, effect } = done
  // A dry-run leaves the record, and so its tag, as it is; it shows none.
  const headers = dryRun ? {} : { ETag: recordTag(version, json) }
  const data = { id, updated: changed.length > 0 && !dryRun, dry_run: dryRun, changed }
  return { ...answer(success, data, headers), record: json, effects: [effect] }
}
