-- projects.list:ids
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
    with found as materialized (
      select r.id from (select distinct id from unnest($12::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $13 and id = wanted.id  offset 0
    ) r where r.deleted_at is null
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $14 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by id limit $15 offset $16) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,[4711,4712],7,7,50,0]

-- projects.list:reference
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
    with found as not materialized (
      select r.id from (select * from (select * from projects
      where company_id = $12 and (equal_key(external_ref) collate "C") between (equal_key($13::text) collate "C") and (equal_key($14::text) collate "C") and deleted_at is null order by (equal_key(external_ref) collate "C") offset 0) named
    order by named.external_ref = $15::text desc limit 1) r
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $16 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by id limit $17 offset $18) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,"A-1","A-1","A-1",7,50,0]

-- projects.list:in-client_id
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
    with found as not materialized (
      select r.id from (select distinct value from unnest($12::bigint[]) value) wanted
    cross join lateral (
      select * from projects where company_id = $13 and client_id between wanted.value and wanted.value
        and deleted_at is null order by client_id,id offset 0
    ) r
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $14 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by id limit $15 offset $16) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,[3,4],7,7,50,0]

-- projects.list:in-status
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
    with found as not materialized (
      select r.id from (select distinct value from unnest($12::text[]) value) wanted
    cross join lateral (
      select * from projects where company_id = $13 and status between wanted.value and wanted.value
        and deleted_at is null order by status,id offset 0
    ) r
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $14 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by id limit $15 offset $16) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,["ACTIVE","ON_HOLD"],7,7,50,0]

-- (unnamed)
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
    with found as materialized (
      select r.id from (
      select * from projects r where r.company_id + 0 = $12 and r.removal_id is null
        and search_keys(r.company_id, r.search) @> (select word_keys($13, $14)) offset 0
    ) r where r.search like (select containing($15)) and r.status = any ($16::text[])
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $17 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by id limit $18 offset $19) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,"wall","wall",["ACTIVE","ON_HOLD"],7,50,0]

-- (unnamed)
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
    select
      (select count(*) from (select from projects r where r.company_id = $12 and r.status between $13 and $14 and r.deleted_at is null and r.start_date >= $15::date and r.start_date <= $16::date order by r.status,r.id offset 0) counted) as total,
      (select coalesce(string_agg((select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record), ','), '') from (select r.* from projects r where r.company_id = $17 and r.status between $18 and $19 and r.deleted_at is null and r.start_date >= $20::date and r.start_date <= $21::date  order by r.status,r.id limit $22 offset $23) r) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,"ACTIVE","ACTIVE","2026-01-01","2026-03-31",7,"ACTIVE","ACTIVE","2026-01-01","2026-03-31",50,0]

-- projects.list:end_date-from
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
    select
      (select count(*) from (select from projects r where r.company_id = $12 and r.deleted_at is null and r.end_date >= $13::date order by r.id offset 0) counted) as total,
      (select coalesce(string_agg((select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record), ','), '') from (select r.* from projects r where r.company_id = $14 and r.deleted_at is null and r.end_date >= $15::date  order by r.id limit $16 offset $17) r) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,"2026-01-01",7,"2026-01-01",50,0]

-- projects.list:in-client_id,after
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
    with found as not materialized (
      select r.id from (select distinct value from unnest($12::bigint[]) value) wanted
    cross join lateral (
      select * from projects where company_id = $13 and client_id between wanted.value and wanted.value
        and deleted_at is null order by client_id,id offset 0
    ) r
    )
    select (select count(*) from found) as total, walk.* from 
    (
      select coalesce(string_agg((select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $14 and id = r.id  offset 0) r), ',') filter (where r.place <= $15::bigint), '') as json,
        max(r.id) filter (where r.place <= $16::bigint) as last_id, count(*) > $17::bigint as has_more
      from (select r.*, row_number() over () as place from (select id from found where id > $18 order by id limit $19::bigint + 1) r) r
    ) walk) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,[3,4],7,7,50,50,50,4711,50]
