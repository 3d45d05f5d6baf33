-- changes.page
with log as materialized (
      select (select epoch from log_epochs order by epoch desc limit 1) as epoch, pg_snapshot_xmin(pg_current_snapshot()) as pos
    ), kept as materialized (
      select epoch, pos from log_marks
      where at <= now() - make_interval(days => $1::int) order by at desc limit 1
    ), start as materialized (
      select coalesce($2::int, kept.epoch, 0) as epoch,
        coalesce($3::text::xid8, kept.pos, '0') as pos, coalesce($4::bigint, 0) as id
      from log left join kept on true
    ), examined as materialized (
      select h.* from start cross join log cross join lateral (
        select *, row_number() over () as place from (
          select * from history
          where company_id = $5 and (epoch, pos, id) > (start.epoch, start.pos, start.id)
            and (epoch, pos) < (log.epoch, log.pos)
          order by company_id, epoch, pos, id limit $6
        ) ordered
      ) h
    ), told as materialized (
      select * from (
        select *, row_number() over () as told_place from examined where records = any ($7::text[])
      ) counted where told_place <= $8::bigint + 1
    ), next as (
      select epoch, pos, id from examined where place = case
        when (select count(*) from told) > $9::bigint then (select place from told where told_place = $10::bigint)
        else (select max(place) from examined)
      end
    )
    select
      (select coalesce(string_agg((select row_to_json(change)::text from (
      select h.records || '.' || case h.action when 'changed' then 'updated' else h.action end as event, 'evt_' || h.epoch || '_' || h.id as id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
        h.records, h.record_id, h.version, case h.action when 'changed' then 'updated' else h.action end as action, h.changes,
        case when h.action in ('deleted', 'erased') then h.held else case h.records when 'projects' then (
          select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $11) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from projects where company_id = $12 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) when 'estimates' then (
          select (select row_to_json(record)::text from (select r.id as id,r.title as title,r.number as number,r.status as status,r.client_id as client_id,r.project_id as project_id,r.issue_date as issue_date,r.valid_until as valid_until,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $13) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from estimates where company_id = $14 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) end end as record,
        json_build_object('channel', case h.door when 'web' then 'console' else h.door end, 'account_id', h.account_id,
          'token_id', h.token_id, 'request_id', h.request_id, 'idempotency_key', h.idempotency_key) as by,
        h.removal_id
    ) change), ',' order by h.told_place), '')
        from told h where h.told_place <= $15::bigint) as json,
      (select coalesce(json_agg(json_build_array(h.epoch, h.pos::text, h.id) order by h.told_place), '[]')
        from told h where h.told_place <= $16::bigint) as places,
      start.epoch as start_epoch, start.pos::text as start_pos, start.id as start_id,
      first.epoch as first_epoch, first.pos::text as first_pos,
      next.epoch as next_epoch, next.pos::text as next_pos, next.id as next_id,
      (select count(*) from told) > $17::bigint or (select count(*) from examined) = $18::bigint as more,
      log.epoch, log.pos::text as horizon,
      case when start.epoch < log.epoch then (
        select coalesce(max(pos), '0')::text from log_marks m where m.epoch = start.epoch
      ) end as closed_at,
      kept.epoch as kept_epoch, kept.pos::text as kept_pos
    from start cross join log left join kept on true left join next on true
    left join (select epoch, pos from examined where place = 1) first on true
-- [30,1,"800",4711,7,1000,["projects"],50,50,50,7,7,7,7,50,50,50,1000]

-- changes.companies
with log as materialized (
      select (select epoch from log_epochs order by epoch desc limit 1) as epoch, pg_snapshot_xmin(pg_current_snapshot()) as pos
    ), since as materialized (
      select $1::int as epoch, $2::text::xid8 as pos
    )
    select log.epoch, log.pos::text as pos, array(
      select asked.id from since cross join unnest($3::bigint[]) asked (id) cross join lateral (
        select from history
        where company_id = asked.id and (epoch, pos) >= (since.epoch, since.pos) and (epoch, pos) < (log.epoch, log.pos)
        order by company_id, epoch, pos, id limit 1
      ) first
      where (log.epoch, log.pos) > (since.epoch, since.pos)
    ) as company_ids
    from log
-- [1,"800",[7,8]]

-- changes.mark
insert into log_marks as m (epoch, pos)
    select (select epoch from log_epochs order by epoch desc limit 1), pg_snapshot_xmin(pg_current_snapshot())
    where not exists (select from log_marks where at > now() - make_interval(secs => $1::float8))
    on conflict (epoch, pos) do update set at = m.at
    returning epoch, pos::text
-- [60]

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
      coalesce(greatest(extract(epoch from clock_timestamp() - held.since), 0), 0)::float8 as seconds, held.holder
    from (select) one left join lateral (
      select xact_start as since, format('process %s (%s) of %s in the database %s, %s', pid,
        coalesce(nullif(application_name, ''), 'no name'), usename, datname, state) as holder
      from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()
      union all
      select prepared, format('the prepared transaction %s of %s in the database %s', gid, owner, database) from pg_prepared_xacts
      order by since limit 1
    ) held on true
-- []

-- (unnamed)
select identity = (
    select format('%s/%s/%s/%s', (select system_identifier from pg_control_system()),
      left(pg_walfile_name(pg_current_wal_lsn()), 8), (select oid from pg_database where datname = current_database()),
      'log_epochs'::regclass::oid)
  ) as same from log_epochs order by epoch desc limit 1
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
