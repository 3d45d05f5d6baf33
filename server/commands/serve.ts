import type { App, OpenApp } from '../app.ts'
import { startBackups } from '../backup/schedule.ts'
import { serveTogether } from '../cluster/primary.ts'
import { type Config, readConfig } from '../config/config.ts'
import { isPlain, plainSentence } from '../config/exposure.ts'
import { startDemo } from '../demo/seed.ts'
import { watchDisks } from '../disk.ts'
import type { Keeper } from '../embedded/open.ts'
import type { ListeningServer } from '../http/listen.ts'
import { metricsTaken } from '../http/metrics-port.ts'
import { startFills } from '../jobs/fills.ts'
import { startSweeper } from '../jobs/sweep.ts'
import { exitIn, listenForStop, type Stop, type StopClock, startStopClock, stopParts } from '../lifecycle.ts'
import { createLog } from '../log.ts'
import { startMetrics } from '../metrics.ts'
import { serve } from '../serve.ts'
import { atMost } from '../wait/wait.ts'
import { startWebhooks } from '../webhooks/start.ts'
import { banner } from './banner.ts'
import { buildConsole } from './build-console.ts'
import { Mistake } from './mistake.ts'
import { type Progress, progressOf, startProgress } from './progress.ts'
import { removeServeNote, writeServeNote } from './serve-note.ts'
import { systemTrouble, thisSystem } from './system.ts'
import type { CommandContext } from './terminal.ts'
import { withAppOf } from './with-app.ts'

export type ServeOptions = { processes?: string; asBuilt?: true }

/** Serves until a signal stops it. */
export async function serveUntilStopped(context: CommandContext, given: ServeOptions): Promise<void> {
  const trouble = systemTrouble(thisSystem())
  if (trouble !== null) throw new Mistake(trouble, 'failed')
  const config = readConfig({ ...context.environment, PROCESSES: given.processes ?? context.environment.PROCESSES })
  const stop = listenForStop()
  const progress = progressOfServe(context, config)
  if (!given.asBuilt) await prepareConsole(context, config, progress, stop)
  // Nothing has to be closed yet.
  if (stop.signal.aborted) return
  let close = async (): Promise<void> => undefined
  // Also bounds a stop during the start.
  const stopClock = stop.asked.then((): StopClock => {
    const clock = startStopClock(config)
    setTimeout(() => void close(), clock.database()).unref()
    exitIn(clock.exit(), 1)
    return clock
  })
  const serveOpened = async (opened: OpenApp): Promise<number> => {
    close = () => opened.close(0)
    const code = await serveIn(context, opened, stop, stopClock)
    await opened.close((await stopClock).database())
    return code
  }
  const code = await withAppOf(config, progress, serveOpened, startMetrics)
  // Something that was left may still hold the process.
  exitIn(leftMs, code)
  if (code !== 0) throw new Mistake('The server stopped because of an unexpected error: see the log.', 'internal_error')
}

/** Builds the console if needed. The API is served even if the build fails. */
async function prepareConsole(context: CommandContext, config: Config, progress: Progress, { signal }: Stop) {
  try {
    await buildConsole(progress.tell, signal)
  } catch (error) {
    if (!signal.aborted) tellUnbuilt(context, config, error as Error)
  } finally {
    progress.end()
  }
}

/** Reports a failed build with the bundler's output, which names file and line: on a terminal as it is, else logged. */
function tellUnbuilt({ terminal: { stderr } }: CommandContext, config: Config, error: Error): void {
  const sentence = 'The web interface could not be built, and is not served until it is'
  if (stderr.isTTY || config.logLevel === 'silent') stderr.write(`${sentence}:\n${error.message}\n`)
  else createLog(config).error({ error }, sentence)
}

/** Returns a progress that prints on a terminal, and else writes to the log. */
function progressOfServe(context: CommandContext, config: Config): Progress {
  if (context.terminal.stderr.isTTY) return progressOf(context)
  const log = createLog(config)
  return startProgress((sentence) => log.info(sentence))
}

