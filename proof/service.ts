import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { appendFile, chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findFreePort } from './free-port.ts'

/** The service as its operator runs it, on a bundled PostgreSQL in a folder of its own. */
export type Service = {
  url: string
  data: string
  checkout: string
  met(): Promise<PostgresAddress>
  /** Gives the operator's command and returns what it answers. */
  give(...words: string[]): Promise<string>
  pid(): number
  kill(): Promise<void>
  /** Kills the service and every process of its PostgreSQL at one moment, as a machine that loses its power does. */
  killAll(): Promise<void>
  /** Starts it again, on the port that it had. */
  start(): Promise<void>
  /** Takes another data folder for the commands and the starts from now on. */
  use(folder: string): void
  postmaster(): Promise<number>
  /** The sessions of PostgreSQL, by process id. */
  backends(): Promise<number[]>
  /** The processes of PostgreSQL that write and clean up behind the sessions. */
  background(): Promise<number[]>
  /** Changes a setting of PostgreSQL while it runs. */
  setInPostgres(name: string, value: string): Promise<void>
  /** What it has said on its standard error. */
  said(): string
  /** Ends it in order, with its PostgreSQL. */
  stop(): Promise<void>
  /** The same, and removes its folder. */
  close(): Promise<void>
}

const own = join(import.meta.dirname, '..')

/** Makes a folder in which PostgreSQL gets in: started by root, it runs as somebody else. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-proof-'))
  await chmod(folder, 0o755)
  return folder
}

/** Words by which `ps` names them. */
const backgroundNames = ['checkpointer', 'walwriter', 'background', 'autovacuum', 'io']

type Settings = { [name: string]: string }

