import { recordPathBeside } from '#derive/operations/by-reference.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { upsert as upserting } from '../../service/upsert.ts'
import { recordTag } from '../answer.ts'
import type { WriteHandler } from '../handler.ts'
import { answer, answered } from './answered.ts'

export const upsert: WriteHandler<ResourceRoute> =
  ({ definition, path, success }) =>
  (companyId, { params: { value = '' } }, { dryRun, body, expected }) =>
    answered(upserting(companyId, { definition, value, body, expected }), (done) => {
      const { id, version, json, changed, created, effect } = done
      const effects = [effect]
      if (dryRun) {
        const data = { id: created ? null : id, created: false, updated: false, dry_run: true, changed }
        return { ...answer(200, data), effects }
      }
      const location = created ? { Location: recordPathBeside(path, id) } : {}
      const data = { id, created, updated: changed.length > 0, dry_run: false, changed }
      const headers = { ...location, ETag: recordTag(version, json) }
      return { ...answer(created ? success : 200, data, headers), recordId: id, effects }
    })
