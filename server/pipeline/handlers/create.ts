import type { ResourceRoute } from '#derive/routes.ts'
import { resultOf } from '../../service/command.ts'
import { creation } from '../../service/write-record.ts'
import type { Written } from '../../service/write-set.ts'
import { type Answer, recordTag } from '../answer.ts'
import type { WriteHandler } from '../handler.ts'
import { answer } from './answered.ts'

export const create: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, _call, { dryRun, body }) =>
    resultOf(creation(companyId, route.definition, body), (written) => created(route, dryRun, written))

export function created(
  { path, success }: ResourceRoute,
  dryRun: boolean,
  { id, version, json, effect }: Written,
): Answer {
  const effects = [effect]
  if (dryRun) return { ...answer(200, { id: null, created: false, dry_run: true }), effects }
  const headers = { Location: `${path}/${id}`, ETag: recordTag(version, json) }
  return { ...answer(success, { id, created: true, dry_run: false }, headers), record: json, recordId: id, effects }
}
