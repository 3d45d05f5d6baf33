import { query, type Statement, sql, statement } from '../statement.ts'

/** The distribution of a database, from its own tables. */

/** The place of a table. `together`: it is with its company, so that one server has both. */
export type PlacedTable = {
  name: string
  is_of_companies: boolean
  kind: 'local' | 'distributed' | 'reference'
  together: boolean
}
export type ServerRow = { name: string; is_active: boolean; companies: number }

/** Reads whether the extension is installed. The other statements need it. */
export const hasCitus = (): Statement =>
  statement(sql`select extversion as version from pg_extension where extname = 'citus'`)

export const placedTables = (): Statement =>
  statement(sql`select c.relname::text as name,
      c.relname = 'companies' or exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
      ) as is_of_companies,
      case p.partmethod when 'h' then 'distributed' when 'n' then 'reference' else 'local' end as kind,
      coalesce(p.colocationid = (
        select colocationid from pg_dist_partition where logicalrelid = to_regclass('companies')
      ), false) as together
    from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`)

/** Reads the servers that hold companies, and the number of parts on each. */
export const placements = (): Statement =>
  statement(sql`select n.nodename || ':' || n.nodeport as name, n.isactive as is_active, (
      select count(*)::int from pg_dist_placement p join pg_dist_shard s on s.shardid = p.shardid
      where p.groupid = n.groupid and s.logicalrelid = to_regclass('companies')
    ) as companies
    from pg_dist_node n where n.noderole = 'primary' and n.shouldhaveshards order by n.nodename, n.nodeport`)

/** Reads the settings of the role in this database on each server, which sessions there need. */
export const settingsOnServers = (): Statement =>
  statement(sql`select nodename || ':' || nodeport as name, success, result as settings
    from run_command_on_workers($$
      select coalesce(string_agg(setting, ','), '') from pg_db_role_setting s, unnest(setconfig) setting
      where setdatabase = (select oid from pg_database where datname = current_database())
        and setrole = (select oid from pg_roles where rolname = current_user)
    $$)`)

/** Selects the oldest open transaction of a server that has written anything. */
export const oldestOpen = sql`select xact_start as since, format('process %s (%s) of %s in the database %s, %s', pid,
        coalesce(nullif(application_name, ''), 'no name'), usename, datname, state) as holder, application_name as program
      from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()
      union all
      select prepared, format('the prepared transaction %s of %s in the database %s', gid, owner, database), 'a prepared transaction' from pg_prepared_xacts
      order by since limit 1`

/** Reads the oldest open transaction of each server: it holds back the feeds of the server's companies. */
export const horizonsOfServers = (): Statement =>
  query('changes.horizons')`select success, result from run_command_on_workers($$
      select json_build_object('seconds', extract(epoch from clock_timestamp() - since), 'holder', holder, 'program', program) from (
        ${oldestOpen}
      ) held
    $$)`
