import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readlink, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, matchesGlob, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { passedOn } from '../stage/compile-cache.ts'
import { linkTree } from '../stage/link-tree.ts'
import { ignored, lastStage } from './dockerfile.ts'

/** What the last stage of the Dockerfile copies, in a folder from which no module of the checkout is found. */

const root = join(import.meta.dirname, '../..')
const { copies, environment, command } = lastStage()
/** The user of the image has a name, which PostgreSQL needs, in the image alone. */
const nobody = 65_534
let folder: string
let app: string
/** Root becomes an ordinary user, as in the image, where the files of the checkout are readable for others. */
let runsAs: { uid: number; gid: number } | undefined
let variables: { [name: string]: string }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-image-'))
  app = join(folder, 'app')
  const data = join(folder, 'data')
  await mkdir(app)
  await mkdir(data, { mode: 0o700 })
  for (const { stage, paths, to } of copies) {
    if (stage === 'packages') await linkPackages(join(app, to))
    else if (stage === 'build') for (const path of paths) await linkTree(path.replace('/app', root), join(app, to))
    else for (const path of paths) await copy(path, to.endsWith('/') ? join(to, basename(path)) : to)
  }
  if (process.geteuid?.() === 0 && ((await stat(join(root, 'package.json'))).mode & 0o004) !== 0) {
    runsAs = { uid: nobody, gid: nobody }
    await chmod(folder, 0o755)
    await chown(data, nobody, nobody)
  }
  const own = { HOST: '127.0.0.1', PORT: '0', PLUMBLINE_DATA: data, HOME: folder }
  variables = { ...passedOn(), ...environment, ...own }
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

/** COPY of the checkout, less what Dockerfile.dockerignore names. */
const copy = (path: string, to: string): Promise<void> =>
  cp(join(root, path), join(app, to), {
    recursive: true,
    filter: (source) => !ignored.some((pattern) => matchesGlob(relative(root, source), pattern)),
  })

/** Hard links to the packages that npm names, and npm's links to their programs. */
async function linkPackages(to: string): Promise<void> {
  const words = ['ls', '--omit=dev', '--all', '--parseable']
  const { stdout } = await promisify(execFile)('npm', words, { cwd: root })
  const modules = join(root, 'node_modules')
  const names = stdout
    .split('\n')
    .filter(
      (path) => path.startsWith(`${modules}/`) && path.lastIndexOf('node_modules') === path.indexOf('node_modules'),
    )
    .map((path) => relative(modules, path))
  await Promise.all(names.map((name) => linkTree(join(modules, name), join(to, name))))
  await mkdir(join(to, '.bin'))
  for (const program of await readdir(join(modules, '.bin'))) {
    const target = await readlink(join(modules, '.bin', program))
    if (names.some((name) => target.startsWith(`../${name}/`))) await symlink(target, join(to, '.bin', program))
  }
}

/** An operator's command in the image; its JSON. */
async function give(...words: string[]): Promise<{ [member: string]: unknown }> {
  const options = { cwd: app, env: variables, ...runsAs }
  const { stdout } = await promisify(execFile)(join(app, 'bin/plumbline'), ['--json', ...words], options)
  return JSON.parse(stdout)
}

test('The image starts, and serves a company, a token, a call and the pages.', async () => {
  const [program = '', ...words] = command
  const server = spawn(join(app, program), ['--json', ...words], {
    cwd: app,
    env: variables,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...runsAs,
  })
  const ended = once(server, 'close')
  let log = ''
  server.stderr.on('data', (chunk) => (log += chunk))
  try {
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
    const banner = (await lines.next()).value
    if (banner === undefined) throw new Error(log)
    const { url } = JSON.parse(banner)
    for (const path of ['/readyz', '/', '/v1/docs', '/v1/docs/scalar.js', '/licences.txt'])
      expect((await fetch(`${url}${path}`, { headers: { Accept: '*/*' } })).status, path).toBe(200)

    const company = ['--currency', 'EUR', '--plan', 'PRO', '--add-ons', 'api']
    const { company_id: id } = await give('company', 'create', '--name', 'Quay Builders', ...company)
    const rights = ['--service', '--permissions', 'CLIENTS_VIEW,CLIENTS_EDIT']
    const who = ['--name', 'Payroll', '--email', 'it@quay.example', ...rights]
    const { account_id: account } = await give('account', 'create', '--company', `${id}`, ...who)
    const { token } = await give('token', 'issue', '--company', `${id}`, '--account', `${account}`, '--label', 'Try')
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: 'Quay wall' })
    const call = await fetch(`${url}/v1/clients`, { method: 'POST', headers, body })
    expect([call.status, await call.json()]).toMatchObject([201, { data: { created: true } }])
  } finally {
    server.kill('SIGTERM')
    await ended
  }
  expect(server.exitCode).toBe(0)
  expect(log).not.toMatch(/not installed|ERR_(?!HTTP_REQUEST_TIMEOUT")|"level":50/)
})
