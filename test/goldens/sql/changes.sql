-- changes.page
with log as materialized (
      select epoch, line, pg_snapshot_xmin(pg_current_snapshot()) as pos from log_epochs order by epoch desc limit 1
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
      end limit 1
    )
    select
      (select coalesce(string_agg((select row_to_json(change)::text from (
      select h.records || '.' || case h.action when 'changed' then 'updated' else h.action end as event, 'evt_' || h.epoch || '_' || h.id as id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
        h.records, h.record_id, h.version, case h.action when 'changed' then 'updated' else h.action end as action, h.changes,
        case when h.action in ('deleted', 'erased') then case when h.held is not null then case h.records when 'projects' then (select row_to_json(record) from json_to_record(h.held) record("id" json, "name" json, "code" json, "description" json, "status" json, "client_id" json, "category_id" json, "manager_id" json, "address" json, "start_date" json, "end_date" json, "contract_minor" json, "budget_minor" json, "percent_complete" json, "external_ref" json, "notes" json, "currency" json, "created_at" json, "updated_at" json)) when 'estimates' then (select row_to_json(record) from json_to_record(h.held) record("id" json, "title" json, "number" json, "status" json, "client_id" json, "project_id" json, "issue_date" json, "valid_until" json, "lines" json, "discount_pct" json, "tax_pct" json, "subtotal_minor" json, "discount_minor" json, "tax_minor" json, "total_minor" json, "external_ref" json, "notes" json, "currency" json, "created_at" json, "updated_at" json)) end end else case h.records when 'projects' then (
          select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $11) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from projects where company_id = $12 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) when 'estimates' then (
          select (select row_to_json(record)::text from (select r.id as id,r.title as title,r.number as number,r.status as status,r.client_id as client_id,r.project_id as project_id,r.issue_date as issue_date,r.valid_until as valid_until,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $13) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from estimates where company_id = $14 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) end end as record,
        ('{' || '"channel":' || coalesce(to_json(case h.door when 'web' then 'console' else h.door end)::text, 'null') || ',' || '"account_id":' || coalesce(to_json(h.account_id)::text, 'null') || ',' || '"token_id":' || coalesce(to_json(h.token_id)::text, 'null') || ',' || '"request_id":' || coalesce(to_json(h.request_id)::text, 'null') || ',' || '"idempotency_key":' || coalesce(to_json(h.idempotency_key)::text, 'null') || ',' || '"preview_id":' || coalesce(to_json(h.preview_id)::text, 'null') || '}')::json as by,
        h.write_id, h.removal_id
    ) change), ',' order by h.told_place), '')
        from told h where h.told_place <= $15::bigint) as json,
      (select coalesce(json_agg(json_build_array(h.epoch, h.pos::text, h.id) order by h.told_place), '[]')
        from told h where h.told_place <= $16::bigint) as places,
      start.epoch as start_epoch, start.pos::text as start_pos, start.id as start_id,
      $17::bigint as start_line, (
        select max(epoch) from log_epochs issued
        where issued.line = $18::bigint
      ) as issued_epoch,
      first.epoch as first_epoch, first.pos::text as first_pos,
      next.epoch as next_epoch, next.pos::text as next_pos, next.id as next_id,
      (select count(*) from told) > $19::bigint or (select count(*) from examined) = $20::bigint as more,
      log.epoch, log.line, log.pos::text as horizon,
      case when start.epoch < log.epoch then (
        select coalesce(max(pos), '0')::text from log_marks m where m.epoch = start.epoch
      ) end as closed_at,
      kept.epoch as kept_epoch, kept.pos::text as kept_pos
    from start cross join log left join kept on true left join next on true
    left join (select epoch, pos from examined where place = 1 limit 1) first on true
-- [30,1,"800",4711,7,1000,["projects"],50,50,50,7,7,7,7,50,50,3141592653,3141592653,50,1000]

