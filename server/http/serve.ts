import { type Route, routes } from '#derive/routes.ts'
import { registry } from '#registry/records/index.ts'
import { builtConsole } from '../console-door/app-files.ts'
import { openConsoleDoor } from '../console-door/door.ts'
import { makeShares } from '../fair/shares.ts'
import { startChangeWatch } from '../service/change-watch.ts'
import { bind } from '../walk/bind.ts'
import type { Handlers } from '../walk/handler.ts'
import { handlers } from '../walk/handlers/index.ts'
import type { World } from '../world.ts'
import { splitTarget } from './base.ts'
import { openConnections } from './connections.ts'
import { openDescribe } from './describe.ts'
import { makeDoor, type Stage } from './door.ts'
import { type Admission, openGate } from './gate.ts'
import { openHsts } from './hsts.ts'
import { type Answerer, type Listening, listen } from './listen.ts'
import { listenForMetrics } from './metrics-port.ts'
import { makePages } from './pages.ts'
import { protocolRefusal } from './protocol.ts'
import { makeRouter } from './router.ts'

/**
 * The service on its port: /v1 and the operator's pages by their own door, everything else by the console's. `all` are
 * the routes that are served, looked at anew by the documents; `by` are their handlers.
 */
export async function serve(
  world: World,
  consoleFolder: string = builtConsole,
  all: () => readonly Route[] = () => routes(registry),
  by: Handlers = handlers,
): Promise<Listening> {
  const stage: Stage = { is: 'serving' }
  const pages = makePages(world, stage)
  const admission: Admission = { gate: openGate(world), shares: makeShares() }
  const changes = startChangeWatch(world.database, (error) =>
    world.log.warn({ error }, 'changes could not be looked for'),
  )
  const door = makeDoor(world, {
    router: makeRouter(bind(all(), by)),
    pages,
    describe: openDescribe(world.config, all),
    stage,
    admission,
    changes,
  })
  const connections = openConnections(world)
  const tellHsts = openHsts(world.config)
  const consoleDoor = await openConsoleDoor(world, stage, admission, consoleFolder)
  const close = async (): Promise<void> => {
    connections.close()
    await consoleDoor.close()
  }
  const whichever: Answerer = (request, response) => {
    const room = connections.begin(request.socket, response)
    const target = request.url ?? '/'
    tellHsts(request, response)
    const refused = protocolRefusal(request)
    if (refused || target.startsWith('/v1/')) return door(request, response, room, refused)
    const [path] = splitTarget(target)
    const isConsoles = path.startsWith('/') && !/^\/v1(\/|$)/.test(path) && !Object.hasOwn(pages, path)
    if (isConsoles) consoleDoor.open(request, response, room)
    else door(request, response, room)
  }
  try {
    const closeMetrics = await listenForMetrics(world)
    try {
      const listening = await listen(world, whichever, stage, connections)
      return {
        url: listening.url,
        drain: async (together) => {
          changes.close()
          await listening.drain(together)
          await closeMetrics()
          await close()
        },
      }
    } catch (error) {
      await closeMetrics()
      throw error
    }
  } catch (error) {
    await close()
    throw error
  }
}
