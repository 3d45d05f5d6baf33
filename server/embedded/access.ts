import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createWhole, readOwned, writeSecret } from './folders.ts'
import { findLocation, type Location } from './location.ts'
import { checkProgram, EmbeddedProblem, isClusterInUse } from './problems.ts'
import { run, shell } from './processes.ts'
import { findMachine, findPrograms } from './programs.ts'

/**
 * The roles of the cluster. The service is `plumbline`: no superuser, owner of its database. Its password is generated
 * once and stored in the data folder, readable by its owner alone. `plumbline_backup` has the same password, owns
 * nothing and may only copy the cluster by a replication connection. So no statement of the service can do that. The
 * bootstrap superuser has no password: it acts only while PostgreSQL is stopped (`postgres --single`).
 */

/** Returns the password of the service. Generates it if there is none. */
export async function ensurePassword({ data }: Pick<Location, 'data'>): Promise<string> {
  const known = await readPassword(data)
  if (known !== undefined) return known
  // Root may be the first in a folder of another user, who has to read it later.
  const write = async (path: string) => writeSecret(path, `${randomBytes(32).toString('hex')}\n`, await stat(data))
  await createWhole(join(data, 'database-password'), write)
  return ensurePassword({ data })
}

/** Reads the password in a data folder. Returns undefined if there is none. */
export async function readPassword(data: string): Promise<string | undefined> {
  const path = join(data, 'database-password')
  const password = (await readOwned(path))?.text.trim()
  if (password === undefined || /^[0-9a-f]{64}$/.test(password)) return password
  throw new EmbeddedProblem(
    `${path} does not hold the password of the bundled PostgreSQL: bring it back from a backup, or remove it while nothing runs, and another one is drawn.`,
  )
}

/** Returns whether the cluster accepts this password alone. Its marker is written last. */
export const hasPassword = async ({ cluster }: Location, password: string): Promise<boolean> =>
  (await readFile(join(cluster, 'plumbline.access'), 'utf8').catch(() => '')).trim() === formatMarker(password)

/** The number in the marker rises with each change of the roles and rules below, so that older clusters get them. */
const formatMarker = (password: string): string => `scram 2 ${createHash('sha256').update(password).digest('hex')}`

export const backupRole = 'plumbline_backup'

/** Writes the access rules and the marker of a stopped cluster, after its roles have got the password. */
export const writeAccessRules = ({ identity }: Pick<Location, 'identity'>, cluster: string, password: string) =>
  shell(
    identity,
    `set -e; umask 077; cd "$1"
    { echo local all all scram-sha-256; echo local replication ${backupRole} scram-sha-256; } >pg_hba.new
    sync pg_hba.new; mv pg_hba.new pg_hba.conf
    echo "$2" >plumbline.access.new; sync plumbline.access.new .; mv plumbline.access.new plumbline.access`,
    cluster,
    formatMarker(password),
  )

/**
 * Gives a stopped cluster these roles. A cluster of an earlier version trusted every user of its socket, made the
 * service a superuser, or had no role for backups. Another one has lost its password. Idempotent. Returns the reason if
 * it has to wait for another process, else undefined.
 */
export async function secureCluster(bin: string, location: Location, password: string, reused?: number) {
  const { cluster } = location
  const roles = await runSingleUser(bin, location, formatRoles(password), { reused })
  if (isClusterInUse(roles.output)) return 'another process is at work on it'
  checkProgram(roles, 'change who gets in', cluster)
  checkProgram(await writeAccessRules(location, cluster, password), 'write its rules of access', cluster)
  return undefined
}

/** Creates the database of the service and the roles in a new cluster. */
export const createDatabase = (bin: string, location: Location, password: string) =>
  runSingleUser(bin, location, `create database plumbline\n${formatRoles(password)}`, { database: 'postgres' })

/**
 * Computes the form in which PostgreSQL stores a password (RFC 5803), so that no statement that could be logged has the
 * password itself. One iteration is enough: more protect passwords that can be guessed, and this has 256 random bits.
 */
function computeVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, 1, 32, 'sha256')
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$1:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`
}

/**
 * Formats one command, which is one transaction and idempotent. PostgreSQL cannot revoke rights of the bootstrap
 * superuser (oid 10), so that role gets another name, and the new role gets its objects in our database. Objects of
 * extensions stay, and sequences of columns follow their tables.
 */
const formatRoles = (password: string): string =>
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
    alter role plumbline login nosuperuser password '${computeVerifier(password)}';
    if not exists (select from pg_roles where rolname = '${backupRole}') then create role ${backupRole}; end if;
    alter role ${backupRole} login replication nosuperuser password '${computeVerifier(password)}';
    execute format('alter role %I password null', (select rolname from pg_roles where oid = 10));
    alter database plumbline owner to plumbline;
    for own in
      with owned as (
        select 'pg_namespace'::regclass as class, oid, oid as space from pg_namespace where nspowner = 10
        union all
        select 'pg_class'::regclass, oid, relnamespace from pg_class
          where relowner = 10 and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        union all
        select 'pg_proc'::regclass, oid, pronamespace from pg_proc where proowner = 10
        union all
        select 'pg_type'::regclass, oid, typnamespace from pg_type where typowner = 10 and typtype in ('d', 'e', 'r')
      )
      select type, identity
        from owned join pg_namespace on pg_namespace.oid = space, pg_identify_object(class, owned.oid, 0)
        where nspname <> 'information_schema' and nspname not like 'pg\\_%' and not exists (
          select from pg_depend where classid = class and objid = owned.oid
            and (deptype = 'e' or (deptype in ('a', 'i') and classid = 'pg_class'::regclass and refobjsubid > 0)))
    loop
      execute format('alter %s %s owner to plumbline', own.type, own.identity);
    end loop;
  end
  $do$`
    .split('\n')
    .map((line) => line.trim())
    .join(' ')

/** Runs commands, one a line, as the bootstrap superuser in the stopped cluster of a data folder. */
export async function asSuperuser(folder: string, commands: string): Promise<void> {
  const machine = findMachine()
  const location = await findLocation(folder, machine.shared, null)
  const bin = await findPrograms(machine, location, () => undefined)
  checkProgram(await runSingleUser(bin, location, commands), 'do this', location.cluster)
}

/** Runs `postgres --single`. `reused` is a killed server's process id, now of another program; see `startServer`. */
function runSingleUser(
  bin: string,
  { cluster, identity }: Location,
  commands: string,
  { reused, database = 'plumbline' }: { reused?: number | undefined; database?: string } = {},
) {
  const alone = ['--single', '-D', cluster, '-c', 'exit_on_error=on', '-c', 'log_checkpoints=off', database]
  const reuse = reused === undefined ? [] : [`PG_GRANDPARENT_PID=${reused}`]
  return run(identity, 'env', [...reuse, `${bin}/postgres`, ...alone], `${commands}\n`)
}
