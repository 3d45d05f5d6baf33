import { readFields } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { orRefusal, Refusal } from '#registry/refusals.ts'
import { fetchByReference } from '#sql/records/reference.ts'
import { resultOf } from '../../records/command.ts'
import { byReference, readReference } from '../../records/upsert.ts'
import type { PathParams } from '../call.ts'
import type { ReadHandler, WriteHandler } from '../handler.ts'
import { replyOfFetch } from './fetch.ts'
import { writeRecord } from './record-writes.ts'

export const fetchByRef: ReadHandler<ResourceRoute> =
  ({ definition }) =>
  ({ params }, query, { ask }) => {
    const fields = readFields(query, definition)
    const value = recordReference(params)
    return { statement: fetchByReference(ask, definition, value, fields), reply: replyOfFetch(definition) }
  }

/** Returns the reference of the path. A text that no record can have as a reference is not found. */
function recordReference({ value = '' }: PathParams): string {
  const reference = orRefusal(() => readReference(value))
  if (reference instanceof Refusal) throw new Refusal('not_found')
  return reference
}

export const deleteByRef: WriteHandler<ResourceRoute> =
  (route) =>
  (companyId, { params }, { dryRun, body, expected }, mayDo) => {
    const { definition } = route
    const reference = recordReference(params)
    return byReference(companyId, definition, reference, (id) => {
      const work = writeRecord('delete', companyId, { definition, id, reference, body, expected, mayDo }, route, dryRun)
      return resultOf(work, (answer) => ({ ...answer, recordId: id }))
    })
  }
