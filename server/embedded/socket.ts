import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isPrivate, shortName } from './folders.ts'
import type { Location } from './location.ts'
import { EmbeddedProblem } from './problem.ts'
import { shell } from './run.ts'

/** The only way in is a Unix socket, and anyone who can open its folder is trusted: it is closed to everybody else. */
export async function socketFolder({ home, cluster, identity }: Location): Promise<string> {
  const short = `plumbline-${shortName(cluster)}`
  const candidates = [join(home, 'socket'), join(tmpdir(), short), join('/tmp', short)].filter(fits)
  for (const folder of candidates) {
    await shell(identity, 'test -e "$1" || mkdir -m 700 "$1"', folder)
    if (await isPrivate(folder, identity)) return folder
  }
  throw new EmbeddedProblem(
    `${candidates.at(-1)} is not a folder only the user "${identity.name}" can open, so PostgreSQL's socket is not safe there: remove it, or set PLUMBLINE_DATA to a shorter path.`,
  )
}

/** A socket's whole path fits in 103 bytes on macOS, 107 on Linux. */
const fits = (folder: string): boolean => Buffer.byteLength(join(folder, `.s.PGSQL.${port}`)) <= 103

/** Part of the socket's name only: nothing listens on the network. */
export const port = 5432
