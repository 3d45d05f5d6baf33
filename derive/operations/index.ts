import { batch } from './batch.ts'
import { changes } from './changes.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { docs } from './docs.ts'
import { fetch } from './fetch.ts'
import { history } from './history.ts'
import { list } from './list.ts'
import { openapi } from './openapi.ts'
import type { OwnOperation, ResourceOperation } from './operation.ts'
import { postman } from './postman.ts'
import { update } from './update.ts'

/** What every served resource has. Its routes are called `projects.list`. */
export const standard = { list, fetch, create, update, delete: remove, history } satisfies {
  readonly [name: string]: ResourceOperation
}

/** What there is once, by the id of its route. The documents about the API come last. */
export const own = { batch, changes, openapi, docs, postman } satisfies { readonly [id: string]: OwnOperation }

export type StandardName = keyof typeof standard

/** All that is served: these, or what a test adds to them. */
export type Operations = {
  standard: { readonly [name: string]: ResourceOperation }
  own: { readonly [id: string]: OwnOperation }
}
