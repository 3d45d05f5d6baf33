import { batch } from './batch.ts'
import { changes } from './changes.ts'
import { choices } from './choices.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { deleteByRef } from './delete-by-ref.ts'
import { docs, llms, openapi, openapiClient, postman } from './documents.ts'
import { fetch } from './fetch.ts'
import { fetchByRef } from './fetch-by-ref.ts'
import { history } from './history.ts'
import { list } from './list.ts'
import { me } from './me.ts'
import type { OwnOperation, ReferenceOperation, ResourceOperation } from './operation.ts'
import { undo } from './undo.ts'
import { update } from './update.ts'
import { upsert } from './upsert.ts'

/** What every served resource has. Its routes are called `projects.list`. */
export const standard = {
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

/** What every reference to a resource without routes has. Its routes are called `projects.category_id_choices`. */
export const ofReferences = { choices } satisfies { readonly [name: string]: ReferenceOperation }

/** What there is once, by the id of its route. The documents about the API come last. */
export const own = {
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

export type StandardName = keyof typeof standard

/** All that is served: these, or what a test adds to them. */
export type Operations = {
  standard: { readonly [name: string]: ResourceOperation }
  own: { readonly [id: string]: OwnOperation }
  ofReferences?: { readonly [name: string]: ReferenceOperation }
}
