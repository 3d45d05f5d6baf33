import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import { formatCount } from '#derive/words.ts'
import { connectionOf, systemClock } from '../app.ts'
import { type Config, ConfigProblem, readConfig, settings } from '../config/config.ts'
import { isLocal, isPlain, isReachable, plainSentence } from '../config/exposure.ts'
import { inspectEmbedded } from '../embedded/open.ts'
import type { Connection } from '../store/database.ts'
import { checkBackup, checkNewest } from './check-backup.ts'
import { checkDatabase } from './check-database.ts'
import { type Check, checkFolder, checkTargets, failCheck, passCheck, warnCheck } from './check-folder.ts'
import { mistakeIn } from './mistake.ts'
import { findServing } from './serve-note.ts'
import { systemTrouble, thisSystem } from './system.ts'
import type { CommandContext, CommandResult } from './terminal.ts'
import { hasDatabase } from './with-app.ts'

export function addDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description(
      'Check everything that the service depends on. Print each problem and its remedy. Nothing is started or changed.',
    )
    .addHelpText('after', '\nThe exit code is 1 if there is a problem.\n\nExample:\n  plumbline doctor')
    .action(async () => {
      const checks = await examine(context)
      context.say(diagnosis(checks))
      if (checks.some(({ ok }) => !ok)) context.end('failed')
    })
}

async function examine(context: CommandContext): Promise<Check[]> {
  const given = settings.filter(({ name }) => context.environment[name]?.trim()).length
  const node = checkSystem()
  let config: Config
  try {
    config = readConfig(context.environment)
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error
    return [...error.message.split('\n').map((problem) => failCheck('settings', problem)), node]
  }
  const first = [
    passCheck('settings', `${settings.length}, of which ${given} are given`),
    node,
    checkProcesses(config),
    checkMetrics(config),
    checkNetwork(config),
    ...(await checkFolder(config)),
  ]
  const { databaseUrl, dataFolder } = config
  if (databaseUrl !== null)
    return [...first, ...(await examineDatabase(config, connectionOf(databaseUrl, config), 'the one of DATABASE_URL'))]
  if (await hasDatabase(config)) return [...first, ...(await examineBundled(config))]
  return [
    ...first,
    ...(await checkTargets(config, undefined)),
    passCheck('database', `there is none yet in ${dataFolder}; "plumbline serve" makes it`),
  ]
}

/** Checks the bundled PostgreSQL without starting it. A stopped one is checked by its files alone. */
async function examineBundled(config: Config): Promise<Check[]> {
  const { dataFolder, databaseUser } = config
  try {
    const sight = await inspectEmbedded(dataFolder, databaseUser)
    const { connection, runsAs } = sight
    const found = await (connection
      ? examineDatabase(config, { ...connection, ssl: false }, `the bundled PostgreSQL in ${dataFolder}`)
      : examineStopped(config))
    return [...(await checkTargets(config, sight)), ...found, ...checkUser(runsAs)]
  } catch (error) {
    return [failCheck('database', mistakeIn(error))]
  }
}

async function examineStopped(config: Config): Promise<Check[]> {
  const serving = await findServing(config.dataFolder)
  const database = serving
    ? failCheck(
        'database',
        `the bundled PostgreSQL is stopped, though process ${serving.pid} serves ${serving.url} with it: the log of that process says why it does not start.`,
      )
    : passCheck('database', 'the bundled PostgreSQL is stopped; "plumbline serve" starts it')
  return [database, await checkNewest(config, systemClock.now())]
}

async function examineDatabase(config: Config, connection: Connection, databaseIs: string): Promise<Check[]> {
  try {
    return [
      ...(await checkDatabase(config, connection, databaseIs)),
      ...(await checkBackup(config, connection, systemClock.now())),
    ]
  } catch (error) {
    return [failCheck('database', mistakeIn(error))]
  }
}

function checkSystem(): Check {
  const trouble = systemTrouble(thisSystem())
  return trouble === null
    ? passCheck('node', `${process.versions.node} on ${process.platform} ${process.arch}`)
    : failCheck('node', trouble)
}

function checkProcesses({ processes }: Config): Check {
  const says = `${processes} on ${availableParallelism()} processors`
  if (processes <= availableParallelism()) return passCheck('processes', says)
  return failCheck('processes', `${says}: more than there are processors only take turns; set PROCESSES to auto.`)
}

/** Checks METRICS_ADDRESS: /metrics shows how busy the service is, so its address should be in a private network. */
function checkMetrics({ host, port, metricsAddress }: Config): Check {
  const { host: shown, port: where } = metricsAddress ?? { host, port }
  const says = `served on ${shown}:${where}`
  if (isLocal(shown) || (metricsAddress !== null && isPrivate(shown))) return passCheck('metrics', says)
  const advice = 'others may read them: set METRICS_ADDRESS to an address that only your own machines reach, such as'
  return failCheck('metrics', `${says}, where ${advice} 127.0.0.1:9464.`)
}

/** Returns whether an address is private (RFC 1918 and RFC 4193). */
const isPrivate = (host: string): boolean =>
  /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/.test(host) || /^f[cd][\da-f]{2}:/i.test(host)

/** Checks the user of the bundled PostgreSQL under root: other programs of that user reach its files. */
function checkUser(runsAs: { name: string; isShared: boolean } | null): Check[] {
  if (runsAs === null) return []
  const { name, isShared } = runsAs
  if (!isShared) return [passCheck('user', `PostgreSQL runs as "${name}"`)]
  return [
    warnCheck(
      'user',
      `PostgreSQL runs as "${name}", so any program of that user reaches its files: start as an ordinary user, or make one for it ("useradd --system plumbline-db") and set PLUMBLINE_DATABASE_USER.`,
    ),
  ]
}

function checkNetwork(config: Config): Check {
  if (isPlain(config)) return warnCheck('network', plainSentence)
  return passCheck(
    'network',
    isReachable(config) ? `TLS is spoken at ${config.publicUrl}` : 'only this machine reaches the service',
  )
}

function diagnosis(checks: readonly Check[]): CommandResult {
  const wrong = checks.filter(({ ok }) => !ok).length
  const warnings = checks.filter(({ warning }) => warning).length
  const lines = checks.map((check) => `${wordOf(check)} ${check.name.padEnd(13)}${check.says}`)
  const verdict =
    wrong > 0
      ? `${wrong} of ${checks.length} checks found a problem.`
      : `All is well${warnings > 0 ? `, with ${formatCount(warnings, 'warning')}` : ''}.`
  return {
    json: { ok: wrong === 0, checks },
    text: [...lines, '', verdict].join('\n'),
  }
}

const wordOf = ({ ok, warning }: Check): string => (warning ? 'WARNING ' : ok ? 'OK      ' : 'PROBLEM ')
