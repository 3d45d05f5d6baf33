import type pg from 'pg'
import type { Statement } from '#sql/statement.ts'
import type { Limits } from '../database.ts'
import { planSettings } from '../session.ts'

/** Each company is on one of several servers. Decisions, Distributed. */

/**
 * Distributes every table of companies over the servers by company, if Citus is installed. All rows of a company are in
 * one place. A table that is distributed already stays as it is. The caller holds the lock of all migrations.
 */
export async function distribute(client: pg.ClientBase, onStep: (name: string) => void): Promise<void> {
  const { rowCount } = await client.query("select from pg_extension where extname = 'citus'")
  if (rowCount === 0) return
  try {
    const { rows } = await client.query<{ name: string }>(localTables)
    const tables = rows.map(({ name }) => name)
    if (tables.length > 0) {
      onStep(`Distributing ${tables.join(', ')} …`)
      await client.query('begin')
      await distributeTables(client, tables)
      await client.query('commit')
    }
    await client.query(settingsOnEveryServer)
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Selects the tables of companies that are on the coordinator alone. */
const localTables = `select c.relname::text as name from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    and (c.relname = 'companies' or exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped
    ))
    and not exists (select from pg_dist_partition where logicalrelid = c.oid)
  order by c.relname <> 'companies', c.relname`

/**
 * Drops foreign keys meanwhile: a distributed table cannot refer to one that is not distributed yet. Citus has no ON
 * DELETE action on one column alone; `erase` does it itself. Nor has it triggers: the dropped ones are for processes of
 * an earlier version, of which none has met a distributed database. Every insert names the epoch of a change.
 */
async function distributeTables(client: pg.ClientBase, tables: readonly string[]): Promise<void> {
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
      and (conrelid = any ($1::regclass[]) or confrelid = any ($1::regclass[]))`,
    [tables],
  )
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${name}`)
  if (tables.includes('companies')) await client.query(firstOfAll)
  for (const table of tables.includes('companies') ? [...tables, 'company_epochs', 'company_marks'] : tables)
    await client.query(
      table === 'companies'
        ? "select create_distributed_table('companies', 'id')"
        : `select create_distributed_table('${table}', 'company_id', colocate_with => 'companies')`,
    )
  for (const { table, name, definition } of keys)
    await client.query(
      `alter table ${table} add constraint ${name} ${definition.replace(/ ON DELETE SET NULL \(.*\)$/, '')}`,
    )
}

const firstOfAll = `
  drop trigger if exists invoice_of_one_line on invoices;
  drop function if exists invoice_of_one_line();
  drop trigger if exists invoice_open on invoices;
  drop function if exists invoice_open();
  alter table history alter column epoch drop default, alter column pos drop default;

  -- What is to be known of the server that holds a company. These are not immutable; said to be, and given a column,
  -- they are computed there and not by the coordinator.

  -- Which server it is, which of its timelines, and which database: a restored one is another.
  create function log_server(company bigint) returns text language plpgsql immutable as $$
  begin
    return format('%s/%s/%s', (select system_identifier from pg_control_system()),
      left(pg_walfile_name(pg_current_wal_lsn()), 8), (select oid from pg_database where datname = current_database()));
  end $$;

  -- The position of what is written by this transaction, and the one below which nothing can appear any more.
  create function log_position(company bigint) returns xid8 language plpgsql immutable as $$
  begin
    return greatest(pg_current_xact_id(), pg_snapshot_xmax(pg_current_snapshot()));
  end $$;
  create function log_horizon(company bigint) returns xid8 language plpgsql immutable as $$
  begin
    return pg_snapshot_xmin(pg_current_snapshot());
  end $$;

  -- What tells an epoch from another one of the same number, drawn anew by each call.
  create function log_line(company bigint) returns bigint language plpgsql immutable as $$
  begin
    return ('x' || right(gen_random_uuid()::text, 8))::bit(32)::bigint;
  end $$;

  -- The epochs of each company's log: a new one with the first write on another server. The first goes on from the log
  -- that there was, and so do its cursors.
  create table company_epochs (
    company_id bigint not null,
    epoch      integer not null,
    server     text not null,
    primary key (company_id, epoch),
    line       bigint
  );
  insert into company_epochs (company_id, epoch, server, line)
  select c.id, e.epoch, 'before', e.line from companies c
  cross join (select epoch, line from log_epochs order by epoch desc limit 1) e;

  -- What log_marks is for one server.
  create table company_marks (
    company_id bigint not null,
    epoch      integer not null,
    pos        xid8 not null,
    at         timestamptz not null default now(),
    primary key (company_id, epoch, pos)
  );
  create index company_marks_at on company_marks (company_id, at);

  -- The accounts of an address, on every server.
  create table logins (
    company_id bigint not null,
    account_id bigint not null,
    email_key  text not null,
    primary key (company_id, account_id)
  );
  create index logins_email on logins (email_key, account_id);
  insert into logins (company_id, account_id, email_key)
  select company_id, id, email_key(email) from accounts where not is_service;
  select create_reference_table('logins');
`

/** Sets settings for the role: those of a session do not reach the servers behind the coordinator. */
export const settingsOnEveryServer = `do $$ declare setting text; begin
    foreach setting in array '{${planSettings.map((setting) => setting.replace('=', ' = ')).join(',')}}'::text[] loop
      execute format('alter role %I in database %I set %s', current_user, current_database(), setting);
    end loop;
  end $$`

/** Settings of a new connection to a distributed database. The plan of a statement depends on its company. */
export const distributedSession = "set plan_cache_mode = force_custom_plan; set citus.propagate_set_commands = 'local'"

/** Returns the first statements of a transaction, which reach the servers too. */
export const transactionSettings = ({ lockTimeout }: Limits): Statement[] => [
  { text: `set local lock_timeout = ${lockTimeout}`, values: [] },
]
