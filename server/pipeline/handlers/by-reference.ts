import { readFields } from '#derive/query.ts'
import type { ResourceRoute } from '#derive/routes.ts'
import { orRefusal, Refusal } from '#registry/refusals.ts'
import { fetchByReference } from '#sql/records/reference.ts'
import { createRemoval } from '../../records/remove.ts'
import { byReference, readReference } from '../../records/upsert.ts'
import type { PathParams } from '../call.ts'
import type { ReadHandler, WriteHandler } from '../handler.ts'
import { replyOfFetch } from './fetch.ts'
import { responder } from './record-writes.ts'

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
  (companyId, { params }, { dryRun, expected }) => {
    const { definition } = route
    const removal = (id: number) => createRemoval(companyId, definition, { id, expected })
    return {
      ...byReference(companyId, definition, recordReference(params), removal),
      respond: responder('delete', route, dryRun),
    }
  }
