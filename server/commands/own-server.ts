import type { Config } from '../config/config.ts'
import { clusterFacts } from '../store/cluster-facts.ts'
import { Mistake, mistakeIn } from './mistake.ts'

/** What PostgreSQL's own tools do for a server that is not ours, as commands that can be given as they are. */
const alternatives = {
  backup:
    'back it up with PostgreSQL’s own tools, either its database (pg_dump --format=custom --file=plumbline.dump "$DATABASE_URL") or the whole server (pg_basebackup --dbname="$DATABASE_URL" --pgdata=plumbline-base --wal-method=stream --checkpoint=fast)',
  restore:
    'restore it with PostgreSQL’s own tools, either its database (pg_restore --clean --if-exists --no-owner --dbname="$DATABASE_URL" plumbline.dump) or the whole server (a copy of plumbline-base as its data folder, restore_command and recovery_target_time in postgresql.conf, an empty recovery.signal beside it)',
  verify:
    'verify it with PostgreSQL’s own tools, a base backup by pg_verifybackup plumbline-base and a dump by pg_restore --exit-on-error --dbname=another_database plumbline.dump',
} as const

/** These commands are about the bundled database; of another one they say what to do instead, and whether it archives. */
export async function needBundled({ databaseUrl }: Config, what: keyof typeof alternatives): Promise<void> {
  if (databaseUrl === null) return
  throw new Mistake(`The database is the one of DATABASE_URL: ${alternatives[what]}. ${await archivingOf(databaseUrl)}`)
}

async function archivingOf(databaseUrl: string): Promise<string> {
  try {
    const { archives, failing, walLevel, archivedAt } = await clusterFacts({ connectionString: databaseUrl })
    if (!archives)
      return `It archives nothing (archive_mode = off, wal_level = ${walLevel}), so only the moment of each backup comes back: set archive_mode = on and archive_command for any other.`
    if (failing) return `Its archiving fails since ${failing.at.toISOString()} (${failing.segment}): look into its log.`
    return `It archives its log (last at ${archivedAt?.toISOString() ?? 'no time yet'}), so any moment after a base backup comes back.`
  } catch (error) {
    return `Whether it archives its log could not be asked: ${mistakeIn(error)}`
  }
}
