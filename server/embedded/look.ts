import { join } from 'node:path'
import { readPassword } from './access.ts'
import { isPrivate, realFolder, seen } from './folders.ts'
import { type Identity, isShared, ourselves, ownerOf, unprivileged, weAreRoot } from './identity.ts'
import { readPointer } from './pointer.ts'
import { EmbeddedProblem } from './problem.ts'
import { port } from './socket.ts'
import { readStatus } from './status.ts'
import type { Connection } from './users.ts'

/** A bundled PostgreSQL as it is found. */
export type Sight = {
  cluster: string
  /** As whom it runs, or would. */
  identity: Identity
  runsAs: { name: string; isShared: boolean } | null
  /** Undefined while it does not run. */
  connection: Connection | undefined
}

/** Looks at the bundled PostgreSQL of a data folder, starts nothing and changes nothing. */
export async function lookAt(folder: string, user: string | null): Promise<Sight> {
  const data = await realFolder(folder)
  const inside = join(data, 'postgres')
  const pointed = weAreRoot() && !(await seen(join(inside, 'cluster'))) ? await readPointer(data) : undefined
  const home = pointed ?? inside
  const cluster = join(home, 'cluster')
  const identity = await identityOf(home, user)
  const runsAs = identity.other ? { name: identity.name, isShared: isShared(identity) } : null
  const status = await readStatus(cluster)
  if (status.state !== 'alive') return { cluster, identity, runsAs, connection: undefined }
  const { socketFolder: host } = status
  if (host && !(await isPrivate(host, identity)))
    throw new EmbeddedProblem(`${host} is not a folder only the user "${identity.name}" can open: stop what uses it.`)
  const password = await readPassword(join(data, 'database-password'))
  if (password === undefined)
    throw new EmbeddedProblem(
      `${data}/database-password is gone: bring it back, or stop all that uses this folder, and the next start draws another one.`,
    )
  return { cluster, identity, runsAs, connection: { host, port, user: 'plumbline', database: 'plumbline', password } }
}

/** Who writes in PostgreSQL's own folder, or will once there is one. */
async function identityOf(home: string, user: string | null): Promise<Identity> {
  if (!weAreRoot()) return ourselves()
  const owner = await seen(home)
  return owner && owner.uid !== 0 ? ownerOf(owner) : unprivileged(user)
}
