import type { World as EdgeWorld } from '../http/world.ts'
import type { World as SendingWorld } from '../webhooks/world.ts'

/** What the web interface needs of the world, passed by hand. */
export type World = EdgeWorld & SendingWorld
