import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, promisify } from 'node:util'
import { findUnprivileged, isRoot, readOwnIdentity, run } from '#server/embedded/processes.ts'
import { createRecords } from './records.ts'
import { snapshotOf, writeSnapshot } from './snapshot.ts'

/**
 * `npm run snapshot -- --commit 8ee0414 --name 0.1.0`: runs the service as it was at a commit, lets it make records and
 * answer, and keeps its database, its answers and its statements for the tests of upgrades, and its OpenAPI document in
 * `docs/api/`, with which later ones are compared. It needs git, npm and the programs of PostgreSQL 15 or later, which `--programs` names (pg_dump is not among those that come with the packages).
 */
const { values } = parseArgs({
  options: {
    commit: { type: 'string' },
    name: { type: 'string' },
    programs: { type: 'string', default: '/usr/lib/postgresql/15/bin' },
  },
})
const { commit, name, programs } = values
if (!commit || !name) throw new Error('Name --commit and --name.')

const identity = isRoot() ? findUnprivileged(null) : readOwnIdentity()
const execute = promisify(execFile)
const root = await mkdtemp(join(tmpdir(), 'plumbline-snapshot-'))
// Anyone who PostgreSQL runs as has to reach its folders.
await chmod(root, 0o711)
const [checkout, home] = [join(root, 'checkout'), join(root, 'postgres')]
const [cluster, socket] = [join(home, 'cluster'), join(home, 'socket')]
const url = `postgres:///plumbline?host=${encodeURIComponent(socket)}&user=plumbline`

try {
  await installed()
  await startPostgres()
  try {
    const { port, stop } = await startService()
    const address = `http://127.0.0.1:${port}`
    const made = await createRecords(address, command)
      .then((made) => writeDocument(address).then(() => made))
      .finally(stop)
    await writeSnapshot(name, snapshotOf(made, await dump(), await statements()))
  } finally {
    await postgres('pg_ctl', ['-D', cluster, '-m', 'fast', '-w', 'stop'])
  }
} finally {
  await rm(root, { recursive: true, force: true, maxRetries: 5 })
}

async function installed(): Promise<void> {
  await mkdir(checkout)
  const archive = join(root, 'checkout.tar')
  await execute('git', ['archive', '--output', archive, `${commit}`])
  await execute('tar', ['-xf', archive, '-C', checkout])
  await execute('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: checkout, maxBuffer: 2 ** 26 })
}

async function postgres(program: string, words: readonly string[]): Promise<string> {
  const { ok, output } = await run(identity, join(`${programs}`, program), words)
  if (!ok) throw new Error(`${program}: ${output}`)
  return output
}

async function startPostgres(): Promise<void> {
  await mkdir(home, { mode: 0o711 })
  if (identity.other) await chown(home, identity.uid, identity.gid)
  await postgres('initdb', ['-D', cluster, '--username=plumbline', '--auth=trust', '--encoding=UTF8', '--no-sync'])
  const settings = ['listen_addresses=', `unix_socket_directories=${socket}`, 'logging_collector=on', 'fsync=off']
  const logged = ['log_destination=jsonlog', 'log_statement=all', 'log_directory=log', 'log_filename=statements']
  await run(identity, '/bin/mkdir', ['-m', '711', socket])
  const words = [...settings, ...logged].map((setting) => `-c ${setting}`).join(' ')
  await postgres('pg_ctl', ['-D', cluster, '-w', '-o', words, '-l', join(home, 'start.log'), 'start'])
  await postgres('createdb', ['-h', socket, '-U', 'plumbline', 'plumbline'])
}

function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env
  const own = { PORT: '0', PLUMBLINE_DEMO: 'on', PLUMBLINE_SECRET: 'the sealing key of the snapshots, long enough' }
  return { PATH: `${join(checkout, 'node_modules/.bin')}:${PATH}`, HOME, DATABASE_URL: url, ...own }
}

/** A command of the service as it was. */
async function command(...words: string[]): Promise<{ [member: string]: unknown }> {
  const { stdout } = await execute(join(checkout, 'bin/plumbline'), [...words, '--json'], {
    cwd: checkout,
    env: environment(),
  })
  return JSON.parse(stdout)
}

async function startService() {
  const child = spawn(join(checkout, 'bin/plumbline'), ['--json', 'serve'], {
    cwd: checkout,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [string]
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  return { port: new URL(JSON.parse(line).url).port, stop }
}

/** At an address that is nobody's, so that it is the same wherever it is made. */
async function writeDocument(address: string): Promise<void> {
  const text = await (await fetch(`${address}/v1/openapi.json`)).text()
  const file = join(import.meta.dirname, '../../docs/api', `${name}.json`)
  await writeFile(file, `${text.replaceAll(address, 'https://erp.example.com')}\n`)
}

/** Plain statements, so that it needs no program to be read. Lines that begin with a backslash are meant for psql. */
async function dump(): Promise<string> {
  const how = ['--inserts', '--rows-per-insert=200', '--no-owner', '--no-privileges', '--no-comments']
  const text = await postgres('pg_dump', ['-h', socket, '-U', 'plumbline', ...how, 'plumbline'])
  return text.replaceAll(/^\\.*$/gm, '').replaceAll(/^--.*\n/gm, '')
}

type Logged = { application_name?: string; backend_type?: string; message: string }

/** Whatever the service asked of its records and tables, but for what its migrations did. */
async function statements(): Promise<string[]> {
  const file = join(cluster, 'log/statements.json')
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  const texts = lines
    .map((line) => JSON.parse(line) as Logged)
    .filter(({ application_name: by }) => !/migrate|psql|pg_dump|createdb/.test(by ?? ''))
    .map(({ message }) => /^(?:execute [^:]+|statement): ([\s\S]+)$/.exec(message)?.[1]?.trim())
    .filter((text) => text !== undefined && /^(select|insert|update|delete|with)\b/i.test(text))
  return [...new Set(texts as string[])].toSorted()
}