-- changes.page-with-caller
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text, ',') <@ t.scopes and string_to_array($3::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when not '{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[]) code where code <> all (a.permissions)
    ) end as lacks_rights,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.tag_key, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7 and hash between $8 and $9 order by hash offset 0 ) t
  cross join lateral (select * from accounts where company_id = $10 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11 offset 0) c)
  select caller.*, wanted.* from caller left join lateral (
    with rights as materialized (
      select coalesce(array_agg(asked.name), '{}') as in_scope,
        coalesce(array_agg(asked.name) filter (where asked.add_on = any (c.add_ons)), '{}') as open
      from (select * from tokens where company_id = $12 and hash between $13 and $14 order by hash offset 0) t
      cross join (select * from accounts where company_id = $15 and id = caller.account_id  offset 0) a
      cross join (select * from companies where id = $16 offset 0) c
      cross join unnest($17::text[], $18::text[], $19::text[]) asked (name, scope, add_on)
      where asked.scope = any (t.scopes) and asked.scope = any (a.permissions))
    select rights.*, page.* from rights
    left join lateral (
    with log as materialized (
      select epoch, line, pg_snapshot_xmin(pg_current_snapshot()) as pos from log_epochs order by epoch desc limit 1
    ), kept as materialized (
      select epoch, pos from log_marks
      where at <= now() - make_interval(days => $20::int) order by at desc limit 1
    ), start as materialized (
      select coalesce($21::int, kept.epoch, 0) as epoch,
        coalesce($22::text::xid8, kept.pos, '0') as pos, coalesce($23::bigint, 0) as id
      from log left join kept on true
    ), examined as materialized (
      select h.* from start cross join log cross join lateral (
        select *, row_number() over () as place from (
          select * from history
          where company_id = $24 and (epoch, pos, id) > (start.epoch, start.pos, start.id)
            and (epoch, pos) < (log.epoch, log.pos)
          order by company_id, epoch, pos, id limit $25
        ) ordered
      ) h
    ), told as materialized (
      select * from (
        select *, row_number() over () as told_place from examined where records = any (rights.open)
      ) counted where told_place <= $26::bigint + 1
    ), next as (
      select epoch, pos, id from examined where place = case
        when (select count(*) from told) > $27::bigint then (select place from told where told_place = $28::bigint)
        else (select max(place) from examined)
      end limit 1
    )
    select
      (select coalesce(string_agg((select row_to_json(change)::text from (
      select h.records || '.' || case h.action when 'changed' then 'updated' else h.action end as event, 'evt_' || h.epoch || '_' || h.id as id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
        h.records, h.record_id, h.version, case h.action when 'changed' then 'updated' else h.action end as action, h.changes,
        case when h.action in ('deleted', 'erased') then case when h.held is not null then case h.records when 'projects' then (select row_to_json(record) from json_to_record(h.held) record("id" json, "name" json, "code" json, "description" json, "status" json, "client_id" json, "category_id" json, "manager_id" json, "address" json, "start_date" json, "end_date" json, "contract_minor" json, "budget_minor" json, "percent_complete" json, "external_ref" json, "notes" json, "currency" json, "created_at" json, "updated_at" json)) when 'estimates' then (select row_to_json(record) from json_to_record(h.held) record("id" json, "title" json, "number" json, "status" json, "client_id" json, "project_id" json, "issue_date" json, "valid_until" json, "lines" json, "discount_pct" json, "tax_pct" json, "subtotal_minor" json, "discount_minor" json, "tax_minor" json, "total_minor" json, "external_ref" json, "notes" json, "currency" json, "created_at" json, "updated_at" json)) end end else case h.records when 'projects' then (
          select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $29) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from projects where company_id = $30 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) when 'estimates' then (
          select (select row_to_json(record)::text from (select r.id as id,r.title as title,r.number as number,r.status as status,r.client_id as client_id,r.project_id as project_id,r.issue_date as issue_date,r.valid_until as valid_until,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $31) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from estimates where company_id = $32 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) end end as record,
        ('{' || '"channel":' || coalesce(to_json(case h.door when 'web' then 'console' else h.door end)::text, 'null') || ',' || '"account_id":' || coalesce(to_json(h.account_id)::text, 'null') || ',' || '"token_id":' || coalesce(to_json(h.token_id)::text, 'null') || ',' || '"request_id":' || coalesce(to_json(h.request_id)::text, 'null') || ',' || '"idempotency_key":' || coalesce(to_json(h.idempotency_key)::text, 'null') || ',' || '"preview_id":' || coalesce(to_json(h.preview_id)::text, 'null') || '}')::json as by,
        h.write_id, h.removal_id
    ) change), ',' order by h.told_place), '')
        from told h where h.told_place <= $33::bigint) as json,
      (select coalesce(json_agg(json_build_array(h.epoch, h.pos::text, h.id) order by h.told_place), '[]')
        from told h where h.told_place <= $34::bigint) as places,
      start.epoch as start_epoch, start.pos::text as start_pos, start.id as start_id,
      $35::bigint as start_line, (
        select max(epoch) from log_epochs issued
        where issued.line = $36::bigint
      ) as issued_epoch,
      first.epoch as first_epoch, first.pos::text as first_pos,
      next.epoch as next_epoch, next.pos::text as next_pos, next.id as next_id,
      (select count(*) from told) > $37::bigint or (select count(*) from examined) = $38::bigint as more,
      log.epoch, log.line, log.pos::text as horizon,
      case when start.epoch < log.epoch then (
        select coalesce(max(pos), '0')::text from log_marks m where m.epoch = start.epoch
      ) end as closed_at,
      kept.epoch as kept_epoch, kept.pos::text as kept_pos
    from start cross join log left join kept on true left join next on true
    left join (select epoch, pos from examined where place = 1 limit 1) first on true) page on true) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,["projects"],["PROJECTS_VIEW"],["api"],30,1,"800",4711,7,1000,50,50,50,7,7,7,7,50,50,3141592653,3141592653,50,1000]

