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
      start.epoch as start_epoch, start.pos::text as start_pos, start.id as start_id,
      first.epoch as first_epoch, first.pos::text as first_pos,
      next.epoch as next_epoch, next.pos::text as next_pos, next.id as next_id,
      (select count(*) from told) > $16::bigint or (select count(*) from examined) = $17::bigint as more,
      log.epoch, log.pos::text as horizon,
      case when start.epoch < log.epoch then (
        select coalesce(max(pos), '0')::text from log_marks m where m.epoch = start.epoch
      ) end as closed_at,
      kept.epoch as kept_epoch, kept.pos::text as kept_pos
    from start cross join log left join kept on true left join next on true
    left join (select epoch, pos from examined where place = 1) first on true
-- [30,1,"800",4711,7,1000,["projects"],50,50,50,7,7,7,7,50,50,1000]

-- changes.page-with-caller
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    $2::text = any (t.scopes) and $3::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when $4::text <> all (c.add_ons) then $5::text end as feature_off,
    c.currency
  from (select * from tokens where company_id = $6 and hash between $7 and $8 order by hash offset 0 ) t
  cross join lateral (select * from accounts where company_id = $9 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $10 offset 0) c)
  select caller.*, wanted.* from caller left join lateral (
    with rights as materialized (
      select coalesce(array_agg(asked.name), '{}') as in_scope,
        coalesce(array_agg(asked.name) filter (where asked.add_on = any (c.add_ons)), '{}') as open
      from (select * from tokens where company_id = $11 and id = caller.token_id  offset 0) t
      cross join (select * from accounts where company_id = $12 and id = caller.account_id  offset 0) a
      cross join (select * from companies where id = $13 offset 0) c
      cross join unnest($14::text[], $15::text[], $16::text[]) asked (name, scope, add_on)
      where asked.scope = any (t.scopes) and asked.scope = any (a.permissions))
    select rights.*, page.* from rights
    left join lateral (
    with log as materialized (
      select (select epoch from log_epochs order by epoch desc limit 1) as epoch, pg_snapshot_xmin(pg_current_snapshot()) as pos
    ), kept as materialized (
      select epoch, pos from log_marks
      where at <= now() - make_interval(days => $17::int) order by at desc limit 1
    ), start as materialized (
      select coalesce($18::int, kept.epoch, 0) as epoch,
        coalesce($19::text::xid8, kept.pos, '0') as pos, coalesce($20::bigint, 0) as id
      from log left join kept on true
    ), examined as materialized (
      select h.* from start cross join log cross join lateral (
        select *, row_number() over () as place from (
          select * from history
          where company_id = $21 and (epoch, pos, id) > (start.epoch, start.pos, start.id)
            and (epoch, pos) < (log.epoch, log.pos)
          order by company_id, epoch, pos, id limit $22
        ) ordered
      ) h
    ), told as materialized (
      select * from (
        select *, row_number() over () as told_place from examined where records = any (rights.open)
      ) counted where told_place <= $23::bigint + 1
    ), next as (
      select epoch, pos, id from examined where place = case
        when (select count(*) from told) > $24::bigint then (select place from told where told_place = $25::bigint)
        else (select max(place) from examined)
      end
    )
    select
      (select coalesce(string_agg((select row_to_json(change)::text from (
      select h.records || '.' || case h.action when 'changed' then 'updated' else h.action end as event, 'evt_' || h.epoch || '_' || h.id as id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
        h.records, h.record_id, h.version, case h.action when 'changed' then 'updated' else h.action end as action, h.changes,
        case when h.action in ('deleted', 'erased') then h.held else case h.records when 'projects' then (
          select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $26) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from projects where company_id = $27 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) when 'estimates' then (
          select (select row_to_json(record)::text from (select r.id as id,r.title as title,r.number as number,r.status as status,r.client_id as client_id,r.project_id as project_id,r.issue_date as issue_date,r.valid_until as valid_until,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $28) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from estimates where company_id = $29 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) end end as record,
        json_build_object('channel', case h.door when 'web' then 'console' else h.door end, 'account_id', h.account_id,
          'token_id', h.token_id, 'request_id', h.request_id, 'idempotency_key', h.idempotency_key) as by,
        h.removal_id
    ) change), ',' order by h.told_place), '')
        from told h where h.told_place <= $30::bigint) as json,
      start.epoch as start_epoch, start.pos::text as start_pos, start.id as start_id,
      first.epoch as first_epoch, first.pos::text as first_pos,
      next.epoch as next_epoch, next.pos::text as next_pos, next.id as next_id,
      (select count(*) from told) > $31::bigint or (select count(*) from examined) = $32::bigint as more,
      log.epoch, log.pos::text as horizon,
      case when start.epoch < log.epoch then (
        select coalesce(max(pos), '0')::text from log_marks m where m.epoch = start.epoch
      ) end as closed_at,
      kept.epoch as kept_epoch, kept.pos::text as kept_pos
    from start cross join log left join kept on true left join next on true
    left join (select epoch, pos from examined where place = 1) first on true) page on true) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,7,["projects"],["PROJECTS_VIEW"],["api"],30,1,"800",4711,7,1000,50,50,50,7,7,7,7,50,50,1000]

