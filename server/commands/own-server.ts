import { inLine } from '#derive/format-printable.ts'
import { connectionOf } from '../app.ts'
import type { Config } from '../config/config.ts'
import { type ClusterFacts, clusterFacts, type NodeFacts, readNodes } from '../store/cluster-facts.ts'
import type { Connection } from '../store/database.ts'
import { Mistake, mistakeIn } from './mistake.ts'

/** Commands of PostgreSQL's own tools for another server than the bundled one, ready to be run. */
const alternatives = {
  backup:
    'back it up with PostgreSQL’s own tools, either its database (pg_dump --format=custom --file=plumbline.dump "$DATABASE_URL") or the whole server (pg_basebackup --dbname="$DATABASE_URL" --pgdata=plumbline-base --wal-method=stream --checkpoint=fast)',
  restore:
    'restore it with PostgreSQL’s own tools, either its database (pg_restore --clean --if-exists --no-owner --dbname="$DATABASE_URL" plumbline.dump) or the whole server (a copy of plumbline-base as its data folder, restore_command and recovery_target_time in postgresql.conf, an empty recovery.signal beside it)',
  verify:
    'verify it with PostgreSQL’s own tools, a base backup by pg_verifybackup plumbline-base and a dump by pg_restore --exit-on-error --dbname=another_database plumbline.dump',
} as const

/** The commands for a distributed database, where a backup of one node alone cannot be restored. */
const alternativesOfNodes = {
  backup:
    "back up every node, the coordinator and each worker, with PostgreSQL’s own tools: an archive of its log (archive_mode, archive_command) and a base backup (pg_basebackup, which copies one node alone). Name a moment of all nodes on the coordinator (select citus_create_restore_point('name'))",
  restore:
    'stop every node, and restore all of them with PostgreSQL’s own tools to one moment: on each node a copy of its own base backup as the data folder, restore_command, the same recovery_target_name, and an empty recovery.signal',
  verify:
    'verify the base backup of every node by pg_verifybackup, and try on other machines whether all nodes come back to one recovery_target_name',
} as const

/** Throws if the database is not the bundled one. The message names the alternative, and whether it archives. */
export async function needBundled(config: Config, what: keyof typeof alternatives): Promise<void> {
  const { databaseUrl } = config
  if (databaseUrl === null) return
  const alternative = await alternativeFor(connectionOf(databaseUrl, config), what)
  throw new Mistake(`The database is the one of DATABASE_URL: ${alternative}`, 'failed')
}

async function alternativeFor(connection: Connection, what: keyof typeof alternatives): Promise<string> {
  try {
    const facts = await clusterFacts(connection)
    if (!facts.distributed) return `${alternatives[what]}. ${formatArchiving(facts)}`
    const { all, says } = judgeNodes(await readNodes(connection))
    return `${alternativesOfNodes[what]}. At present ${says}${all ? `. ${page}` : ''}`
  } catch (error) {
    return `${alternatives[what]}. Whether it archives its log could not be asked: ${mistakeIn(error)} For a database that Citus distributes ${page}`
  }
}

function formatArchiving({ archives, failing, walLevel, archivedAt }: ClusterFacts): string {
  if (!archives)
    return `It archives nothing (archive_mode = off or no archive_command, wal_level = ${walLevel}), so only the moment of each backup comes back: set archive_mode = on and archive_command for any other.`
  if (failing) return `Its archiving fails since ${failing.at.toISOString()} (${failing.segment}): look into its log.`
  return `It archives its log (last at ${archivedAt?.toISOString() ?? 'no time yet'}), so any moment after a base backup comes back.`
}

/** The archiving of the nodes of a distributed database. `isFailing` is true if a node tries to archive and fails. */
export type NodesArchiving = { all: boolean; isFailing: boolean; says: string }

export function judgeNodes(nodes: readonly NodeFacts[]): NodesArchiving {
  const lacking = nodes.flatMap((node) => formatLack(node) ?? [])
  if (lacking.length > 0)
    return {
      all: false,
      isFailing: nodes.some(({ archiving }) => typeof archiving !== 'string' && archiving.failing !== null),
      says: `${lacking.join('; ')}. A moment of the whole cluster comes back only if every node archives its log: ${page}`,
    }
  const each = nodes.map(({ name, archiving }) => `${name} last at ${formatTime(archiving)}`)
  return { all: true, isFailing: false, says: `every node archives its log: ${each.join(', ')}` }
}

const page = 'docs/backup.md has the commands under "A Citus cluster".'

function formatLack({ name, archiving }: NodeFacts): string | undefined {
  if (typeof archiving === 'string') return `${name} does not answer (${inLine(archiving)}): see that it runs`
  if (!archiving.archives) return `${name} archives nothing: set archive_mode = on and archive_command there`
  const { failing } = archiving
  return failing
    ? `${name} could not archive ${failing.segment} at ${failing.at.toISOString()}: look into its log`
    : undefined
}

const formatTime = (archiving: NodeFacts['archiving']): string =>
  typeof archiving === 'string' ? '' : (archiving.archivedAt?.toISOString() ?? 'no time yet')
