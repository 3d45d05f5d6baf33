-- projects.page
select asked.place, answer.*
  from unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) with ordinality as asked ("companyId", "tokenHash", "scope", "addOn", "peer", "limit", "offset", place)
  join lateral (with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce(asked."peer"::inet <<= any (t.allowlist), false) as address_allowed,
    asked."scope"::text = any (t.scopes) and asked."scope"::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when asked."addOn"::text <> all (c.add_ons) then asked."addOn"::text end as feature_off,
    c.currency
  from tokens t
  join accounts a on a.company_id = t.company_id and a.id = t.account_id
  join companies c on c.id = t.company_id
  where t.company_id = asked."companyId" and t.hash = asked."tokenHash")
  select caller.*, wanted.* from caller left join lateral (
    select
      (
  coalesce((select total from tallies where company_id = asked."companyId" and records = 'projects'), 0)
  + coalesce((select sum(change) from tally_changes where company_id = asked."companyId" and records = 'projects'), 0)
)::bigint as total,
      (select coalesce(string_agg((select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record), ','), '') from (
        select r.* from projects r where r.company_id = asked."companyId" and r.deleted_at is null order by r.id limit asked."limit" offset asked."offset"
      ) r) as json) wanted on true) answer on true
-- [7,{"type":"Buffer","data":[0,255]},"PROJECTS_VIEW","api","127.0.0.1",50,0]

-- projects.list:q0,far
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    $2::text = any (t.scopes) and $3::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when $4::text <> all (c.add_ons) then $5::text end as feature_off,
    c.currency
  from tokens t
  join accounts a on a.company_id = t.company_id and a.id = t.account_id
  join companies c on c.id = t.company_id
  where t.company_id = $6 and t.hash = $7)
  select caller.*, wanted.* from caller left join lateral (
    with found as not materialized (
      select r.id from projects r where r.company_id = $8 and r.deleted_at is null
    )
    select
      (
  coalesce((select total from tallies where company_id = $9 and records = 'projects'), 0)
  + coalesce((select sum(change) from tally_changes where company_id = $10 and records = 'projects'), 0)
)::bigint as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from projects r where r.company_id = $11 and r.id = page.id
      ), ','), '') from (
        select id from found order by id limit $12 offset $13
      ) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},7,7,7,7,50,90000]

-- projects.list:status,q0
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    $2::text = any (t.scopes) and $3::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when $4::text <> all (c.add_ons) then $5::text end as feature_off,
    c.currency
  from tokens t
  join accounts a on a.company_id = t.company_id and a.id = t.account_id
  join companies c on c.id = t.company_id
  where t.company_id = $6 and t.hash = $7)
  select caller.*, wanted.* from caller left join lateral (
    select
      (select count(*) from projects r where r.company_id = $8 and r.deleted_at is null and r.status = $9) as total,
      (select coalesce(string_agg((select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record), ','), '') from (
        select r.* from projects r where r.company_id = $10 and r.deleted_at is null and r.status = $11 order by r.id limit $12 offset $13
      ) r) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},7,"ACTIVE",7,"ACTIVE",50,0]

-- projects.list:q1,far
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    $2::text = any (t.scopes) and $3::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when $4::text <> all (c.add_ons) then $5::text end as feature_off,
    c.currency
  from tokens t
  join accounts a on a.company_id = t.company_id and a.id = t.account_id
  join companies c on c.id = t.company_id
  where t.company_id = $6 and t.hash = $7)
  select caller.*, wanted.* from caller left join lateral (
    with found as materialized (
      select r.id from projects r where r.company_id + 0 = $8 and r.deleted_at is null and search_keys(r.company_id, r.search) @> (select word_keys($9, $10)) and r.search like (select containing($11))
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from projects r where r.company_id = $12 and r.id = page.id
      ), ','), '') from (
        select id from found order by id limit $13 offset $14
      ) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},7,7,"wall","wall",7,50,0]

-- projects.list:client_id,status,q2,far
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    $2::text = any (t.scopes) and $3::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when $4::text <> all (c.add_ons) then $5::text end as feature_off,
    c.currency
  from tokens t
  join accounts a on a.company_id = t.company_id and a.id = t.account_id
  join companies c on c.id = t.company_id
  where t.company_id = $6 and t.hash = $7)
  select caller.*, wanted.* from caller left join lateral (
    with found as materialized (
      select r.id from projects r where r.company_id = $8 and r.deleted_at is null and r.status = $9 and r.client_id = $10 and search_keys(r.company_id, r.search) @> (select word_keys($11, $12)) and r.search like (select containing($13)) and search_keys(r.company_id, r.search) @> (select word_keys($14, $15)) and r.search like (select containing($16))
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from projects r where r.company_id = $17 and r.id = page.id
      ), ','), '') from (
        select id from found order by id limit $18 offset $19
      ) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},7,"ACTIVE",3,7,"wall","wall",7,"50%","50%",7,50,0]

-- (unnamed)
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    $2::text = any (t.scopes) and $3::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when $4::text <> all (c.add_ons) then $5::text end as feature_off,
    c.currency
  from tokens t
  join accounts a on a.company_id = t.company_id and a.id = t.account_id
  join companies c on c.id = t.company_id
  where t.company_id = $6 and t.hash = $7)
  select caller.*, wanted.* from caller left join lateral (
    with found as not materialized (
      select r.id, folded(r.name) as sort_0 from projects r where r.company_id = $8 and r.deleted_at is null and r.updated_at >= $9::timestamptz
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from projects r where r.company_id = $10 and r.id = page.id
      ), ','), '') from (
        select id from found order by sort_0 desc nulls last, id limit $11 offset $12
      ) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},7,"2026-01-01T00:00:00Z",7,50,0]
