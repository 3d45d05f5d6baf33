import type { ResourceRoute } from '#derive/routes.ts'
import { resultOf } from '../../service/command.ts'
import { change } from '../../service/write-record.ts'
import type { Changed } from '../../service/write-set.ts'
import { type Answer, recordTag } from '../answer.ts'
import type { WriteHandler } from '../handler.ts'
import { recordId } from '../read-intent.ts'
import { answer } from './answered.ts'

export const update: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params }, { dryRun, body, expected }) =>
    resultOf(change(companyId, route.definition, recordId(params), body, expected), (done) =>
      updated(route, dryRun, done),
    )

export function updated({ success }: ResourceRoute, dryRun: boolean, done: Changed): Answer {
  const { id, version, json, changed, previewed, effect } = done
  // A dry-run leaves the record, and so its tag, as it is; it shows none.
  const headers = dryRun ? {} : { ETag: recordTag(version, json) }
  const isUpdated = changed.length > 0 && !dryRun
  const data = { id, updated: isUpdated, dry_run: dryRun, changed: dryRun ? previewed : changed }
  return { ...answer(success, data, headers), record: json, effects: [effect] }
}
