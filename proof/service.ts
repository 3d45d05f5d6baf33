import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The service as its operator runs it, on a bundled PostgreSQL in a folder of its own. */
export type Service = {
  url: string
  /** Gives the operator's command and returns what it answers. */
  give(...words: string[]): Promise<string>
  pid(): number
  kill(): Promise<void>
  /** Starts it again, on the port that it had. */
  start(): Promise<void>
  postmaster(): Promise<number>
  /** The sessions of PostgreSQL, by process id. */
  backends(): Promise<number[]>
  close(): Promise<void>
}

const own = join(import.meta.dirname, '..')

/** Starts the service of a checkout: this one or a copy. */
export async function startService(checkout = own): Promise<Service> {
  const data = await mkdtemp(join(tmpdir(), 'plumbline-proof-'))
  const port = await freePort()
  const environment = {
    ...process.env,
    ...{ PLUMBLINE_DATA: data, PLUMBLINE_DEMO: 'off', PORT: String(port), LOG_LEVEL: 'silent', PROCESSES: '1' },
    ...{ WEBHOOK_NETWORKS: '127.0.0.1/32', WEBHOOK_RETRY_SECONDS: '1', WEBHOOK_TIMEOUT_MS: '2000' },
    ...{ STATEMENT_TIMEOUT_MS: '3000', CONNECT_TIMEOUT_MS: '800', DRAIN_NOTICE_MS: '50', ANSWER_TARGET_MS: '5000' },
  }
  const command = join(checkout, 'server/commands/main.ts')
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const started = spawn(process.execPath, [command, '--json', 'serve'], {
      ...{ env: environment, cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] },
    })
    child = started
    let said = ''
    started.stderr?.on('data', (chunk) => {
      said = (said + chunk).slice(-4000)
    })
    await new Promise<void>((resolve, reject) => {
      started.stdout?.once('data', () => resolve())
      started.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${said}`)))
    })
  }
  const ended = (one: ChildProcess): Promise<void> =>
    one.exitCode !== null || one.signalCode !== null
      ? Promise.resolve()
      : new Promise((resolve) => one.once('exit', () => resolve()))
  const postmaster = async (): Promise<number> =>
    Number((await readFile(join(data, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')[0])
  await start()
  /** Starts it again; right after a fault of PostgreSQL that may need more than one try. */
  const startAgain = async (): Promise<void> => {
    for (let tries = 1; ; tries++)
      try {
        return await start()
      } catch (error) {
        if (tries === 5) throw error
      }
  }
  return {
    url: `http://127.0.0.1:${port}`,
    start: startAgain,
    postmaster,
    pid: () => child?.pid as number,
    give: async (...words) => {
      const { stdout } = await run(process.execPath, [command, ...words], { env: environment, cwd: checkout })
      return stdout.trim()
    },
    kill: async () => {
      child?.kill('SIGKILL')
      if (child) await ended(child)
    },
    backends: async () => {
      const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,args='])
      const parent = await postmaster().catch(() => null)
      return stdout.split('\n').flatMap((line) => {
        const [pid, of, ...words] = line.trim().split(/\s+/)
        return Number(of) === parent && words.includes('[local]') ? [Number(pid)] : []
      })
    },
    close: async () => {
      if (child) {
        child.kill('SIGTERM')
        await ended(child)
      }
      await rm(data, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const run = promisify(execFile)

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
