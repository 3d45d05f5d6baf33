import { routes } from '#derive/routes.ts'
import { registry } from '#registry/records/index.ts'
import type { World } from '../world.ts'
import { describe } from './describe.ts'
import { makeDoor, type Stage } from './door.ts'
import { type Listening, listen } from './listen.ts'
import { makePages } from './pages.ts'
import { makeRouter } from './router.ts'

/** The service on its port. */
export async function serve(world: World): Promise<Listening> {
  const stage: Stage = { is: 'serving' }
  const door = makeDoor(world, makeRouter(routes(registry)), makePages(world, stage), describe, stage)
  return listen(world, door, stage)
}
