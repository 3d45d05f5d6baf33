import type { ResourceRoute } from '#derive/routes.ts'
import { resultOf } from '../../records/command.ts'
import { removalByReference } from '../../records/upsert.ts'
import type { WriteHandler } from '../handler.ts'
import { formatRemoved } from './delete.ts'
import { recordReference } from './fetch-by-ref.ts'

export const deleteByRef: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params }, { dryRun, expected }, mayDo) => {
    const { definition } = route
    const value = recordReference(params)
    const work = removalByReference(companyId, { definition, value, expected, mayDo })
    return resultOf(work, (done) => ({ ...formatRemoved(route, dryRun, done), recordId: done.id }))
  }
