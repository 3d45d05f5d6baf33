-- nothing.begin
with caller as materialized (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text, ',') <@ t.scopes and string_to_array($3::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7 and hash between $8 and $9 order by hash offset 0 for share) t
  cross join lateral (select * from accounts where company_id = $10 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11 offset 0) c
    ), passed as materialized (select from caller where live and address_allowed and lacks_scope is null and feature_off is null)
    select caller.*,
      case when exists (select from passed) then null end as seen
    from caller
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7]

-- projects.create.begin-keyed
with caller as materialized (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text, ',') <@ t.scopes and string_to_array($3::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7 and hash between $8 and $9 order by hash offset 0 for share) t
  cross join lateral (select * from accounts where company_id = $10 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11 offset 0) c
    ), passed as materialized (select from caller where case when live and address_allowed and lacks_scope is null and feature_off is null then pg_try_advisory_xact_lock($12::bigint) end), earlier as materialized (select fingerprint, status, body, location, etag, request_id, write_id from answers
    where company_id = $13 and key = $14
      and completed_at > clock_timestamp() - make_interval(hours => $15) and exists (select from passed))
    select earlier.*, caller.*,
      case when exists (select from passed) and not exists (select from earlier) then (select row_to_json(seen) from (select (select plan from companies where id = $16 for share) as plan,(select row_to_json(it) from (
        select id from (select * from categories where company_id = $17 and id = $18::bigint for key share offset 0) held where deleted_at is null and kind = $19
      ) it) as category_id,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $20 and id = $21::bigint for share offset 0) held where deleted_at is null
      ) it) as client_id,(select row_to_json(it) from (
        select id from (select * from workers where company_id = $22 and id = $23::bigint for key share offset 0) held where deleted_at is null
      ) it) as manager_id,exists (
        select from projects other
        where other.company_id = $24 and lower(other.code) between lower($25::text) and lower($26::text) and other.deleted_at is null
          and other.id <> $27 order by lower(other.code) offset 0
      )
      as code__taken,exists (
        select from projects other
        where other.company_id = $28 and lower(other.external_ref) between lower($29::text) and lower($30::text) and other.deleted_at is null
          and other.id <> $31 order by lower(other.external_ref) offset 0
      )
      as external_ref__taken) seen) end as seen
    from caller left join earlier on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,"42",7,"key",24,7,7,null,"project",7,3,7,null,7,"A","A",0,7,null,null,0]

-- projects.update.begin-keyed
with caller as materialized (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text, ',') <@ t.scopes and string_to_array($3::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7 and hash between $8 and $9 order by hash offset 0 for share) t
  cross join lateral (select * from accounts where company_id = $10 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11 offset 0) c
    ), passed as materialized (select from caller where case when live and address_allowed and lacks_scope is null and feature_off is null then pg_try_advisory_xact_lock($12::bigint) end), earlier as materialized (select fingerprint, status, body, location, etag, request_id, write_id from answers
    where company_id = $13 and key = $14
      and completed_at > clock_timestamp() - make_interval(hours => $15) and exists (select from passed))
    select earlier.*, caller.*,
      case when exists (select from passed) and not exists (select from earlier) then (select row_to_json(seen) from (with referred as materialized (select self.id as self,one.client_id as client_id__was,(select row_to_json(it) from (
        select id from (select * from categories where company_id = $16 and id = $17::bigint for key share offset 0) held where deleted_at is null and kind = $18
      ) it) as category_id,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $19 and id = coalesce($20::bigint, one.client_id) for share offset 0) held where deleted_at is null
      ) it) as client_id,(select row_to_json(it) from (
        select id from (select * from workers where company_id = $21 and id = $22::bigint for key share offset 0) held where deleted_at is null
      ) it) as manager_id from (select $23::bigint as id) self left join lateral (select * from projects where company_id = $24 and id = self.id  offset 0) one on true)
      select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $25) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,referred.category_id,referred.client_id,referred.manager_id,referred.client_id__was,exists (
        select from projects other
        where other.company_id = $26 and lower(other.code) between lower($27::text) and lower($28::text) and other.deleted_at is null
          and other.id <> $29 order by lower(other.code) offset 0
      )
      as code__taken,exists (
        select from projects other
        where other.company_id = $30 and lower(other.external_ref) between lower($31::text) and lower($32::text) and other.deleted_at is null
          and other.id <> $33 order by lower(other.external_ref) offset 0
      )
      as external_ref__taken
      from referred cross join lateral (select * from (select * from projects where company_id = $34 and id = referred.self for no key update offset 0) held where deleted_at is null) r
      ) seen) end as seen
    from caller left join earlier on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,"42",7,"key",24,7,null,"project",7,3,7,null,4711,7,7,7,null,null,4711,7,null,null,4711,7]
