import { access, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { toNew, writeRules } from './access.ts'
import { flush } from './folders.ts'
import { remove, unfinished } from './leftovers.ts'
import type { Location } from './location.ts'
import { codeOf, EmbeddedProblem, refusedBy, saidBy } from './problem.ts'
import { run } from './run.ts'
import { hasFailed } from './single-user.ts'

/**
 * Makes the cluster in a folder beside its place and renames it when it is whole: killed at any moment, nothing has to
 * be repaired. Of two that do it at once the first to rename wins. False: another one was there first.
 */
export async function createCluster(bin: string, location: Location, password: string): Promise<boolean> {
  const { home, cluster, identity } = location
  const fresh = unfinished(home)
  const step = async (doing: string, { ok, output }: { ok: boolean; output: string }) => {
    if (!ok || hasFailed(output)) throw saidBy(output, doing, home)
  }
  try {
    await step('make its cluster', await run(identity, `${bin}/initdb`, ['-D', fresh, ...initial]))
    const alone = ['--single', '-D', fresh, '-c', 'log_checkpoints=off', 'postgres']
    await step('make its database', await run(identity, `${bin}/postgres`, alone, toNew(password)))
    await step('write its rules of access', await writeRules(location, fresh, password))
    await rename(fresh, cluster)
    await flush(home)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return otherOne(cluster)
    throw error instanceof EmbeddedProblem ? error : refusedBy(error, home)
  } finally {
    await remove(fresh, identity)
  }
}

async function otherOne(cluster: string): Promise<false> {
  await access(join(cluster, 'PG_VERSION')).catch((cause) => {
    throw new EmbeddedProblem(
      `${cluster} is there and holds no PostgreSQL cluster: restore it from a backup, or move it away to start empty.`,
      { cause },
    )
  })
  return false
}

/** The builtin provider: lower() knows all letters, and no update of the system's C library ever changes an index. */
const initial = [
  ...['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'],
  ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--data-checksums', '--no-instructions'],
]

/** Whether there is a cluster, which our PostgreSQL can read. */
export async function clusterExists({ cluster }: Location, major: string): Promise<boolean> {
  const made = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw refusedBy(error, cluster)
  })
  if (made === undefined) return false
  if (made.trim() === major) return true
  throw new EmbeddedProblem(
    `The database in ${cluster} was made by PostgreSQL ${made.trim()} and the bundled one is ${major}: start it with the version of Plumbline that made it and move each company with "plumbline export" and "plumbline import-company", or set PLUMBLINE_DATA to another folder.`,
  )
}
