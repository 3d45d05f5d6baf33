import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { passedOn } from './compile-cache.ts'

/** The real service as a process of its own, started as an operator starts it. */
export type Process = {
  url: string
  pid: number
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>
  /** Its exit code, once it has ended. */
  exited: Promise<number | null>
  /** kill -9. */
  kill(): Promise<void>
  /** What it wrote to its log so far. */
  log(): string
}

const command = join(import.meta.dirname, '../../server/commands/main.ts')

export async function startProcess(environment: { [name: string]: string }): Promise<Process> {
  const child = spawn(process.execPath, [command, '--json', 'serve'], {
    env: { ...passedOn(), PORT: '0', LOG_LEVEL: 'info', PLUMBLINE_DEMO: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const banner = await Promise.race([
    firstLine(child),
    exited.then((code) => Promise.reject(new Error(`exit ${code}: ${log}`))),
  ])
  return {
    url: JSON.parse(banner).url,
    pid: child.pid as number,
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
    exited,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    log: () => log,
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

/** The address of a database behind a Unix socket. */
export const urlOf = ({
  host,
  port,
  user,
  database,
  password,
}: {
  host: string
  port: number
  user: string
  database: string
  password: string
}): string => `postgres:///${database}?host=${encodeURIComponent(host)}&port=${port}&user=${user}&password=${password}`

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