-- changes.now-with-caller
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text, ',') <@ t.scopes and string_to_array($3::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when not '{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[]) code where code <> all (a.permissions)
    ) end as lacks_rights,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.tag_key, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7 and hash between $8 and $9 order by hash offset 0 ) t
  cross join lateral (select * from accounts where company_id = $10 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11 offset 0) c), marked as (
      insert into log_marks as m (epoch, pos)
      select (select epoch from log_epochs order by epoch desc limit 1), pg_snapshot_xmin(pg_current_snapshot()) from caller where caller.live and caller.address_allowed
      on conflict (epoch, pos) do update set at = m.at
      returning epoch, pos::text, (select line from log_epochs order by epoch desc limit 1) as line
    )
  select caller.*, wanted.* from caller left join lateral (
    with rights as materialized (
      select coalesce(array_agg(asked.name), '{}') as in_scope,
        coalesce(array_agg(asked.name) filter (where asked.add_on = any (c.add_ons)), '{}') as open
      from (select * from tokens where company_id = $12 and hash between $13 and $14 order by hash offset 0) t
      cross join (select * from accounts where company_id = $15 and id = caller.account_id  offset 0) a
      cross join (select * from companies where id = $16 offset 0) c
      cross join unnest($17::text[], $18::text[], $19::text[]) asked (name, scope, add_on)
      where asked.scope = any (t.scopes) and asked.scope = any (a.permissions))
    select rights.*, marked.epoch as start_epoch, marked.pos as start_pos, marked.line from rights left join marked on true) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,["projects","estimates"],["PROJECTS_VIEW","ESTIMATES_VIEW"],["api","estimates"]]

