import { randomBytes } from 'node:crypto'
import { lchown, mkdir, readdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createWhole, ensureDataFolder, ensureOwnFolder, hashPath, readNames, readOwned, readStats } from './folders.ts'
import { createFileProblem, EmbeddedProblem, findErrorCode } from './problems.ts'
import {
  createIdentity,
  findUnprivileged,
  type Identity,
  isRoot,
  isShared,
  readOwnIdentity,
  shell,
} from './processes.ts'

/** Where the cluster of a data folder lives, and its owner. */
export type Location = {
  /** PostgreSQL's own folder, closed to others: the cluster, its socket, folders under work */
  home: string
  /** the data folder, which may be elsewhere; PostgreSQL's user has no access to the files in it */
  data: string
  cluster: string
  identity: Identity
}

/** Finds the place of the cluster. It is a sub-folder, because PostgreSQL must not reach the other private files. */
export async function findLocation(folder: string, shared: string, user: string | null): Promise<Location> {
  const data = await ensureDataFolder(folder)
  const inside = join(data, 'postgres')
  const pointed = await readPointer(data)
  if (isRoot()) return findRootLocation({ data, shared, user }, inside, pointed)
  const identity = readOwnIdentity()
  await createFolder(inside)
  if ((await readStats(inside))?.uid !== identity.uid)
    throw new EmbeddedProblem(
      `${inside} belongs to another user: start as that user, or set PLUMBLINE_DATA to another folder.`,
    )
  return createLocation(data, inside, identity)
}

/** The data folder, root's folder for clusters elsewhere, and the user of the settings as whom root runs PostgreSQL. */
type RootRequest = { data: string; shared: string; user: string | null }

/** Returns the place in the data folder if PostgreSQL's user can reach it, else one in a folder that all can pass. */
async function findRootLocation(request: RootRequest, inside: string, pointed: string | undefined): Promise<Location> {
  const { data, shared } = request
  const holdsCluster = (await readStats(join(inside, 'cluster'))) !== undefined
  if (pointed && !holdsCluster) return findPointedLocation(pointed, request)
  const here = await claimFolder(inside, request)
  if (here) return here

  // Read again: another start may have succeeded meanwhile. A second place would be a second database.
  const isUsed = (await readNames(inside)).length > 0
  const root = isUsed ? undefined : await ensureOwnFolder(shared)
  if (!root) throw await createReachProblem(inside, request)
  // A new name each time: a data folder that was removed comes back empty, not with the old database.
  const home = join(root, `${hashPath(data)}-${randomBytes(4).toString('hex')}`)
  const there = await claimFolder(home, request)
  if (!there) throw await createReachProblem(home, request)
  if (await writePointer(data, home, there.identity.name)) return there
  await rmdir(home)
  return findPointedLocation((await readPointer(data)) ?? home, request)
}

async function findPointedLocation(home: string, request: RootRequest): Promise<Location> {
  const { data } = request
  if (!(await readStats(home)))
    throw new EmbeddedProblem(
      `The database of ${data} was kept in ${home}, which is gone: bring it back, or remove the note in ${data} to start empty.`,
    )
  const there = await claimFolder(home, request)
  if (!there) throw await createReachProblem(home, request)
  return there
}

/** Creates the folder if it is missing, and gives it to PostgreSQL's user. Returns undefined if that user cannot reach it. */
async function claimFolder(home: string, { data, user }: RootRequest): Promise<Location | undefined> {
  await createFolder(home)
  const before = await readStats(home)
  if (!before) return undefined
  if (!before.isDirectory()) throw createFileProblem({ code: 'ENOTDIR' }, home)
  const identity = before.uid === 0 ? findUnprivileged(user) : createIdentity(before)
  const { name } = identity
  // Root gives away an empty folder only. The operator has to give away one with a cluster.
  if (user !== null && isShared(identity) && user !== name)
    throw new EmbeddedProblem(
      `${home} belongs to the user "${name}" and not to "${user}": stop all that uses it and run "chown -hR ${user} ${home}".`,
    )
  if (before.uid === 0) await giveFolder(home, identity)
  // Tried as that user: the mode alone leaves out parent folders, mounts and access lists.
  if ((await shell(identity, 'cd "$1" && test -w .', home)).ok) return createLocation(data, home, identity)
  // The folder is ours if it is empty; another start may have removed it already.
  await rmdir(home).catch(() => undefined)
  return undefined
}

/** Gives an empty folder to a user, by lchown: a link planted there meanwhile must not redirect it. */
async function giveFolder(home: string, { uid, gid, name }: Identity): Promise<void> {
  if ((await readdir(home)).length > 0) {
    // Another start may have given and used it meanwhile.
    if ((await readStats(home))?.uid !== 0) return
    throw new EmbeddedProblem(
      `${home} belongs to root, as which PostgreSQL does not run: run "chown -R ${name} ${home}".`,
    )
  }
  await lchown(home, uid >>> 0, gid >>> 0).catch((error: unknown) => {
    // A file system may have no owners. claimFolder() tries whether the folder can be used.
    if (['ENOSPC', 'EROFS'].includes(findErrorCode(error) ?? '')) throw createFileProblem(error, home)
  })
}

const createFolder = (path: string): Promise<void> =>
  mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (findErrorCode(error) !== 'EEXIST') throw createFileProblem(error, path)
  })

const createLocation = (data: string, home: string, identity: Identity): Location => ({
  home,
  data,
  cluster: join(home, 'cluster'),
  identity,
})

async function createReachProblem(home: string, { user }: RootRequest): Promise<EmbeddedProblem> {
  const identity = findUnprivileged(user)
  const { name } = identity
  const { ok, output } = await shell(identity, ':')
  return new EmbeddedProblem(
    ok
      ? `PostgreSQL does not run as root, and the user "${name}", as whom it runs instead, cannot reach ${home}: open its parent folders with "chmod o+x", start as another user, or set DATABASE_URL.`
      : `PostgreSQL does not run as root, and we may not run it as the user "${name}" (${output}): start as another user, or set DATABASE_URL.`,
  )
}

/** The pointer file in a data folder whose cluster is elsewhere: for people, and for the next start. */
export const pointerName = 'postgres-is-elsewhere.txt'

const formatPointer = (home: string, user: string): string =>
  `The bundled PostgreSQL does not run as root but as the user "${user}", who cannot reach this folder.
So the database of this folder is kept in the folder below: it belongs into every backup.
Without this note the database is not found again.

${home}
`

/** Writes the pointer file. Returns false if another start was first. */
const writePointer = (folder: string, home: string, user: string): Promise<boolean> =>
  createWhole(join(folder, pointerName), (path) =>
    writeFile(path, formatPointer(home, user), { flag: 'wx', mode: 0o644 }),
  )

/** Reads the path in the pointer file. The file of another user is refused: it could send root anywhere. */
export async function readPointer(folder: string): Promise<string | undefined> {
  const path = join(folder, pointerName)
  const pointer = await readOwned(path)
  if (!pointer) return undefined
  const home = pointer.text.trimEnd().split('\n').at(-1)
  if (pointer.uid === process.geteuid?.() && home?.startsWith('/')) return home
  throw new EmbeddedProblem(
    `${path} was not written by this user, so it is not believed: start as the user who made ${folder}, or set PLUMBLINE_DATA to another folder.`,
  )
}
