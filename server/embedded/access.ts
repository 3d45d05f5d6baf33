import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeSecret } from './folders.ts'
import { unfinished } from './leftovers.ts'
import type { Location } from './location.ts'
import { codeOf, EmbeddedProblem, refusedBy, saidBy } from './problem.ts'
import { shell } from './run.ts'
import { hasFailed, runSingleUser } from './single-user.ts'

/**
 * Who gets into the cluster. The service is the role `plumbline`: no superuser, owner of its database, let in by a
 * password that is drawn once and kept in the data folder, readable by its owner alone. The same password lets in
 * `plumbline_backup`, which owns nothing and may only copy the cluster as it is (a replication connection), so that no
 * statement of the service can do that. The bootstrap superuser has no password, so nobody gets in as him; he acts only
 * while PostgreSQL is stopped, alone (`postgres --single`).
 */

/** The password of the service, drawn when missing. It appears whole: as a second name of a finished file. */
export async function servicePassword({ data }: Pick<Location, 'data'>): Promise<string> {
  const file = join(data, 'database-password')
  const known = await readPassword(file)
  if (known !== undefined) return known
  const whole = unfinished(data)
  try {
    // Root may be the first in a folder of somebody else, who has to read it later.
    await writeSecret(whole, `${randomBytes(32).toString('hex')}\n`, await stat(data))
    await link(whole, file)
  } catch (error) {
    // Another start was first.
    if (codeOf(error) !== 'EEXIST') throw refusedBy(error, data)
  } finally {
    await rm(whole, { force: true })
  }
  return (await readPassword(file)) ?? servicePassword({ data })
}

/** Undefined where there is none yet. */
export async function readPassword(file: string): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw refusedBy(error, file)
  })
  if (!handle) return undefined
  try {
    const password = (await handle.readFile('utf8')).trim()
    if (/^[0-9a-f]{64}$/.test(password)) return password
  } finally {
    await handle.close()
  }
  throw new EmbeddedProblem(
    `${file} does not hold the password of the bundled PostgreSQL: bring it back from a backup, or remove it while nothing runs, and another one is drawn.`,
  )
}

/** Whether the cluster takes this password and nothing less. A note in it says so; it is written last. */
export const takesPassword = async ({ cluster }: Location, password: string): Promise<boolean> =>
  (await readFile(pointerIn(cluster), 'utf8').catch(() => '')).trim() === callRow(password)

const pointerIn = (cluster: string): string => join(cluster, 'plumbline.access')
/** The number is raised with the roles and rules below, so that clusters of earlier versions are brought to them. */
const callRow = (password: string): string => `scram 2 ${createHash('sha256').update(password).digest('hex')}`

export const backupRole = 'plumbline_backup'

/** The rules of access and the note of a cluster that is stopped, whose role has the password. */
export const writeRules = ({ identity }: Pick<Location, 'identity'>, cluster: string, password: string) =>
  shell(
    identity,
    `set -e; umask 077; cd "$1"
    { echo local all all scram-sha-256; echo local replication ${backupRole} scram-sha-256; } >pg_hba.new
    sync pg_hba.new; mv pg_hba.new pg_hba.conf
    echo "$2" >plumbline.access.new; sync plumbline.access.new .; mv plumbline.access.new plumbline.access`,
    cluster,
    callRow(password),
  )

/**
 * Brings a stopped cluster to what is said above: one of earlier versions, which trusted everybody who reached its socket and
 * let the service be superuser, or had no role for backups, and one whose password was lost. Killed at any moment it is done again, whole. Returns
 * why it has to wait, where another process is at work on the cluster.
 */
export async function secureCluster(
  bin: string,
  location: Location,
  password: string,
  reused: number | undefined,
): Promise<string | undefined> {
  const { cluster } = location
  const { ok, output } = await runSingleUser(bin, location, toService(password), reused)
  if (/" (already exists|is empty)|pre-existing shared memory block/.test(output))
    return 'another process is at work on it'
  if (!ok || hasFailed(output)) throw saidBy(output, 'change who gets in', cluster)
  const written = await writeRules(location, cluster, password)
  if (!written.ok) throw saidBy(written.output, 'write its rules of access', cluster)
  return undefined
}

/** What a new cluster is given by its bootstrap superuser, a command a line. */
export const toNew = (password: string): string =>
  [
    `create role plumbline login password '${verifierOf(password)}'`,
    `create role ${backupRole} login replication password '${verifierOf(password)}'`,
    'create database plumbline owner plumbline\n',
  ].join('\n')

/**
 * The password as PostgreSQL keeps it (RFC 5803), so that the password itself is in no statement that could be logged.
 * One iteration: more of them protect what can be guessed, and these are 256 random bits.
 */
function verifierOf(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, 1, 32, 'sha256')
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$1:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`
}

/**
 * One command, so one transaction; run again it changes nothing but the password. PostgreSQL cannot take its rights from
 * the bootstrap superuser (oid 10), so he gets another name, and what he owns in our database goes to the new role.
 */
const toService = (password: string): string =>
  `do $do$
  declare
    own record;
  begin
    if (select rolname from pg_roles where oid = 10) = 'plumbline' then
      create role plumbline_upgrade superuser;
      perform set_config('session_authorization', 'plumbline_upgrade', false);
      execute format('alter role plumbline rename to %I', case
        when exists (select from pg_roles where rolname = 'postgres') then 'plumbline_bootstrap' else 'postgres' end);
      perform set_config('session_authorization', (select rolname::text from pg_roles where oid = 10), false);
      drop role plumbline_upgrade;
    end if;
    if not exists (select from pg_roles where rolname = 'plumbline') then create role plumbline; end if;
    alter role plumbline login nosuperuser password '${verifierOf(password)}';
    if not exists (select from pg_roles where rolname = '${backupRole}') then create role ${backupRole}; end if;
    alter role ${backupRole} login replication nosuperuser password '${verifierOf(password)}';
    execute format('alter role %I password null', (select rolname from pg_roles where oid = 10));
    alter database plumbline owner to plumbline;
    for own in
      with ours as (
        select oid from pg_namespace where nspname <> 'information_schema' and nspname not like 'pg\\_%'
      ), kept as (
        select classid, objid from pg_depend
        where deptype = 'e' or (deptype in ('a', 'i') and classid = 'pg_class'::regclass and refobjsubid > 0)
      )
      select 'schema ' || quote_ident(nspname) as name from pg_namespace
        where oid in (select oid from ours) and nspowner = 10
      union all
      select case relkind when 'S' then 'sequence ' when 'v' then 'view ' when 'm' then 'materialized view '
          when 'f' then 'foreign table ' else 'table ' end || oid::regclass::text from pg_class
        where relkind in ('r', 'p', 'v', 'm', 'f', 'S') and relowner = 10 and relnamespace in (select oid from ours)
          and ('pg_class'::regclass, oid) not in (select classid, objid from kept)
      union all
      select 'routine ' || oid::regprocedure::text from pg_proc
        where proowner = 10 and pronamespace in (select oid from ours)
          and ('pg_proc'::regclass, oid) not in (select classid, objid from kept)
      union all
      select 'type ' || oid::regtype::text from pg_type
        where typtype in ('d', 'e', 'r') and typowner = 10 and typnamespace in (select oid from ours)
          and ('pg_type'::regclass, oid) not in (select classid, objid from kept)
    loop
      execute format('alter %s owner to plumbline', own.name);
    end loop;
  end
  $do$`
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
