import { type Route, routes } from '#derive/routes.ts'
import { registry } from '#registry/records/index.ts'
import { builtConsole, openAppFiles } from '../console-api/app-files.ts'
import { makeConsole } from '../console-api/site.ts'
import type { World } from '../world.ts'
import { openAdmission } from './admission.ts'
import { makeApi } from './api.ts'
import { openConnections } from './connections.ts'
import { openDescribe } from './describe.ts'
import { openHsts } from './hsts.ts'
import { type Answerer, type Listening, listen } from './listen.ts'
import { listenForMetrics } from './metrics-port.ts'
import { makePages } from './pages.ts'
import { makeRequestHandler, type Stage } from './request-handler.ts'
import { makeRouter } from './router.ts'

/**
 * The service on its port: /v1 and the operator's pages, and everything else for the web interface. `all` are the routes
 * that are served, looked at anew by the documents.
 */
export async function serve(
  world: World,
  consoleFolder: string = builtConsole,
  all: () => readonly Route[] = () => routes(registry),
): Promise<Listening> {
  const stage: Stage = { is: 'serving' }
  const pages = makePages(world, stage)
  const admission = openAdmission(world)
  const describe = openDescribe(world.config, all)
  const api = makeApi(world, { router: makeRouter(all()), pages, describe, admission })
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
    return { url, drain: (together) => drain(together).then(close) }
  } catch (error) {
    await close()
    throw error
  }
}
