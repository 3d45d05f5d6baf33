import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type OpenApp, openApp } from '#server/app.ts'
import { run } from '#server/commands/run.ts'
import { readConfig } from '#server/config/config.ts'
import { readStatus, stopServer } from '#server/embedded/processes.ts'
import { startMetrics } from '#server/metrics.ts'
import { passedOn } from '../stage/compile-cache.ts'
import { freshDatabase } from '../stage/database.ts'
import { patience } from '../stage/stage.ts'

export const launcher = join(import.meta.dirname, '../../bin/plumbline')

export type CommandOutput = { code: number; out: string; err: string }

/**
 * A folder of its own for a file of tests, with a data folder in it: one that no command has seen yet, or one that was
 * prepared. `clear` leaves nothing behind.
 */
export async function createStage(dataFolder: 'new' | Prepared = 'new') {
  const folder = await makeFolder('plumbline-command-')
  const data = join(folder, 'data')
  if (dataFolder !== 'new') await copyPrepared(dataFolder, data)
  // Nothing of the machine's own settings.
  const environment = { ...passedOn(), HOME: folder, PLUMBLINE_DATA: data }
  const started: ChildProcess[] = []

  return {
    folder,
    data,
    environment,

    /** A command inside this process: fast. */
    give: (words: readonly string[], more: { [name: string]: string } = {}, input = ''): Promise<CommandOutput> =>
      runWithin({ words, environment: { ...environment, ...more }, folder, input }),

    /** The same, by somebody who sits at a terminal and types that. */
    answer: (words: readonly string[], typed: string, more: { [name: string]: string } = {}): Promise<CommandOutput> =>
      runWithin({ words, environment: { ...environment, ...more }, folder, input: typed, isTTY: true }),

    /** The real program, in a process of its own. */
    start(words: readonly string[], more: { [name: string]: string } = {}, program = launcher, cwd = folder) {
      const child = spawn(program, words, { cwd, env: { ...environment, ...more }, stdio: ['ignore', 'pipe', 'pipe'] })
      started.push(child)
      const said = { out: '', err: '' }
      child.stdout.on('data', (chunk) => (said.out += chunk))
      child.stderr.on('data', (chunk) => (said.err += chunk))
      const ended = once(child, 'close').then(([code]): CommandOutput => ({ code: code as number, ...said }))
      const shows = async (text: string): Promise<string> => {
        while (!said.out.includes(text) && child.exitCode === null) await pause(10)
        if (!said.out.includes(text)) throw new Error(`it ended with ${child.exitCode}: ${said.out}${said.err}`)
        return said.out
      }
      return { child, ended, said, shows }
    },

    open: (more: { [name: string]: string } = {}): Promise<OpenApp> =>
      openApp(readConfig({ ...environment, ...patience, LOG_LEVEL: 'silent', ...more }), () => undefined, startMetrics),

    databaseRuns: async (): Promise<boolean> => (await readStatus(join(data, 'postgres', 'cluster'))).state === 'alive',

    async clear(): Promise<void> {
      for (const child of started) {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill('SIGKILL')
          await once(child, 'close')
        }
      }
      await stopServer(join(data, 'postgres', 'cluster'))
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export type Stage = Awaited<ReturnType<typeof createStage>>

type Given = {
  words: readonly string[]
  environment: { [name: string]: string }
  folder: string
  input?: string
  isTTY?: boolean
}

/** Runs a command in this process. */
async function runWithin({ words, environment, folder, input = '', isTTY = false }: Given): Promise<CommandOutput> {
  const said = { out: '', err: '' }
  const stdin = (async function* () {
    yield input
  })()
  const code = await run({
    words,
    environment,
    folder,
    stdin: Object.assign(stdin, { isTTY }),
    stdout: { write: (text) => (said.out += text) },
    stderr: { write: (text) => (said.err += text) },
  })
  return { code, ...said }
}

/** Creates a folder that PostgreSQL can reach: where root starts it, it runs as another user. */
async function makeFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix))
  await chmod(folder, 0o711)
  return folder
}

/** What was done in a data folder before: its database was created and migrated, or has the demo companies too. */
export type Prepared = 'migrated' | 'demo'

/**
 * Copies a prepared data folder, which takes a tenth of the time of a first start. The first call of a run prepares it;
 * of several at once the first to rename wins.
 */
export async function copyPrepared(prepared: Prepared, to: string): Promise<void> {
  const from = join(tmpdir(), `plumbline-${prepared}`)
  if (!existsSync(from)) {
    const folder = await makeFolder('plumbline-prepared-')
    const environment = { ...patience, HOME: folder, PLUMBLINE_DATA: join(folder, 'data'), LOG_LEVEL: 'silent' }
    const words = prepared === 'demo' ? ['demo'] : ['migrate']
    const { code, err } = await runWithin({ words, environment, folder })
    if (code !== 0) throw new Error(err)
    await rename(folder, from).catch(() => rm(folder, { recursive: true }))
  }
  // Unlike Node's own copy it keeps the owner of each file.
  await promisify(execFile)('cp', ['-a', join(from, 'data'), to])
}

/** A stage, and a migrated database on the server of the whole run; `close` leaves nothing of either. */
export async function openDatabaseStage() {
  const stage = await createStage()
  const { connection, drop } = await freshDatabase()
  const close = async () => {
    await drop()
    await stage.clear()
  }
  return { stage, connection, close }
}

/** The one JSON object of a successful command with --json. */
export function jsonOf({ code, out, err }: CommandOutput): { [member: string]: unknown } {
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
