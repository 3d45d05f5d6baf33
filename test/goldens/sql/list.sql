-- projects.page
select asked.place, answer.*
  from unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) with ordinality as asked ("companyId", "tokenHash", "scopes", "addOns", "peer", "limit", "offset", place)
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
    select
      (
  coalesce((select total from tallies where company_id = asked."companyId" and records = 'projects'), 0)
  + coalesce((select sum(change) from tally_changes where company_id = asked."companyId" and records = 'projects'), 0)
)::bigint as total,
      (select coalesce(string_agg((select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record), ','), '') from (select r.* from projects r where r.company_id = asked."companyId" and r.deleted_at is null  order by r.id limit asked."limit" offset asked."offset") r) as json) wanted on true) answer on true
-- [7,{"type":"Buffer","data":[0,255]},"PROJECTS_VIEW","api","127.0.0.1",50,0]

-- projects.list:far
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
      (
  coalesce((select total from tallies where company_id = $12 and records = 'projects'), 0)
  + coalesce((select sum(change) from tally_changes where company_id = $13 and records = 'projects'), 0)
)::bigint as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $14 and id = page.id  offset 0) r
      ), ','), '') from (select r.id from projects r where r.company_id = $15 and r.deleted_at is null  order by r.id limit $16 offset $17) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,7,7,50,90000]

-- projects.list:status
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
      (select count(*) from (select from projects r where r.company_id = $12 and r.status between $13 and $14 and r.deleted_at is null order by r.status,r.id offset 0) counted) as total,
      (select coalesce(string_agg((select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record), ','), '') from (select r.* from projects r where r.company_id = $15 and r.status between $16 and $17 and r.deleted_at is null  order by r.status,r.id limit $18 offset $19) r) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,"ACTIVE","ACTIVE",7,"ACTIVE","ACTIVE",50,0]

-- projects.list:q1
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
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $16 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by id limit $17 offset $18) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,"wall","wall",7,50,0]

-- clients.list:phone3
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
      select * from clients r where r.company_id + 0 = $12 and r.removal_id is null
        and (search_keys(r.company_id, r.search) @> (select word_keys($13, $14)) and search_keys(r.company_id, r.search) @> (select word_keys($15, $16)) and search_keys(r.company_id, r.search) @> (select word_keys($17, $18)) or phone_keys(r.company_id, r.phone) @> (select phone_key($19, $20))) offset 0
    ) r where (r.search like (select containing($21)) and r.search like (select containing($22)) and r.search like (select containing($23)) and (caller.lacks_rights is null or folded(coalesce(r.name, '') || ' ' || coalesce(r.contact_name, '') || ' ' || coalesce(r.email, '') || ' ' || coalesce(r.phone, '') || ' ' || case when $24 = any (caller.lacks_rights) then '' else coalesce(r.tax_id, '') end) like containing($25::text) and folded(coalesce(r.name, '') || ' ' || coalesce(r.contact_name, '') || ' ' || coalesce(r.email, '') || ' ' || coalesce(r.phone, '') || ' ' || case when $26 = any (caller.lacks_rights) then '' else coalesce(r.tax_id, '') end) like containing($27::text) and folded(coalesce(r.name, '') || ' ' || coalesce(r.contact_name, '') || ' ' || coalesce(r.email, '') || ' ' || coalesce(r.phone, '') || ' ' || case when $28 = any (caller.lacks_rights) then '' else coalesce(r.tax_id, '') end) like containing($29::text)) or has_digits(r.phone, $30))
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.kind as kind,r.status as status,r.category_id as category_id,r.contact_name as contact_name,r.email as email,r.phone as phone,r.tax_id as tax_id,r.website as website,r.billing_address as billing_address,r.payment_terms_days as payment_terms_days,r.credit_limit_minor as credit_limit_minor,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from clients where company_id = $31 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by id limit $32 offset $33) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,"+49",7,"221",7,"555010",7,"+49 221 555010","+49","221","555010","TAX_VIEW","+49","TAX_VIEW","221","TAX_VIEW","555010","+49 221 555010",7,50,0]

-- projects.list:status,q1
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
    ) r where r.status = $15 and r.search like (select containing($16))
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $17 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by id limit $18 offset $19) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,"wall","ACTIVE","wall",7,50,0]

-- projects.list:since
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
      with logged as materialized (
        select record_id from history
        where company_id = $12 and records = $13 and at >= $14::timestamptz
        order by at limit 10001
      ), size as materialized (
        select count(*) <= 10000 as is_small from logged
      )
      select r.* from (select distinct record_id from logged) changed
      cross join lateral (select * from projects where company_id = $15 and id = changed.record_id  offset 0) r
      where (select is_small from size) and r.deleted_at is null and r.updated_at >= $16::timestamptz
      union all
      select r.* from (
      select * from projects r where r.company_id = $17 and r.deleted_at is null and r.updated_at >= $18::timestamptz
      order by r.id offset 0
    ) r where not (select is_small from size)
    ) r
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $19 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by id limit $20 offset $21) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,"projects","2026-01-01T00:00:00Z",7,"2026-01-01T00:00:00Z",7,"2026-01-01T00:00:00Z",7,50,0]

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
    with found as not materialized (
      select r.id, folded(r.name) as sort_0 from projects r where r.company_id = $12 and r.deleted_at is null order by r.id offset 0
    )
    select
      (
  coalesce((select total from tallies where company_id = $13 and records = 'projects'), 0)
  + coalesce((select sum(change) from tally_changes where company_id = $14 and records = 'projects'), 0)
)::bigint as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $15 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by sort_0 nulls last, id limit $16 offset $17) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,7,7,50,0]

-- projects.list:client_id,status,q2
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
      (select count(*) from (select from projects r where r.company_id = $12 and r.client_id between $13 and $14 and r.deleted_at is null and r.status = $15 and r.search like (select containing($16)) and r.search like (select containing($17)) order by r.client_id,r.id offset 0) counted) as total,
      (select coalesce(string_agg((select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record), ','), '') from (select r.* from projects r where r.company_id = $18 and r.client_id between $19 and $20 and r.deleted_at is null and r.status = $21 and r.search like (select containing($22)) and r.search like (select containing($23))  order by r.client_id,r.id limit $24 offset $25) r) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,3,3,"ACTIVE","wall","50%",7,3,3,"ACTIVE","wall","50%",50,0]

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
      select r.id, folded(r.name) as sort_0 from (
      with logged as materialized (
        select record_id from history
        where company_id = $12 and records = $13 and at >= $14::timestamptz
        order by at limit 10001
      ), size as materialized (
        select count(*) <= 10000 as is_small from logged
      )
      select r.* from (select distinct record_id from logged) changed
      cross join lateral (select * from projects where company_id = $15 and id = changed.record_id  offset 0) r
      where (select is_small from size) and r.deleted_at is null and r.updated_at >= $16::timestamptz
      union all
      select r.* from (
      select * from projects r where r.company_id = $17 and r.deleted_at is null and r.updated_at >= $18::timestamptz
      order by r.id offset 0
    ) r where not (select is_small from size)
    ) r
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $19 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by sort_0 desc nulls last, id limit $20 offset $21) page) as json) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,"projects","2026-01-01T00:00:00Z",7,"2026-01-01T00:00:00Z",7,"2026-01-01T00:00:00Z",7,50,0]
