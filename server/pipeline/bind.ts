import { type DataRoute, type DocumentRoute, isDataRoute, isWrite, type Route } from '#derive/routes.ts'
import type { App } from './app.ts'
import type { ApiResponse, Call, Wait } from './call.ts'
import type { DocumentHandler, Handlers, ReadHandler, WriteHandler } from './handler.ts'
import { answerRead, answerWrite } from './pipeline.ts'
import { replyOf } from './response.ts'

export type BoundRoute = BoundCall | BoundDocument
export type BoundCall = RouteAddress & { route: DataRoute; run(app: App, call: Call, wait: Wait): Promise<ApiResponse> }
export type BoundDocument = RouteAddress & { route: DocumentRoute; make: DocumentHandler }

/** The address of a route in the router; `accepts` are the media types of its body. */
export type RouteAddress = { method: string; path: string; accepts: readonly string[] }

/** Binds routes to handlers once, at the start, so that no request looks for its handler. */
export const bind = (routes: readonly Route[], handlers: Handlers): BoundRoute[] =>
  routes.map((route) => {
    const handler = handlers[route.operation]
    if (!handler) throw new Error(`nothing answers ${route.id}`)
    const { method, path } = route
    if (!isDataRoute(route)) return { method, path, accepts: [], route, make: handler as DocumentHandler }
    return { method, path, accepts: route.body?.types ?? [], route, run: runOf(route, handler) }
  })

function runOf(route: DataRoute, handler: Handlers[string]): BoundCall['run'] {
  if (isWrite(route)) {
    const write = (handler as WriteHandler)(route)
    return async (app, call) => replyOf(await answerWrite(app, call, write))
  }
  const read = (handler as ReadHandler)(route)
  return async (app, call, wait) => replyOf(await answerRead(app, call, read, wait))
}
