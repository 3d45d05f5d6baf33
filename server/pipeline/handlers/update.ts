import type { ResourceRoute } from '#derive/routes.ts'
import { resultOf } from '../../records/command.ts'
import { change } from '../../records/write-record.ts'
import type { Changed } from '../../records/write-set.ts'
import type { Answer } from '../answer.ts'
import type { WriteHandler } from '../handler.ts'
import { isFinal, recordId } from '../read-intent.ts'
import { answer, leaves } from './answered.ts'

export const update: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params }, intent) => {
    const { body, expected, dryRun } = intent
    const work = change(companyId, route.definition, {
      ...{ id: recordId(params), body, expected, isFinal: isFinal(intent) },
    })
    return resultOf(work, (done) => updated(route, dryRun, done))
  }

export function updated({ success, definition }: ResourceRoute, dryRun: boolean, done: Changed): Answer {
  const { id, changed, previewed, effect } = done
  const { tag, ...left } = leaves(definition, done)
  // A dry-run leaves the record, and so its tag, as it is; it shows none.
  const headers = dryRun ? {} : tag
  const isUpdated = changed.length > 0 && !dryRun
  const data = { id, updated: isUpdated, dry_run: dryRun, changed: dryRun ? previewed : changed }
  return { ...answer(success, data, headers), ...left, effects: [effect] }
}