-- projects.changes-with-caller
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text, ',') <@ t.scopes and string_to_array($3::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when not '{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[]) code where code <> all (a.permissions)
    ) end as lacks_rights,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.tag_key, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7 and hash between $8 and $9 order by hash offset 0 ) t
  cross join lateral (select * from accounts where company_id = $10 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11 offset 0) c)
  select caller.*, wanted.* from caller left join lateral (
    select (select count(*) as total from (
      select from history h where h.company_id = $12 and h.records = $13 and h.record_id between $14 and $15 order by h.record_id,h.id offset 0
    ) h) as total,
      (
    select coalesce(string_agg((select row_to_json(change)::text from (
      select h.records || '.' || case h.action when 'changed' then 'updated' else h.action end as event, 'evt_' || h.epoch || '_' || h.id as id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
        h.records, h.record_id, h.version, case h.action when 'changed' then 'updated' else h.action end as action, h.changes,
        case when h.action in ('deleted', 'erased') then case when h.held is not null then case h.records when 'projects' then (select row_to_json(record) from json_to_record(h.held) record("id" json, "name" json, "code" json, "description" json, "status" json, "client_id" json, "category_id" json, "manager_id" json, "address" json, "start_date" json, "end_date" json, "contract_minor" json, "budget_minor" json, "percent_complete" json, "external_ref" json, "notes" json, "currency" json, "created_at" json, "updated_at" json)) end end else case h.records when 'projects' then (
          select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $16) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from projects where company_id = $17 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) end end as record,
        ('{' || '"channel":' || coalesce(to_json(case h.door when 'web' then 'console' else h.door end)::text, 'null') || ',' || '"account_id":' || coalesce(to_json(h.account_id)::text, 'null') || ',' || '"token_id":' || coalesce(to_json(h.token_id)::text, 'null') || ',' || '"request_id":' || coalesce(to_json(h.request_id)::text, 'null') || ',' || '"idempotency_key":' || coalesce(to_json(h.idempotency_key)::text, 'null') || ',' || '"preview_id":' || coalesce(to_json(h.preview_id)::text, 'null') || '}')::json as by,
        h.write_id, h.removal_id
    ) change), ',' order by h.place), '') as json from (
      select *, row_number() over () as place from (
        select * from history
        where company_id = $18 and records = $19 and record_id between $20 and $21
        order by record_id desc, id desc limit $22 offset $23
      ) ordered
    ) h) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,"projects",4711,4711,7,7,7,"projects",4711,4711,50,0]

-- history.planned
select h.id, h.records, h.record_id, h.action, h.version, h.changes, h.removal_id, case when h.action = 'created' then case h.records when 'projects' then (
          select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from projects where company_id = $2 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) when 'estimates' then (
          select (select row_to_json(record)::text from (select r.id as id,r.title as title,r.number as number,r.status as status,r.client_id as client_id,r.project_id as project_id,r.issue_date as issue_date,r.valid_until as valid_until,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $3) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json
          from (select * from estimates where company_id = $4 and id = h.record_id  offset 0) r where r.deleted_at is null
        ) end end as record
    from (select * from history where company_id = $5 and write_id between $6::uuid and $7::uuid and id > $8 order by write_id, id offset 0) h
-- [7,7,7,7,7,"00000000-0000-4000-8000-000000000000","00000000-0000-4000-8000-000000000000",0]

-- history.of-write
select h.id, h.records, h.record_id, h.action, h.version, h.changes, h.removal_id, h.token_id, case when h.action = 'erased' then h.held end as held
    from (select * from history where company_id = $1 and write_id between $2::uuid and $3::uuid order by write_id desc, id desc offset 0) h
-- [7,"00000000-0000-4000-8000-000000000000","00000000-0000-4000-8000-000000000000"]

-- history.changed-since
select distinct field from (
      select changes from history
      where company_id = $1 and records = $2 and record_id between $3 and $4
        and version > $5 and action = 'changed'
      order by record_id desc, id desc limit 100
    ) h cross join lateral json_object_keys(h.changes) field
-- [7,"projects",4711,4711,2]

-- removals.by-id
select r.id, r.records, r.record_id, r.mode, r.went, r.unlinked, r.restored_at is not null as restored
    from (select distinct id from unnest($1::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from removals where company_id = $2 and id = wanted.id for update offset 0
    ) r
-- [[1],7]

-- undos.hold
insert into undos as u (company_id, write_id, undone_from) values ($1, $2, $3::bigint)
    on conflict (company_id, write_id) do update set at = u.at
    returning undone_from
-- [7,"00000000-0000-4000-8000-000000000000",9007199254740991]

-- undos.move
update undos set undone_from = $1, at = now() where company_id = $2 and write_id = $3
-- [4711,7,"00000000-0000-4000-8000-000000000000"]
