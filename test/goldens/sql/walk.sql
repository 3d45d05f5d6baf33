-- projects.walk
select asked.place, answer.*
  from unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[]) with ordinality as asked ("companyId", "tokenHash", "scopes", "addOns", "peer", "limit", "offset", "afterId", place)
  join lateral (with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce(asked."peer"::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array(asked."scopes"::text, ',') <@ t.scopes and string_to_array(asked."scopes"::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array(asked."scopes"::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when not '{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[]) code where code <> all (a.permissions)
    ) end as lacks_rights,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array(asked."addOns"::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array(asked."addOns"::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.tag_key, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = asked."companyId" and hash between asked."tokenHash" and asked."tokenHash" order by hash offset 0 ) t
  cross join lateral (select * from accounts where company_id = asked."companyId" and id = t.account_id  offset 0) a
  cross join (select * from companies where id = asked."companyId" offset 0) c)
  select caller.*, wanted.* from caller left join lateral (
    select (
  coalesce((select total from tallies where company_id = asked."companyId" and records = 'projects'), 0)
  + coalesce((select sum(change) from tally_changes where company_id = asked."companyId" and records = 'projects'), 0)
)::bigint as total, walk.* from 
    (
      select coalesce(string_agg((select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record), ',') filter (where r.place <= asked."limit"::bigint), '') as json,
        max(r.id) filter (where r.place <= asked."limit"::bigint) as last_id, count(*) > asked."limit"::bigint as has_more
      from (select r.*, row_number() over () as place from (select r.* from projects r where r.company_id = asked."companyId" and r.deleted_at is null  and r.id > asked."afterId" order by r.id limit asked."limit"::bigint + 1) r) r
    ) walk) wanted on true) answer on true
-- [7,{"type":"Buffer","data":[0,255]},"PROJECTS_VIEW","api","127.0.0.1",50,0,4711]

-- projects.list:client_id,after
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
    select (select count(*) from (select from projects r where r.company_id = $12 and r.client_id between $13 and $14 and r.deleted_at is null order by r.client_id,r.id offset 0) counted) as total, walk.* from 
    (
      select coalesce(string_agg((select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record), ',') filter (where r.place <= $15::bigint), '') as json,
        max(r.id) filter (where r.place <= $16::bigint) as last_id, count(*) > $17::bigint as has_more
      from (select r.*, row_number() over () as place from (select r.* from projects r where r.company_id = $18 and r.client_id between $19 and $20 and r.deleted_at is null  and r.id > $21 order by r.client_id,r.id limit $22::bigint + 1) r) r
    ) walk) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,3,3,50,50,50,7,3,3,4711,50]

-- projects.list:q1,after
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
    ) r where r.search like (select containing($15))
    )
    select (select count(*) from found) as total, walk.* from 
    (
      select coalesce(string_agg((select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $16 and id = r.id  offset 0) r), ',') filter (where r.place <= $17::bigint), '') as json,
        max(r.id) filter (where r.place <= $18::bigint) as last_id, count(*) > $19::bigint as has_more
      from (select r.*, row_number() over () as place from (select id from found where id > $20 order by id limit $21::bigint + 1) r) r
    ) walk) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,"wall","wall",7,50,50,50,4711,50]
