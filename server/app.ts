import { availableParallelism } from 'node:os'
import { backupFacts, type FailureNotes, openFailureNotes } from './backup/failures.ts'
import type { Config } from './config/config.ts'
import type { App as ConsoleApp } from './console-api/operation-request.ts'
import { openEmbedded } from './embedded/open.ts'
import type { Room } from './http/app.ts'
import { type CallDetails, startCallDetails } from './jobs/call-details.ts'
import { type BackgroundRunner, createBackgroundRunner } from './jobs/in-background.ts'
import { type Meter, startMeter } from './jobs/spool.ts'
import { stopParts } from './lifecycle.ts'
import { createLog } from './log.ts'
import type { ServiceMetrics, StartMetrics } from './metrics.ts'
import { openOutbound } from './outbound/outbound.ts'
import type { Clock } from './pipeline/app.ts'
import { writeTogether } from './pipeline/write-call.ts'
import { sealingKeys } from './secret.ts'
import { createTokenRates } from './service/token-rate.ts'
import { fitConnections, readAllowance } from './store/allowance.ts'
import { type Connection, openDatabase, type StreamConnection } from './store/database.ts'
import type { BackendEnd } from './store/end-backend.ts'
import { migrate } from './store/migrate.ts'
import type { SealingKeys } from './store/seal.ts'
import { createGroups, placesOfProcessor } from './writes/group.ts'

/** All state of the service, which is passed as an argument. There is no other state. */
export type App = ConsoleApp & {
  meter: Meter
  callDetails: CallDetails | null
  metrics: ServiceMetrics
  inBackground: BackgroundRunner
  /** Failures of backups and of the archive. */
  failureNotes: FailureNotes
}

export const systemClock: Clock = { now: () => new Date(), elapsed: () => performance.now() }

export type OpenApp = Awaited<ReturnType<typeof openApp>>

/** Opens the app: finds or starts the database, migrates it, and creates all that depends on it. */
export async function openApp(config: Config, progress: (sentence: string) => void, measure?: StartMetrics) {
  const { connection, databaseIs, bundled, leave } = await findDatabase(config, progress)
  try {
    progress('Bringing the database up to date …')
    await migrate(connection, progress)
    const keys = sealingKeys(config)
    // The key is created if it is missing, and checked, before anything is served.
    await keys.current()
    const connections = fitConnections(config, await readAllowance(connection))
    const app = createApp({ ...config, connectionsMax: connections.connectionsMax }, connection, keys, measure)
    let closing: Promise<void> | undefined
    const closeAll = async (ms: number): Promise<void> => {
      await stopParts(app.log, ms, { database: closeApp(app) })
      await leave()
    }
    return {
      app,
      connection,
      /** The connections that the database allows all processes of the service. */
      connections,
      /** A phrase for people about the database: created, started, or in use. */
      databaseIs,
      /** The bundled PostgreSQL, for the process that supervises it. Null with a database of DATABASE_URL. */
      bundled,
      /** Writes the buffered rows, which may take `ms` at most, and leaves the database. Idempotent. */
      close: (ms = closeMs): Promise<void> => (closing ??= closeAll(ms)),
    }
  } catch (error) {
    await leave()
    throw error
  }
}

/** Returns the connection to the database of DATABASE_URL. */
export const connectionOf = (
  connectionString: string,
  { databasePasswordFile }: Pick<Config, 'databasePasswordFile'>,
): Connection => ({ connectionString, passwordFile: databasePasswordFile })

/** The time of a command. */
const closeMs = 30_000

export async function findDatabase(config: Config, progress: (sentence: string) => void) {
  if (config.databaseUrl !== null) {
    const connection = connectionOf(config.databaseUrl, config)
    return { connection, databaseIs: 'the one of DATABASE_URL', bundled: null, leave: async () => {} }
  }
  const embedded = await openEmbedded({
    folder: config.dataFolder,
    user: config.databaseUser,
    archive: config.archive === null ? null : { folder: config.archive, seconds: config.archiveSeconds },
    progress,
  })
  return {
    // A PGSSLMODE in the environment is for other servers: a Unix socket has no TLS.
    connection: { ...embedded.connection, ssl: false as const },
    databaseIs: `the bundled PostgreSQL (${embedded.how}) in ${config.dataFolder}`,
    bundled: embedded,
    leave: () => embedded.close(),
  }
}

/**
 * Creates the app. A process that serves gives `measure`. A command counts nothing, which saves it the time to
 * load the library of metrics.
 */
export function createApp(
  config: Config,
  connection: Connection | StreamConnection,
  secret: SealingKeys,
  measure: StartMetrics = countNothing,
): App {
  const identities = new Map()
  const log = createLog(config, { identities })
  const database = openDatabase(
    connection,
    config,
    (error) => log.warn({ error }, 'a database connection was lost'),
    ({ pid, outcome, afterMs }) => log.warn({ database_pid: pid, ms: afterMs }, backendEnds[outcome]),
  )
  const failureNotes = openFailureNotes(config.dataFolder)
  const facts = config.backupTo || config.archive ? () => backupFacts(config, failureNotes) : null
  const metrics = measure(database, facts)
  const inBackground = createBackgroundRunner({ log, clock: systemClock, countFailure: metrics.jobFailed })
  const meter = startMeter(database, inBackground, metrics.callsLost)
  const callDetails = config.callDetailsKeptDays === 0 ? null : startCallDetails(database, systemClock, inBackground)
  const { tokenRequestsPerMinute } = config
  const tokenRates = tokenRequestsPerMinute === null ? null : createTokenRates(tokenRequestsPerMinute, systemClock)
  const outbound = openOutbound({ networks: config.webhookNetworks, timeout: config.webhookTimeout })
  const groups = createGroups({
    together: writeTogether,
    waitMs: config.connectTimeout,
    places: placesOfProcessor * availableParallelism(),
    onGroup: metrics.groupLeft,
    onRedone: metrics.rowsRedone,
  })
  const room: Room = { isShort: false }
  return {
    ...{ config, database, clock: systemClock, log, identities, meter, callDetails, metrics, room },
    ...{ inBackground, failureNotes, tokenRates, outbound, groups, secret },
  }
}

/** Writes the buffered rows, and closes the connections to the database. */
export async function closeApp({ meter, callDetails, database }: App): Promise<void> {
  await meter.close()
  await callDetails?.close()
  await database.close()
}

function countNothing(): ServiceMetrics {
  const ignore = (): void => {}
  return {
    ...{ answered: ignore, shed: ignore, connected: ignore, cut: ignore, admitting: ignore, waiting: ignore },
    ...{ callsLost: ignore, jobFailed: ignore, webhookTried: ignore, databaseStarted: ignore, diskFree: ignore },
    ...{ webhookTurns: ignore, webhookTurnEnded: ignore },
    ...{ groupLeft: ignore, rowsRedone: ignore, values: async () => [], sharedValues: async () => [] },
    ...{ text: async () => '', contentType: 'text/plain' },
  }
}

/** Log messages about a database session that did not answer in time. */
const backendEnds: { readonly [outcome in BackendEnd['outcome']]: string } = {
  ended: 'a database session that did not answer was ended',
  'waits for a standby':
    'a database session that did not answer was left, because it waits for its synchronous standby',
  'not ended': 'a database session that did not answer could not be ended: look at the server of the database',
}