-- changes.now-with-caller
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    $2::text = any (t.scopes) and $3::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when $4::text <> all (c.add_ons) then $5::text end as feature_off,
    c.currency
  from (select * from tokens where company_id = $6 and hash between $7 and $8 order by hash offset 0 ) t
  cross join lateral (select * from accounts where company_id = $9 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $10 offset 0) c), marked as (
      insert into log_marks as m (epoch, pos)
      select (select epoch from log_epochs order by epoch desc limit 1), pg_snapshot_xmin(pg_current_snapshot()) from caller where caller.live and caller.address_allowed
      on conflict (epoch, pos) do update set at = m.at
      returning epoch, pos::text
    )
  select caller.*, wanted.* from caller left join lateral (
    with rights as materialized (
      select coalesce(array_agg(asked.name), '{}') as in_scope,
        coalesce(array_agg(asked.name) filter (where asked.add_on = any (c.add_ons)), '{}') as open
      from (select * from tokens where company_id = $11 and id = caller.token_id  offset 0) t
      cross join (select * from accounts where company_id = $12 and id = caller.account_id  offset 0) a
      cross join (select * from companies where id = $13 offset 0) c
      cross join unnest($14::text[], $15::text[], $16::text[]) asked (name, scope, add_on)
      where asked.scope = any (t.scopes) and asked.scope = any (a.permissions))
    select rights.*, marked.epoch as start_epoch, marked.pos as start_pos from rights left join marked on true) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,7,["projects","estimates"],["PROJECTS_VIEW","ESTIMATES_VIEW"],["api","estimates"]]

-- projects.changes-with-caller
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    $2::text = any (t.scopes) and $3::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when $4::text <> all (c.add_ons) then $5::text end as feature_off,
    c.currency
  from (select * from tokens where company_id = $6 and hash between $7 and $8 order by hash offset 0 ) t
  cross join lateral (select * from accounts where company_id = $9 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $10 offset 0) c)
  select caller.*, wanted.* from caller left join lateral (
    select (select count(*) as total from (
      select from history h where h.company_id = $11 and h.records = $12 and h.record_id between $13 and $14 order by h.record_id,h.id offset 0
    ) h) as total,
      (
    select coalesce(string_agg((select row_to_json(change)::text from (
      select h.records || '.' || case h.action when 'changed' then 'updated' else h.action end as event, 'evt_' || h.epoch || '_' || h.id as id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
        h.records, h.record_id, h.version, case h.action when 'changed' then 'updated' else h.action end as action, h.changes,
        case when h.action in ('deleted', 'erased') then h.held else case h.records when 'projects' then (
          select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $15) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from projects where company_id = $16 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) end end as record,
        json_build_object('channel', case h.door when 'web' then 'console' else h.door end, 'account_id', h.account_id,
          'token_id', h.token_id, 'request_id', h.request_id, 'idempotency_key', h.idempotency_key) as by,
        h.removal_id
    ) change), ',' order by h.place), '') as json from (
      select *, row_number() over () as place from (
        select * from history
        where company_id = $17 and records = $18 and record_id between $19 and $20
        order by record_id desc, id desc limit $21 offset $22
      ) ordered
    ) h) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,"projects",4711,4711,7,7,7,"projects",4711,4711,50,0]

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
  ) as same, case when current_setting('server_version_num')::int >= 170000
      then set_config('transaction_timeout', $1, false) end as bound
    from log_epochs order by epoch desc limit 1
-- ["300000"]

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
