import type { ResourceRoute } from '#derive/routes.ts'
import { resultOf } from '../../records/command.ts'
import { creation } from '../../records/write-record.ts'
import type { Written } from '../../records/write-set.ts'
import type { Answer } from '../answer.ts'
import type { WriteHandler } from '../handler.ts'
import { isFinal } from '../read-intent.ts'
import { answer, leaves } from './answered.ts'

export const create: WriteHandler<ResourceRoute> = (route) => (companyId, _call, intent) =>
  resultOf(creation(companyId, route.definition, { body: intent.body, isFinal: isFinal(intent) }), (written) =>
    created(route, intent.dryRun, written),
  )

export function created({ path, success, definition }: ResourceRoute, dryRun: boolean, written: Written): Answer {
  const { id, effect } = written
  const effects = [effect]
  if (dryRun) return { ...answer(200, { id: null, created: false, dry_run: true }), effects }
  const { tag, ...left } = leaves(definition, written)
  const headers = { Location: `${path}/${id}`, ...tag }
  return { ...answer(success, { id, created: true, dry_run: false }, headers), ...left, recordId: id, effects }
}
