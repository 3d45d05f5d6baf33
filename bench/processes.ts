import { type ChildProcess, fork, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Outcome, Run } from './load/main.ts'
import { BenchProblem } from './problem.ts'
import { sealingKey } from './scenario/companies.ts'

/** A server under load, as a process of its own. */
export type Server = { url: string; pid: number | undefined; stop(): Promise<void> }

const root = join(import.meta.dirname, '..')

/** The product as an operator starts it. */
export const startProduct = (databaseUrl: string, profileFolder?: string): Promise<Server> =>
  startServer([...profiling(profileFolder), join(root, 'server/command/main.ts'), '--json', 'serve'], {
    ...{ DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'warn', PLUMBLINE_DEMO: 'off', PLUMBLINE_SECRET: sealingKey },
  })

export const startFloor = (databaseUrl: string, profileFolder?: string): Promise<Server> =>
  startServer([...profiling(profileFolder), join(root, 'bench/floor/main.ts')], { DATABASE_URL: databaseUrl })

/** A CPU profile of the whole life of a process, written when it ends. */
const profiling = (folder: string | undefined): string[] =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]

/** Of our own environment only this reaches a server: what else is set there is meant for other servers. */
const passedOn = (names: readonly string[]): { [name: string]: string } =>
  Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))

/** A server says where it is on its first line, as JSON. */
async function startServer(words: string[], environment: { [name: string]: string }): Promise<Server> {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...passedOn(['PATH', 'FLOOR_LANES', 'DATABASE_CONNECTIONS']), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints = (complaints + chunk).slice(-4000)
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const line = await Promise.race([firstLine(child), ended])
  if (line === undefined) throw new BenchProblem(`${words.at(-1)} did not start: ${complaints}`)
  return {
    url: (JSON.parse(line) as { url: string }).url,
    pid: child.pid,
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

/** The process that makes the load; one run at a time. */
export type Generator = { run(run: Run): Promise<Outcome>; stop(): void }

export function startGenerator(): Generator {
  const child = fork(join(root, 'bench/load/main.ts'), { execArgv: [] })
  return {
    run: (run) =>
      new Promise((resolve, reject) => {
        const lost = (): void => reject(new Error('the generator ended'))
        child.once('exit', lost)
        child.once('message', ({ outcome, error }: { outcome?: Outcome; error?: string }) => {
          child.off('exit', lost)
          if (outcome) resolve(outcome)
          else reject(new BenchProblem(`${run.work} at ${run.about.url}: ${error}`))
        })
        child.send(run)
      }),
    stop: () => child.disconnect(),
  }
}
