import type { own, standard } from '#derive/operations/index.ts'
import type { HandlersOf } from '../handler.ts'
import { batch } from './batch.ts'
import { changes } from './changes.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { docs } from './docs.ts'
import { fetch } from './fetch.ts'
import { history } from './history.ts'
import { list } from './list.ts'
import { openapi } from './openapi.ts'
import { postman } from './postman.ts'
import { update } from './update.ts'

/** What each operation does. The compiler misses the handler of an operation, and one of another sort. */
export const handlers = {
  list,
  fetch,
  create,
  update,
  delete: remove,
  history,
  batch,
  changes,
  openapi,
  docs,
  postman,
} satisfies HandlersOf<typeof standard, typeof own>
