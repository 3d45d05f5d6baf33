import { type DestinationStream, type Logger, pino } from 'pino'
import { tokenPrefix } from '#registry/token-form.ts'
import { backupFacts } from './backup/failures.ts'
import type { Config } from './config/config.ts'
import type { App as ConsoleApp } from './console-api/app.ts'
import { openEmbedded } from './embedded/open.ts'
import { type Meter, startMeter } from './jobs/metering.ts'
import { type ServiceMetrics, startMetrics } from './metrics.ts'
import { openOutbound } from './outbound/outbound.ts'
import type { Clock } from './pipeline/app.ts'
import { sealingKeys } from './secret.ts'
import type { SealingKeys } from './service/seal.ts'
import { makeTokenRates } from './service/token-rate.ts'
import { type Connection, openDatabase } from './store/database.ts'
import { migrate } from './store/migrate.ts'

/** All that the service needs of the app, passed by hand. There is no other state. */
export type App = ConsoleApp & { meter: Meter; metrics: ServiceMetrics }

export const systemClock: Clock = { now: () => new Date(), elapsed: () => performance.now() }

export type OpenApp = {
  app: App
  connection: Connection
  /** How the database came to be there, for people. */
  databaseIs: string
  /** Writes what is kept and lets go of the database. */
  close(): Promise<void>
}

/** The database, found or started and brought up to date, and all that stands on it. */
export async function openApp(config: Config, progress: (sentence: string) => void): Promise<OpenApp> {
  const { connection, databaseIs, leave } = await findDatabase(config, progress)
  try {
    progress('Bringing the database up to date …')
    await migrate(connection, progress)
    const keys = sealingKeys(config)
    // Made when missing, and found to be whole, before anything is served.
    await keys.current()
    const app = makeApp(config, connection, keys)
    return {
      app,
      connection,
      databaseIs,
      close: async () => {
        await app.meter.close()
        await app.database.close()
        await leave()
      },
    }
  } catch (error) {
    await leave()
    throw error
  }
}

export async function findDatabase(config: Config, progress: (sentence: string) => void) {
  if (config.databaseUrl !== null) {
    const connection = { connectionString: config.databaseUrl }
    return { connection, databaseIs: 'the one of DATABASE_URL', runsAs: null, leave: async () => {} }
  }
  const embedded = await openEmbedded({
    folder: config.dataFolder,
    user: config.databaseUser,
    archive: config.archive === null ? null : { folder: config.archive, seconds: config.archiveSeconds },
    progress,
  })
  return {
    // A PGSSLMODE in the environment is meant for other servers; a Unix socket has no TLS.
    connection: { ...embedded.connection, ssl: false as const },
    databaseIs: `the bundled PostgreSQL (${embedded.how}) in ${config.dataFolder}`,
    runsAs: embedded.runsAs,
    leave: () => embedded.close(),
  }
}

/** Secrets have no place in a log, wherever an error carries them. */
const hidden = ['authorization', 'cookie', 'token', 'password', 'secret', 'connectionString'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
])

export function makeApp(config: Config, connection: Connection, secret: SealingKeys): App {
  const log = makeLog(config)
  const database = openDatabase(connection, config, (error) => log.warn({ error }, 'a database connection was lost'))
  const metrics = startMetrics(database, config.backupTo || config.archive ? () => backupFacts(config) : null)
  const meter = startMeter(database, (lost, error) => {
    log.warn({ error, lost }, 'calls could not be noted yet')
    metrics.callsLost(lost)
  })
  const { tokenRequestsPerMinute } = config
  const tokenRates = tokenRequestsPerMinute === null ? null : makeTokenRates(tokenRequestsPerMinute, systemClock)
  const outbound = openOutbound({ networks: config.webhookNetworks, timeout: config.webhookTimeout })
  return { config, database, clock: systemClock, log, meter, metrics, tokenRates, outbound, secret }
}

/** On the standard error: the standard output is for what a command answers. */
export const makeLog = ({ logLevel }: Config, destination: DestinationStream = pino.destination(2)): Logger =>
  pino(
    {
      level: logLevel,
      redact: { paths: hidden, censor: '[removed]' },
      serializers: { error: pino.stdSerializers.errWithCause },
      hooks: { streamWrite: withoutTokens },
    },
    destination,
  )

/** A token that somebody put into a path, a name or a value, from where it gets into lines of any kind. */
const withoutTokens = (line: string): string => line.replaceAll(tokenText, `${tokenPrefix}[removed]`)

/** As it is, or percent-encoded. */
const tokenText = /plumb(?:_|%5f)live(?:_|%5f)[\w%]+/gi
