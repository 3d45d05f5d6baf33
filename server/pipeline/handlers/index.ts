import type { ofReferences, ownOperations, standardOperations } from '#derive/operations/index.ts'
import type { HandlersOf } from '../handler.ts'
import { batch } from './batch.ts'
import { deleteByRef, fetchByRef } from './by-reference.ts'
import { changes } from './changes.ts'
import { choices } from './choices.ts'
import { docs, llms, openapi, openapiClient, postman } from './documents.ts'
import { fetch } from './fetch.ts'
import { history } from './history.ts'
import { list } from './list.ts'
import { me } from './me.ts'
import { create, remove, update, upsert } from './record-writes.ts'
import { undo } from './undo.ts'

/** The handlers of all operations. The compiler reports a missing handler, and one of another type. */
export const handlers = {
  list,
  fetch,
  create,
  update,
  delete: remove,
  history,
  fetch_by_ref: fetchByRef,
  upsert,
  delete_by_ref: deleteByRef,
  choices,
  me,
  batch,
  changes,
  'writes.undo': undo,
  openapi,
  openapi_client: openapiClient,
  docs,
  postman,
  llms,
} satisfies HandlersOf<typeof standardOperations, typeof ownOperations, typeof ofReferences>
