import { batch } from './batch.ts'
import { deleteByRef, fetchByRef } from './by-reference.ts'
import { changes } from './changes.ts'
import { choices } from './choices.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { docs, llms, openapi, openapiClient, postman } from './documents.ts'
import { fetch } from './fetch.ts'
import { history } from './history.ts'
import { list } from './list.ts'
import { me } from './me.ts'
import type { OwnOperation, ReferenceOperation, ResourceOperation } from './operation.ts'
import { undo } from './undo.ts'
import { update } from './update.ts'
import { upsert } from './upsert.ts'

/** The operations of every served resource. Their routes are named like `projects.list`. */
export const standardOperations = {
  list,
  fetch,
  create,
  update,
  delete: remove,
  history,
  fetch_by_ref: fetchByRef,
  upsert,
  delete_by_ref: deleteByRef,
} satisfies {
  readonly [name: string]: ResourceOperation
}

/** The operations of every reference to a resource without routes, named like `projects.category_id_choices`. */
export const ofReferences = { choices } satisfies { readonly [name: string]: ReferenceOperation }

/** The operations that exist once, by the id of the route. Documents about the API come last. */
export const ownOperations = {
  me,
  batch,
  changes,
  'writes.undo': undo,
  openapi,
  openapi_client: openapiClient,
  docs,
  postman,
  llms,
} satisfies {
  readonly [id: string]: OwnOperation
}

export type StandardName = keyof typeof standardOperations

/** The operations in use. A test may add others. */
export type Operations = {
  standard: { readonly [name: string]: ResourceOperation }
  own: { readonly [id: string]: OwnOperation }
  ofReferences?: { readonly [name: string]: ReferenceOperation }
}
