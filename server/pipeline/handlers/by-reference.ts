import { readFields } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { Refusal } from '#registry/refusals.ts'
import { fetchByReference } from '#sql/records/reference.ts'
import { resultOf } from '../../records/command.ts'
import { readReference, removalByReference } from '../../records/upsert.ts'
import type { PathParams } from '../call.ts'
import type { ReadHandler, WriteHandler } from '../handler.ts'
import { formatRemoved } from './delete.ts'
import { replyOfFetch } from './fetch.ts'

export const fetchByRef: ReadHandler<ResourceRoute> =
  ({ definition }) =>
  ({ params }, query) => {
    const fields = readFields(query, definition)
    const value = recordReference(params)
    return { statement: (ask) => fetchByReference(ask, definition, value, fields), reply: replyOfFetch(definition) }
  }

/** Returns the reference of the path. A text that no record can have as a reference is not found. */
function recordReference({ value = '' }: PathParams): string {
  try {
    return readReference(value)
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal('not_found')
    throw error
  }
}

export const deleteByRef: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params }, { dryRun, expected }, mayDo) => {
    const { definition } = route
    const value = recordReference(params)
    const work = removalByReference(companyId, { definition, value, expected, mayDo })
    return resultOf(work, (done) => ({ ...formatRemoved(route, dryRun, done), recordId: done.id }))
  }
