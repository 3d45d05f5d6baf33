-- changes.companies
with log as materialized (
      select (select epoch from log_epochs order by epoch desc limit 1) as epoch, pg_snapshot_xmin(pg_current_snapshot()) as pos
    )
    select log.epoch, log.pos::text as pos, array(
      select seen.company_id
      from unnest($1::bigint[], $2::int[],
        $3::text[]::xid8[]) seen (company_id, epoch, pos)
      cross join lateral (
        select from history
        where company_id = seen.company_id and (epoch, pos) >= (seen.epoch, seen.pos) and (epoch, pos) < (log.epoch, log.pos)
        order by company_id, epoch, pos, id limit 1
      ) first
      where (log.epoch, log.pos) > (seen.epoch, seen.pos)
    ) as company_ids
    from log
-- [[7],[1],["800"]]

-- changes.mark
insert into log_marks as m (epoch, pos, at)
    select (select epoch from log_epochs order by epoch desc limit 1), pg_snapshot_xmin(pg_current_snapshot()), clock_timestamp() where not exists (select from log_marks where at > now() - make_interval(secs => $1::float8))
    on conflict (epoch, pos) do update set at = m.at
    returning epoch, pos::text, (select line from log_epochs order by epoch desc limit 1) as line
-- [60]

-- changes.mark-now
insert into log_marks as m (epoch, pos, at)
    select (select epoch from log_epochs order by epoch desc limit 1), pg_snapshot_xmin(pg_current_snapshot()), clock_timestamp()
    on conflict (epoch, pos) do update set at = m.at
    returning epoch, pos::text, (select line from log_epochs order by epoch desc limit 1) as line
-- []

-- changes.sweep-marks
delete from log_marks where ctid = any (array(
      select ctid from log_marks m where at < (
        select at from log_marks where at <= now() - make_interval(days => $1::int) order by at desc limit 1
      ) and (
        select true from log_marks later where later.epoch = m.epoch and later.pos > m.pos
        order by later.epoch, later.pos limit 1
      ) order by at limit $2 for update skip locked
    )) returning 1
-- [30,1000]

-- changes.horizon
select (select epoch from log_epochs order by epoch desc limit 1) as epoch, pg_snapshot_xmin(pg_current_snapshot())::text as pos,
      coalesce(greatest(extract(epoch from clock_timestamp() - held.since), 0), 0)::float8 as seconds, held.holder, held.program
    from (select) one left join lateral (
      select xact_start as since, format('process %s (%s) of %s in the database %s, %s', pid,
        coalesce(nullif(application_name, ''), 'no name'), usename, datname, state) as holder, application_name as program
      from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()
      union all
      select prepared, format('the prepared transaction %s of %s in the database %s', gid, owner, database), 'a prepared transaction' from pg_prepared_xacts
      order by since limit 1
    ) held on true
-- []

-- (unnamed)
select identity = (
    select format('%s/%s/%s/%s', (select system_identifier from pg_control_system()),
      left(pg_walfile_name(pg_current_wal_lsn()), 8), (select oid from pg_database where datname = current_database()),
      'log_epochs'::regclass::oid)
  ) as same, to_regclass('company_epochs') is not null as distributed
    from log_epochs order by epoch desc limit 1
-- []

-- (unnamed)
with newest as (
      select epoch, identity from log_epochs order by epoch desc limit 1
    ), named as (
      update log_epochs set identity = (
    select format('%s/%s/%s/%s', (select system_identifier from pg_control_system()),
      left(pg_walfile_name(pg_current_wal_lsn()), 8), (select oid from pg_database where datname = current_database()),
      'log_epochs'::regclass::oid)
  ) where identity = '' and epoch = (select epoch from newest)
    )
    insert into log_epochs (epoch, identity)
    select epoch + 1, (
    select format('%s/%s/%s/%s', (select system_identifier from pg_control_system()),
      left(pg_walfile_name(pg_current_wal_lsn()), 8), (select oid from pg_database where datname = current_database()),
      'log_epochs'::regclass::oid)
  ) from newest where identity not in ('', (
    select format('%s/%s/%s/%s', (select system_identifier from pg_control_system()),
      left(pg_walfile_name(pg_current_wal_lsn()), 8), (select oid from pg_database where datname = current_database()),
      'log_epochs'::regclass::oid)
  ))
-- []
