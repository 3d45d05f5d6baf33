import { randomBytes } from 'node:crypto'
import { lchown, mkdir, readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { dataFolder, ownFolder, seen, shortName } from './folders.ts'
import { type Identity, isShared, ourselves, ownerOf, unprivileged, weAreRoot } from './identity.ts'
import { readPointer, writePointer } from './pointer.ts'
import { codeOf, EmbeddedProblem, refusedBy } from './problem.ts'
import { shell } from './run.ts'

/** Where the cluster of a data folder lives, and who owns it. */
export type Location = {
  /** PostgreSQL's own folder, closed to others: the cluster, its socket, what is under work */
  home: string
  /** the data folder, which may be elsewhere: ours, and what is in it is no business of PostgreSQL's user */
  data: string
  cluster: string
  identity: Identity
}

/** The data folder holds other private files, so PostgreSQL gets a sub-folder and never the folder itself. */
export async function findLocation(folder: string, shared: string, user: string | null): Promise<Location> {
  const data = await dataFolder(folder)
  const inside = join(data, 'postgres')
  const pointed = await readPointer(data)
  return weAreRoot() ? locationOfRoot({ data, user }, inside, pointed, shared) : locationOfOurs(data, inside)
}

async function locationOfOurs(data: string, home: string): Promise<Location> {
  const identity = ourselves()
  await makeFolder(home)
  if ((await seen(home))?.uid !== identity.uid)
    throw new EmbeddedProblem(
      `${home} belongs to another user: start as that user, or set PLUMBLINE_DATA to another folder.`,
    )
  return location(data, home, identity)
}

/** The data folder, and the user of the settings as whom PostgreSQL is to run. */
type Root = { data: string; user: string | null }

/** Inside the data folder where PostgreSQL's user can reach it, else in a folder of root's that everybody can pass. */
async function locationOfRoot(
  wanted: Root,
  inside: string,
  pointed: string | undefined,
  shared: string,
): Promise<Location> {
  const { data } = wanted
  if (pointed && !(await holdsCluster(inside))) return locationPointedTo(pointed, wanted)
  const here = await given(inside, wanted)
  if (here) return here
  if (await holdsCluster(inside)) throw await unreachable(inside, wanted)

  const root = await ownFolder(shared)
  if (!root) throw await unreachable(inside, wanted)
  // A new name each time: a data folder that was removed comes back empty, not with the old database.
  const home = join(root, `${shortName(data)}-${randomBytes(4).toString('hex')}`)
  const there = await given(home, wanted)
  if (!there) throw await unreachable(home, wanted)
  if (await writePointer(data, home, there.identity.name)) return there
  await rmdir(home)
  return locationPointedTo((await readPointer(data)) ?? home, wanted)
}

async function locationPointedTo(home: string, wanted: Root): Promise<Location> {
  const { data } = wanted
  if (!(await seen(home)))
    throw new EmbeddedProblem(
      `The database of ${data} was kept in ${home}, which is gone: bring it back, or remove the note in ${data} to start empty.`,
    )
  const there = await given(home, wanted)
  if (!there) throw await unreachable(home, wanted)
  return there
}

/** The folder, made when missing and given to PostgreSQL's user; undefined where that user cannot reach it. */
async function given(home: string, { data, user }: Root): Promise<Location | undefined> {
  await makeFolder(home)
  const before = await seen(home)
  if (!before) return undefined
  if (!before.isDirectory()) throw refusedBy({ code: 'ENOTDIR' }, home)
  const identity = before.uid === 0 ? unprivileged(user) : ownerOf(before)
  if (user !== null && isShared(identity) && user !== identity.name) throw belongsTo(identity, home, user)
  if (before.uid === 0) await give(home, identity)
  if (await reaches(identity, home)) return location(data, home, identity)
  // Ours when it is empty; another start may have removed it already.
  await rmdir(home).catch(() => undefined)
  return undefined
}

/** Never a chown of more than an empty folder. lchown: a link put there meanwhile must not send it elsewhere. */
async function give(home: string, { uid, gid, name }: Identity): Promise<void> {
  if ((await readdir(home)).length > 0) {
    // Another start may have given and used it since we looked.
    if ((await seen(home))?.uid !== 0) return
    throw new EmbeddedProblem(
      `${home} belongs to root, as which PostgreSQL does not run: run "chown -R ${name} ${home}".`,
    )
  }
  await lchown(home, uid >>> 0, gid >>> 0).catch((error: unknown) => {
    // A disk that knows no owners; whether it can be used is found out by trying.
    if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EROFS') throw refusedBy(error, home)
  })
}

/** Tried as that user: no reading of modes knows every parent folder, mount and access list. */
const reaches = async (identity: Identity, folder: string): Promise<boolean> =>
  (await shell(identity, 'cd "$1" && test -w .', folder)).ok

const makeFolder = (path: string): Promise<void> =>
  mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw refusedBy(error, path)
  })

const location = (data: string, home: string, identity: Identity): Location => ({
  ...{ home, data, identity },
  cluster: join(home, 'cluster'),
})

/** Root never gives away more than an empty folder, so people do. */
const belongsTo = ({ name }: Identity, home: string, user: string): EmbeddedProblem =>
  new EmbeddedProblem(
    `${home} belongs to the user "${name}" and not to "${user}": stop all that uses it and run "chown -hR ${user} ${home}".`,
  )

const holdsCluster = async (home: string): Promise<boolean> => (await seen(join(home, 'cluster'))) !== undefined

async function unreachable(home: string, { user }: Root): Promise<EmbeddedProblem> {
  const { name, ...nobody } = unprivileged(user)
  const become = await shell({ name, ...nobody }, ':')
  return new EmbeddedProblem(
    become.ok
      ? `PostgreSQL does not run as root, and the user "${name}", as whom it runs instead, cannot reach ${home}: open its parent folders with "chmod o+x", start as another user, or set DATABASE_URL.`
      : `PostgreSQL does not run as root, and we may not run it as the user "${name}" (${become.output}): start as another user, or set DATABASE_URL.`,
  )
}
