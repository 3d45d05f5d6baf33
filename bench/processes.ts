import { type ChildProcess, fork, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenOutcome, OpenRun, Outcome, Run } from './load/main.ts'
import { BenchProblem } from './problem.ts'
import { sealingKey } from './scenario/companies.ts'

/** A server under load in a process of its own. */
export type Server = {
  url: string
  pid: number | undefined
  /** Returns the end of its log. */
  complaints(): string
  /** Returns the bytes of its log. */
  logBytes(): number
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '..')

/** Further options of a start: options of Node, and settings. */
export type Start = { node?: readonly string[]; settings?: { readonly [name: string]: string } }

/** The options with which bin/plumbline starts Node. */
const nodeOptions = readFileSync(join(root, 'bin/node-options'), 'utf8').trim().split(' ')

/** The variable that bin/plumbline sets for Node. */
const arenasMax = /MALLOC_ARENA_MAX:-(\d+)/.exec(readFileSync(join(root, 'bin/plumbline'), 'utf8'))?.[1] as string

/** Starts the product like an operator. */
export const startProduct = (databaseUrl: string, { node = [], settings = {} }: Start = {}): Promise<Server> =>
  startServer([...nodeOptions, ...node, join(root, 'server/commands/main.ts'), '--json', 'serve'], {
    ...{ DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'warn', PLUMBLINE_DEMO: 'off', PLUMBLINE_SECRET: sealingKey },
    MALLOC_ARENA_MAX: arenasMax,
    ...settings,
  })

export const startFloor = (databaseUrl: string, { node = [] }: Start = {}): Promise<Server> =>
  startServer([...node, join(root, 'bench/floor/main.ts')], { DATABASE_URL: databaseUrl })

/** Returns the options for a CPU profile of the whole life of a process, written when it ends. */
export const profileStart = (folder: string): Start => ({ node: ['--cpu-prof', `--cpu-prof-dir=${folder}`] })

const endsWithParent = ['--import', join(import.meta.dirname, 'ends-with-parent.ts')]

/** Returns the variables of the environment that a server gets. Others are meant for other servers. */
const passedOn = (names: readonly string[]): { [name: string]: string } =>
  Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))

/** Starts a server, which prints its address as JSON on its first line. */
async function startServer(words: string[], environment: { [name: string]: string }): Promise<Server> {
  const child = spawn(process.execPath, [...endsWithParent, ...words], {
    cwd: root,
    env: { ...passedOn(['PATH', 'NODE_COMPILE_CACHE', 'FLOOR_LANES', 'DATABASE_CONNECTIONS']), ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let complaints = ''
  let logBytes = 0
  child.stderr?.on('data', (chunk) => {
    complaints = (complaints + chunk).slice(-4000)
    logBytes += chunk.length
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const line = await Promise.race([firstLine(child), ended])
  if (line === undefined) throw new BenchProblem(`${words.at(-1)} did not start: ${complaints}`)
  return {
    url: (JSON.parse(line) as { url: string }).url,
    pid: child.pid,
    complaints: () => complaints,
    logBytes: () => logBytes,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
    })
  })
}

/** The process that generates the load, one run at a time. */
export type Generator = {
  run(run: Run): Promise<Outcome>
  /** Runs arrivals that do not wait for answers. */
  pour(run: OpenRun): Promise<OpenOutcome>
  stop(): void
}

export function startGenerator(): Generator {
  const child = fork(join(root, 'bench/load/main.ts'), { execArgv: [] })
  const order = <T>(run: Run): Promise<T> =>
    new Promise((resolve, reject) => {
      const lost = (): void => reject(new Error('the generator ended'))
      child.once('exit', lost)
      child.once('message', ({ outcome, error }: { outcome?: T; error?: string }) => {
        child.off('exit', lost)
        if (outcome) resolve(outcome)
        else reject(new BenchProblem(`${run.work} at ${run.about.url}: ${error}`))
      })
      child.send(run)
    })
  return { run: order<Outcome>, pour: order<OpenOutcome>, stop: () => child.disconnect() }
}
