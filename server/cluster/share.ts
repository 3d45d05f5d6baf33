import type { Config } from '../config/config.ts'

/** With one connection nothing could be read while something is written. */
const connectionsLeast = 2

/** The settings of one of several processes: each has its part of the connections to the database. */
export const shareOf = (config: Config): Config => ({
  ...config,
  connectionsMax: Math.max(connectionsLeast, Math.floor(config.connectionsMax / config.processes)),
})
