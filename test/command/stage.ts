import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** A folder of its own for a file of tests, with a data folder in it; `clear` leaves nothing behind. */
export async function createStage() {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-command-'))
  // Started by root, PostgreSQL runs as somebody else, who has to reach it here.
  await chmod(folder, 0o711)
  const data = join(folder, 'data')
  // Nothing of the machine's own settings, and no half second for which a service would rehearse.
  const environment = { ...passedOn(), HOME: folder, PLUMBLINE_DATA: data, REHEARSAL_MS: '0' }
  const started: ChildProcess[] = []

  async function within(
    words: readonly string[],
    more: { [name: string]: string },
    input: string,
    isTTY: boolean,
  ): Promise<CommandOutput> {
    const said = { out: '', err: '' }
    const stdin = (async function* () {
      yield input
    })()
    const code = await run({
      words,
      environment: { ...environment, ...more },
      folder,
      stdin: Object.assign(stdin, { isTTY }),
      stdout: { write: (text) => (said.out += text) },
      stderr: { write: (text) => (said.err += text) },
    })
    return { code, ...said }
  }

  return {
    folder,
    data,
    environment,

    /** A command inside this process: fast. */
    give: (words: readonly string[], more: { [name: string]: string } = {}, input = ''): Promise<CommandOutput> =>
      within(words, more, input, false),

    /** The same, by somebody who sits at a terminal and types that. */
    answer: (words: readonly string[], typed: string, more: { [name: string]: string } = {}): Promise<CommandOutput> =>
      within(words, more, typed, true),

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
