import { type Route, routes } from '#derive/routes.ts'
import { registry } from '#registry/records/index.ts'
import type { World } from './app.ts'
import { builtConsole, openAppFiles } from './console-api/app-files.ts'
import { makeConsole } from './console-api/site.ts'
import { openAdmission } from './http/admission.ts'
import { makeApi } from './http/api.ts'
import { openConnections } from './http/connections.ts'
import { openDescribe } from './http/describe.ts'
import { openHsts } from './http/hsts.ts'
import { type Answerer, type Listening, listen } from './http/listen.ts'
import { listenForMetrics } from './http/metrics-port.ts'
import { makePages } from './http/pages.ts'
import { makeRequestHandler } from './http/request-handler.ts'
import { makeRouter } from './http/router.ts'
import type { Stage } from './http/world.ts'
import { startChangeWatch } from './service/change-watch.ts'
import { bind } from './walk/bind.ts'
import type { Handlers } from './walk/handler.ts'
import { handlers } from './walk/handlers/index.ts'

/**
 * The service on its port: /v1 and the operator's pages, and everything else for the web interface. `all` are the routes
 * that are served, looked at anew by the documents; `by` are their handlers.
 */
export async function serve(
  world: World,
  consoleFolder: string = builtConsole,
  all: () => readonly Route[] = () => routes(registry),
  by: Handlers = handlers,
): Promise<Listening> {
  const stage: Stage = { is: 'serving' }
  const pages = makePages(world, stage)
  const admission = openAdmission(world)
  const describe = openDescribe(world.config, all)
  const changes = startChangeWatch(world.database, {
    onError: (error) => world.log.warn({ error }, 'changes could not be looked for'),
    onCount: world.metrics.waiting,
  })
  const api = makeApi(world, { router: makeRouter(bind(all(), by)), pages, describe, admission, changes })
  const webInterface = makeConsole(world, admission, openAppFiles(consoleFolder))
  const isConsoles = (path: string): boolean =>
    path.startsWith('/') && !/^\/v1(\/|$)/.test(path) && !Object.hasOwn(pages, path)
  const handle = makeRequestHandler(
    world,
    (incoming) => (isConsoles(incoming.path) ? webInterface(incoming) : api(incoming)),
    stage,
  )
  const tellHsts = openHsts(world.config)
  const closeMetrics = await listenForMetrics(world)
  const connections = openConnections(world)
  const answer: Answerer = (request, response) => {
    const room = connections.begin(request.socket, response)
    tellHsts(request, response)
    void handle(request, response, room)
  }
  const close = async (): Promise<void> => {
    await closeMetrics()
    connections.close()
  }
  try {
    const { url, drain } = await listen(world, answer, stage, connections)
    return {
      url,
      drain: async (together) => {
        changes.close()
        await drain(together)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