/** Starts the service of a checkout, this one or a copy, in a folder that is there or in a new one. */
export async function startService(
  checkout = own,
  { folder, settings = {} }: { folder?: string; settings?: Settings } = {},
): Promise<Service> {
  let data = folder ?? (await makeFolder())
  const port = await findFreePort()
  const environment = {
    ...process.env,
    ...{ PLUMBLINE_DATA: data, PLUMBLINE_DEMO: 'off', PORT: String(port), LOG_LEVEL: 'silent', PROCESSES: '1' },
    // It is started again and again, and its first calls may take their time.
    ...{ WEBHOOK_NETWORKS: '127.0.0.1/32', WEBHOOK_RETRY_SECONDS: '1', WEBHOOK_TIMEOUT_MS: '2000' },
    ...{ STATEMENT_TIMEOUT_MS: '3000', CONNECT_TIMEOUT_MS: '800', DRAIN_NOTICE_MS: '50', ANSWER_TARGET_MS: '5000' },
    ...settings,
  }
  const command = join(checkout, 'server/commands/main.ts')
  let child: ChildProcess | undefined
  let said = ''
  const start = async (): Promise<void> => {
    child = await serve(command, environment, (chunk) => {
      said += chunk
    })
  }
  const postmaster = async (): Promise<number> =>
    Number((await readFile(join(data, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')[0])
  const processesOf = async (isOne: (words: readonly string[]) => boolean): Promise<number[]> => {
    const parent = await postmaster().catch(() => null)
    if (parent === null) return []
    return (await childrenOf(parent)).filter(({ words }) => isOne(words)).map(({ pid }) => pid)
  }
  const stop = async (): Promise<void> => {
    if (!child) return
    child.kill('SIGTERM')
    await waitForEnd(child)
  }
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
    ...{ url: `http://127.0.0.1:${port}`, checkout },
    get data() {
      return data
    },
    use(next) {
      data = next
      environment.PLUMBLINE_DATA = next
    },
    met: async () => {
      const lines = (await readFile(join(data, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')
      const password = (await readFile(join(data, 'database-password'), 'utf8')).trim()
      const socket = `${lines[4]}/.s.PGSQL.${lines[3]}`
      return { socket, user: 'plumbline', password, database: 'plumbline' }
    },
    start: startAgain,
    postmaster,
    pid: () => child?.pid as number,
    give: async (...words) => {
      const { stdout } = await run(process.execPath, [command, ...words], { env: environment, cwd: checkout })
      return stdout.trim()
    },
    kill: async () => {
      child?.kill('SIGKILL')
      if (child) await waitForEnd(child)
    },
    killAll: async () => {
      const parent = await postmaster().catch(() => null)
      const all = parent === null ? [] : [parent, ...(await childrenOf(parent)).map(({ pid }) => pid)]
      for (const pid of [child?.pid, ...all]) if (pid !== undefined) signal(pid, 'SIGKILL')
      if (child) await waitForEnd(child)
      for (const pid of all) while (await isRunning(pid)) await after(5)
    },
    backends: () => processesOf((words) => words.includes('[local]')),
    background: () => processesOf((words) => backgroundNames.some((name) => words.includes(name))),
    setInPostgres: async (name, value) => {
      await appendFile(join(data, 'postgres/cluster/postgresql.auto.conf'), `${name} = '${value}'\n`)
      signal(await postmaster(), 'SIGHUP')
    },
    said: () => said,
    stop,
    close: async () => {
      await stop()
      await rm(data, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Creates a company with an account, and a token for all that it may do. A password lets the account sign in. */
export async function createCompany(
  give: Service['give'],
  { name = 'a', plan = 'PRO', password }: { name?: string; plan?: string; password?: string } = {},
): Promise<{ id: string; account: string; token: string }> {
  const id = await give('--quiet', 'company', 'create', '--name', name, '--plan', plan, '--add-ons', 'all')
  const who = ['--name', 'Ada', '--email', `ada@${name}.example`, '--permissions', 'all']
  const secret = password === undefined ? [] : ['--password', password]
  const account = await give('--quiet', 'account', 'create', '--company', id, ...who, ...secret)
  const issue = ['--company', id, '--account', account, '--label', 'proof', '--scopes', 'all']
  return { id, account, token: await give('--quiet', 'token', 'issue', ...issue) }
}

const run = promisify(execFile)

/** Sends a signal; a process that has ended meanwhile needs none. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The processes that another one has started. */
export async function childrenOf(parent: number): Promise<{ pid: number; words: string[] }[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,args='])
  return stdout.split('\n').flatMap((line) => {
    const [pid, of, ...words] = line.trim().split(/\s+/)
    return Number(of) === parent ? [{ pid: Number(pid), words }] : []
  })
}

/** Whether a process is there and not only waits to be noticed as dead. */
async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return /^[^Z]/.test(stdout.trim())
}

/** Gives a command for a data folder that no service has. */
export async function giveIn(folder: string, ...words: string[]): Promise<string> {
  const environment = { ...process.env, PLUMBLINE_DATA: folder, PLUMBLINE_DEMO: 'off', LOG_LEVEL: 'silent' }
  const command = join(own, 'server/commands/main.ts')
  const { stdout } = await run(process.execPath, [command, ...words], { env: environment, cwd: own })
  return stdout.trim()
}

/** Starts `serve` and waits until it listens. */
async function serve(
  command: string,
  environment: NodeJS.ProcessEnv,
  hear: (chunk: string) => void = () => {},
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [command, '--json', 'serve'], {
    ...{ env: environment, cwd: join(command, '../../..'), stdio: ['ignore', 'pipe', 'pipe'] },
    // In a group of its own: Ctrl-C reaches the run alone, which asks the service for the end of what it recorded.
    detached: true,
  })
  endWithRun(child, 'SIGTERM')
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said = (said + chunk).slice(-4000)
    hear(String(chunk))
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${said}`)))
  })
  return child
}

/** Ends a process with this one, for one that is in a group of its own. */
export function endWithRun(child: ChildProcess, name: NodeJS.Signals): void {
  const end = (): void => void child.kill(name)
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
}

const waitForEnd = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()))

/** Where the PostgreSQL of a service is met, as a driver is told. */
export type PostgresAddress = { socket: string; user: string; password: string; database: string }

/** A second process of a service that comes to the same database by another way. */
export async function startBeside(
  { data, checkout, met }: Pick<Service, 'data' | 'checkout' | 'met'>,
  wayTo: (met: PostgresAddress) => Promise<string>,
  settings: Settings,
): Promise<{ url: string; close(): Promise<void> }> {
  const port = await findFreePort()
  const child = await serve(join(checkout, 'server/commands/main.ts'), {
    ...process.env,
    ...{ PLUMBLINE_DEMO: 'off', PORT: String(port), LOG_LEVEL: 'silent', PROCESSES: '1', DRAIN_NOTICE_MS: '50' },
    ...{ PLUMBLINE_SECRET: (await readFile(join(data, 'secret'), 'utf8')).trim() },
    ...{ DATABASE_URL: await wayTo(await met()), ...settings },
  })
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      child.kill('SIGTERM')
      await waitForEnd(child)
    },
  }
}
