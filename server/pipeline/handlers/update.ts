import type { ResourceRoute } from '#derive/routes.ts'
import { change } from '../../service/write-record.ts'
import { recordTag } from '../answer.ts'
import type { WriteHandler } from '../handler.ts'
import { recordId } from '../read-intent.ts'
import { answer, answered } from './answered.ts'

export const update: WriteHandler<ResourceRoute> =
  ({ definition, success }) =>
  (companyId, { params }, { dryRun, body, expected }) =>
    answered(
      change(companyId, definition, recordId(params), body, expected),
      ({ id, version, json, changed, effect }) => {
        const updated = changed.length > 0 && !dryRun
        // A dry-run leaves the record, and so its tag, as it is; it shows none.
        const headers = dryRun ? {} : { ETag: recordTag(version, json) }
        return { ...answer(success, { id, updated, dry_run: dryRun, changed }, headers), effects: [effect] }
      },
    )
