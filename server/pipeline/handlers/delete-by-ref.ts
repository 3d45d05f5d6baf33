import type { ResourceRoute } from '#derive/routes.ts'
import { removalByReference } from '../../service/upsert.ts'
import type { WriteHandler } from '../handler.ts'
import { answered } from './answered.ts'
import { removedAnswer } from './delete.ts'
import { recordReference } from './fetch-by-ref.ts'

export const deleteByRef: WriteHandler<ResourceRoute> =
  ({ definition, success }) =>
  (companyId, { params }, { dryRun, expected }, mayDo) => {
    const value = recordReference(params)
    const work = removalByReference(companyId, { definition, value, expected, mayDo })
    return answered(work, ({ id, ...removed }) => ({ ...removedAnswer(success, id, dryRun, removed), recordId: id }))
  }
