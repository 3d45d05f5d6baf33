import { type Route, routes } from '#derive/routes.ts'
import { agentPath } from '#registry/agents.ts'
import { registry } from '#registry/resources/index.ts'
import { createAgents } from './agent/site.ts'
import type { App } from './app.ts'
import { builtConsole, openAppFiles } from './console-api/app-files.ts'
import { routes as consoleRoutes } from './console-api/routes.ts'
import { createConsole } from './console-api/site.ts'
import { openAdmission } from './http/admission.ts'
import { createApi } from './http/api.ts'
import type { Stage } from './http/app.ts'
import { openConnections } from './http/connections.ts'
import { answerFailures, openFailureLog } from './http/failure-log.ts'
import { type Answerer, type ListeningServer, listen, openHsts } from './http/listen.ts'
import { listenForMetrics } from './http/metrics-port.ts'
import { createPages, openDescribe } from './http/pages.ts'
import { createRequestHandler, type Site } from './http/request-handler.ts'
import { allowOf, createRouter } from './http/router.ts'
import { bind } from './pipeline/bind.ts'
import type { Handlers } from './pipeline/handler.ts'
import { handlers } from './pipeline/handlers/index.ts'
import { startChangeWatch } from './service/change-watch.ts'

/**
 * Serves on the port: /v1, the operator's pages, and the console at all other paths. `all` returns the served routes,
 * which the documents read each time; `by` has their handlers.
 */
export async function serve(
  app: App,
  consoleFolder: string = builtConsole,
  all: () => readonly Route[] = () => routes(registry),
  by: Handlers = handlers,
): Promise<ListeningServer> {
  const { stage, connections, answer, stopWaiting, close } = openEdge(app, consoleFolder, all, by)
  const closeMetrics = await listenForMetrics(app)
  const closeAll = async (): Promise<void> => {
    await closeMetrics()
    close()
  }
  try {
    const { url, drain } = await listen(app, answer, stage, connections)
    return {
      url,
      drain: async (allClosed) => {
        stopWaiting()
        await drain(allClosed)
        await closeAll()
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Creates the handler of requests. */
function openEdge(app: App, consoleFolder: string, all: () => readonly Route[], by: Handlers) {
  const stage: Stage = { is: 'serving' }
  const pages = createPages(app, stage)
  const admission = openAdmission(app)
  const describe = openDescribe(app.config, all)
  const changes = startChangeWatch(app.database, {
    inBackground: (look) => app.inBackground('changes', look),
    onCount: app.metrics.waiting,
  })
  const failures = openFailureLog(app)
  const failed = answerFailures(app, failures)
  const bound = bind(all(), by)
  const allow = allowOf([...bound, ...consoleRoutes].map(({ method }) => method))
  const api = createApi(app, { router: createRouter(bound), pages, describe, admission, changes, failed, allow })
  const consoleSite = createConsole(app, admission, openAppFiles(consoleFolder))
  const agentSite = createAgents(app, admission, failed)
  const apiPaths = new Set([...Object.keys(pages), ...bound.map(({ path }) => path)])
  const isConsoles = (path: string): boolean => path.startsWith('/') && !/^\/v1(\/|$)/.test(path) && !apiPaths.has(path)
  const siteOf = (path: string): Site => (path === agentPath ? agentSite : isConsoles(path) ? consoleSite : api)
  const handle = createRequestHandler(app, (incoming) => siteOf(incoming.path)(incoming), stage, failed)
  const tellHsts = openHsts(app.config)
  const connections = openConnections(app)
  const answer: Answerer = (request, response) => {
    const budget = connections.begin(request.socket, response)
    tellHsts(request, response)
    void handle(request, response, budget)
  }
  const close = (): void => {
    connections.close()
    failures.close()
  }
  return { stage, connections, answer, stopWaiting: changes.close, close }
}
