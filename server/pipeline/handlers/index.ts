import type { ofReferences, ownOperations, standardOperations } from '#derive/operations/index.ts'
import type { HandlersOf } from '../handler.ts'
import { batch } from './batch.ts'
import { changes } from './changes.ts'
import { choices } from './choices.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { deleteByRef } from './delete-by-ref.ts'
import { docs } from './docs.ts'
import { fetch } from './fetch.ts'
import { fetchByRef } from './fetch-by-ref.ts'
import { history } from './history.ts'
import { list } from './list.ts'
import { llms } from './llms.ts'
import { me } from './me.ts'
import { openapi, openapiClient } from './openapi.ts'
import { postman } from './postman.ts'
import { undo } from './undo.ts'
import { update } from './update.ts'
import { upsert } from './upsert.ts'

/** What each operation does. The compiler misses the handler of an operation, and one of another sort. */
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
