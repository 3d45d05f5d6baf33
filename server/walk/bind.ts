import { type DataRoute, type DocumentRoute, isDataRoute, isWrite, type Route } from '#derive/routes.ts'
import type { World } from '../world.ts'
import type { Call, Reply } from './call.ts'
import type { DocumentHandler, Handlers, ReadHandler, WriteHandler } from './handler.ts'
import { walkRead, walkWrite } from './walk.ts'

/** A route with what answers it. */
export type Bound = BoundCall | BoundDocument
export type BoundCall = { route: DataRoute; walk(world: World, call: Call): Promise<Reply> }
export type BoundDocument = { route: DocumentRoute; make: DocumentHandler }

/** Once, at the start: no request looks for its handler. */
export const bind = (routes: readonly Route[], handlers: Handlers): Bound[] =>
  routes.map((route) => {
    const handler = handlers[route.operation]
    if (!handler) throw new Error(`nothing answers ${route.id}`)
    return isDataRoute(route) ? boundCall(route, handler) : { route, make: handler as DocumentHandler }
  })

function boundCall(route: DataRoute, handler: Handlers[string]): BoundCall {
  // The statements that look up the caller ask for one scope, and that of a write looks at nothing without it.
  const { length } = route.scopes
  if (length > 1 || (isWrite(route) && length < 1))
    throw new Error(`${route.id} needs ${length} scopes; a read can have one or none, a write one`)
  if (isWrite(route)) {
    const write = (handler as WriteHandler)(route)
    return { route, walk: (world, call) => walkWrite(world, call, write) }
  }
  const read = (handler as ReadHandler)(route)
  return { route, walk: (world, call) => walkRead(world, call, read) }
}
