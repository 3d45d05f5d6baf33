import { routes } from '#derive/routes.ts'
import { registry } from '#registry/records/index.ts'
import { builtConsole } from '../console-door/app-files.ts'
import { openConsoleDoor } from '../console-door/door.ts'
import { makeShares } from '../fair/shares.ts'
import type { World } from '../world.ts'
import { splitTarget } from './base.ts'
import { describe } from './describe.ts'
import { type Door, makeDoor, type Stage } from './door.ts'
import { type Admission, openGate } from './gate.ts'
import { type Listening, listen } from './listen.ts'
import { makePages } from './pages.ts'
import { makeRouter } from './router.ts'

/** The service on its port: /v1 and the operator's pages by their own door, everything else by the console's. */
export async function serve(world: World, consoleFolder: string = builtConsole): Promise<Listening> {
  const stage: Stage = { is: 'serving' }
  const pages = makePages(world, stage)
  const admission: Admission = { gate: openGate(world), shares: makeShares() }
  const door = makeDoor(world, makeRouter(routes(registry)), pages, describe, stage, admission)
  const consoleDoor = await openConsoleDoor(world, stage, admission, consoleFolder)
  const whichever: Door = (request, response) => {
    const target = request.url ?? '/'
    if (target.startsWith('/v1/')) return door(request, response)
    const [path] = splitTarget(target)
    const isConsoles = path.startsWith('/') && !/^\/v1(\/|$)/.test(path) && !Object.hasOwn(pages, path)
    if (isConsoles) consoleDoor.open(request, response)
    else door(request, response)
  }
  try {
    const listening = await listen(world, whichever, stage)
    return {
      url: listening.url,
      drain: async (together) => {
        await listening.drain(together)
        await consoleDoor.close()
      },
    }
  } catch (error) {
    await consoleDoor.close()
    throw error
  }
}