const leftMs = 200

async function serveIn(
  context: CommandContext,
  opened: OpenApp,
  stop: Stop,
  stopClock: Promise<StopClock>,
): Promise<number> {
  const { app, connection, connections, databaseIs, bundled } = opened
  const { config, log, database, clock, inBackground, failureNotes } = app
  stop.watch(log)
  if (connections.isTooFew) throw new Mistake(connections.sentence ?? '', 'unavailable')
  if (connections.sentence !== null) {
    if (context.terminal.stderr.isTTY) context.terminal.stderr.write(`${connections.sentence}\n`)
    else log.warn(connections.sentence)
  }
  await bundled?.keepRunning(keeperOf(app, stop))
  const disks = await watchDisks(app, bundled?.home ?? null, true)
  const demo = await startDemo(app)
  const listening = await takePort(config, () => (config.processes === 1 ? serve(app) : serveTogether(opened)))
  // If there are several processes, the others send webhooks and this one does not.
  const sending = config.processes === 1 ? startWebhooks(app) : undefined
  const sweeper = startSweeper(database, config, inBackground)
  const filling = startFills(database, inBackground)
  const backups = startBackups({ config, connection, log, clock, notes: failureNotes, inBackground })

  if (bundled) await atMost(noteMs, noteServing(app, listening.url))
  context.say(banner({ config, url: listening.url, databaseIs, demo }))
  if (!context.terminal.stderr.isTTY) {
    for (const note of demo.notes) log.warn(note)
    if (isPlain(config)) log.warn(plainSentence)
    log.info({ url: listening.url, database: databaseIs }, 'listening')
  }

  const code = await stop.asked
  if (context.terminal.stderr.isTTY) context.terminal.stderr.write('Stopping …\n')
  else log.info('stopping')
  const { parts, primaryParts } = await stopClock
  disks.stop()
  await stopParts(log, config.processes === 1 ? parts() : primaryParts(), {
    requests: listening.drain(),
    webhooks: sending?.stop(),
    sweep: sweeper.stop(),
    fills: filling.stop(),
    backups: backups.stop(),
  })
  if (bundled) await atMost(noteMs, removeServeNote(config.dataFolder)).catch(() => undefined)
  return code
}

/** A folder that hangs keeps the service neither from its start nor from its stop. */
const noteMs = 1000

const keeperOf = ({ log, metrics }: App, { signal }: Stop): Keeper => ({
  stopping: signal,
  onProblem: (problem) =>
    log.error({ problem }, 'the bundled PostgreSQL does not run; the service keeps trying to start it'),
  onStarted() {
    metrics.databaseStarted()
    log.warn('the bundled PostgreSQL had stopped and was started again')
  },
})

/** Writes the note. A full disk must not stop the service: then only "doctor" cannot name it. */
const noteServing = ({ config, log }: App, url: string): Promise<void> =>
  writeServeNote(config.dataFolder, url).catch((error) => log.warn({ error }, 'serve.json could not be written'))

/** Listens. Throws a `Mistake` with a remedy if the port of the settings cannot be used. */
async function takePort({ host, port }: Config, listen: () => Promise<ListeningServer>): Promise<ListeningServer> {
  try {
    return await listen()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === metricsTaken) throw new Mistake(message, 'failed')
    const sentence = portSentences[code ?? '']?.(host, port)
    throw sentence === undefined ? error : new Mistake(sentence, 'failed')
  }
}

const portSentences: { readonly [code: string]: (host: string, port: number) => string } = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is taken by another program: stop that one, or set PORT to another port (0 takes a free one).`,
  EACCES: (_, port) => `This user may not listen on port ${port}: set PORT to one above 1023.`,
  EADDRNOTAVAIL: (host) => `${host} is no address of this machine: set HOST to one that is, or to 0.0.0.0 for all.`,
  ENOTFOUND: (host) => `${host} is no name of this machine: set HOST to one that is, or to 0.0.0.0 for all.`,
}
