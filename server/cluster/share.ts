import type { Config } from '../config/config.ts'
import { connectionsLeast } from '../store/allowance.ts'

/** The settings of one of several processes: each has its part of the connections to the database. */
export const shareOf = (config: Config): Config => ({
  ...config,
  connectionsMax: Math.max(connectionsLeast, Math.floor(config.connectionsMax / config.processes)),
})
