-- nothing.begin
with caller as materialized (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text, ',') <@ t.scopes and string_to_array($3::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when not '{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[]) code where code <> all (a.permissions)
    ) end as lacks_rights,
    case when not '{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[] <@ t.scopes or not '{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[]) code where code <> all (t.scopes) or code <> all (a.permissions)
    ) end as lacks_views,
    c.time_zone,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.tag_key, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7 and hash between $8 and $9 order by hash offset 0 for share) t
  cross join lateral (select * from accounts where company_id = $10 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11 offset 0) c) select caller.*, case when exists (select from caller where live and address_allowed and lacks_scope is null and feature_off is null) then null end as seen from caller
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7]

-- projects.create:a.begin-keyed
with caller as materialized (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text, ',') <@ t.scopes and string_to_array($3::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when not '{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[]) code where code <> all (a.permissions)
    ) end as lacks_rights,
    case when not '{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[] <@ t.scopes or not '{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[]) code where code <> all (t.scopes) or code <> all (a.permissions)
    ) end as lacks_views,
    c.time_zone,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.tag_key, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7 and hash between $8 and $9 order by hash offset 0 for share) t
  cross join lateral (select * from accounts where company_id = $10 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11 offset 0) c), asked as materialized (
      select given.place::int - 1 as place, given.key
      from unnest($12::text[], $13::bigint[]) with ordinality given (key, lock, place)
      where case when exists (select from caller where live and address_allowed and lacks_scope is null and feature_off is null) then pg_try_advisory_xact_lock(given.lock::bigint) end
    ), earlier as materialized (
      select asked.place, answer.* from asked cross join lateral (select fingerprint, status, body, location, etag, request_id, write_id,
      completed_at <= clock_timestamp() - make_interval(hours => 24) as is_over
    from answers where company_id = $14 and key = asked.key offset 0) answer
    ), going as materialized (
      select place from asked where not exists (select from earlier where earlier.place = asked.place and not is_over)
    ) select earlier.*, caller.*, case when exists (select from going) then (select row_to_json(seen) from (select json_agg(looked) as rows from (select given.place, nextval('projects_id_seq') as id__new, (select currency from companies where id = $15) as company__currency,(select plan from companies where id = $16 for share) as plan, (select used from plan_usage where company_id = $17 and records = 'projects') as used,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $18 and id = given.client_id__sent for share offset 0) held where deleted_at is null
      ) it) as client_id,(equal_key(given.code__sent) collate "C") as code__key,(
        select other.id from (select * from projects
      where company_id = $19 and (equal_key(code) collate "C") between (equal_key(given.code__sent) collate "C") and (equal_key(given.code__sent) collate "C") and deleted_at is null order by (equal_key(code) collate "C") offset 0) other
        where other.id is distinct from given.id limit 1
      ) as code__holder from json_to_recordset($20::json) as given (place int, id bigint, client_id__sent bigint, code__sent text) where given.place = any (array(select place from going))) looked) seen) end as seen
    from caller left join earlier on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,["key"],["42"],7,7,7,7,7,7,"[{\"place\":0,\"id\":null,\"client_id__sent\":3,\"code__sent\":\"A\"}]"]

-- projects.update:2.begin-keyed
with caller as materialized (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text, ',') <@ t.scopes and string_to_array($3::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when not '{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[]) code where code <> all (a.permissions)
    ) end as lacks_rights,
    case when not '{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[] <@ t.scopes or not '{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[]) code where code <> all (t.scopes) or code <> all (a.permissions)
    ) end as lacks_views,
    c.time_zone,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.tag_key, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7 and hash between $8 and $9 order by hash offset 0 for share) t
  cross join lateral (select * from accounts where company_id = $10 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11 offset 0) c), asked as materialized (
      select given.place::int - 1 as place, given.key
      from unnest($12::text[], $13::bigint[]) with ordinality given (key, lock, place)
      where case when exists (select from caller where live and address_allowed and lacks_scope is null and feature_off is null) then pg_try_advisory_xact_lock(given.lock::bigint) end
    ), earlier as materialized (
      select asked.place, answer.* from asked cross join lateral (select fingerprint, status, body, location, etag, request_id, write_id,
      completed_at <= clock_timestamp() - make_interval(hours => 24) as is_over
    from answers where company_id = $14 and key = asked.key offset 0) answer
    ), going as materialized (
      select place from asked where not exists (select from earlier where earlier.place = asked.place and not is_over)
    ) select earlier.*, caller.*, case when exists (select from going) then (select row_to_json(seen) from (with referred as materialized (
        select given.*,one.client_id as client_id__was,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $15 and id = coalesce(given.client_id__sent, one.client_id) for share offset 0) held where deleted_at is null
      ) it) as client_id from json_to_recordset($16::json) as given (place int, id bigint, client_id__sent bigint) left join lateral (select * from projects where company_id = $17 and id = given.id  offset 0) one on true where given.place = any (array(select place from going))
      ) select json_agg(looked) as rows from (select referred.place, r.id,r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $18) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,referred.client_id,referred.client_id__was
      from referred cross join lateral (select * from (select * from projects where company_id = $19 and id = referred.id for no key update offset 0) held where deleted_at is null) r
      ) looked) seen) end as seen
    from caller left join earlier on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,["key"],["42"],7,7,"[{\"place\":0,\"id\":4711,\"client_id__sent\":3}]",7,7,7]

-- projects.create:2.begin-keyed-skipping
with caller as materialized (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text, ',') <@ t.scopes and string_to_array($3::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when not '{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[]) code where code <> all (a.permissions)
    ) end as lacks_rights,
    case when not '{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[] <@ t.scopes or not '{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[]) code where code <> all (t.scopes) or code <> all (a.permissions)
    ) end as lacks_views,
    c.time_zone,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.tag_key, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7 and hash between $8 and $9 order by hash offset 0 for share skip locked) t
  cross join lateral (select * from accounts where company_id = $10 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11 offset 0) c), asked as materialized (
      select given.place::int - 1 as place, given.key
      from unnest($12::text[], $13::bigint[]) with ordinality given (key, lock, place)
      where case when exists (select from caller where live and address_allowed and lacks_scope is null and feature_off is null) then pg_try_advisory_xact_lock(given.lock::bigint) end
    ), earlier as materialized (
      select asked.place, answer.* from asked cross join lateral (select fingerprint, status, body, location, etag, request_id, write_id,
      completed_at <= clock_timestamp() - make_interval(hours => 24) as is_over
    from answers where company_id = $14 and key = asked.key offset 0) answer
    ), going as materialized (
      select place from asked where not exists (select from earlier where earlier.place = asked.place and not is_over)
    ) select earlier.*, caller.*, case when exists (select from going) then (select row_to_json(seen) from (select json_agg(looked) as rows from (select given.place, nextval('projects_id_seq') as id__new, (select currency from companies where id = $15) as company__currency,(select plan from companies where id = $16 for share skip locked) as plan, (select used from plan_usage where company_id = $17 and records = 'projects') as used,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $18 and id = given.client_id__sent for share skip locked offset 0) held where deleted_at is null
      ) it) as client_id from json_to_recordset($19::json) as given (place int, id bigint, client_id__sent bigint) where given.place = any (array(select place from going))) looked) seen) end as seen
    from caller left join earlier on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,["key"],["42"],7,7,7,7,7,"[{\"place\":0,\"id\":null,\"client_id__sent\":3}]"]

-- projects.update:2.begin-skipping
with caller as materialized (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text, ',') <@ t.scopes and string_to_array($3::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when not '{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[]) code where code <> all (a.permissions)
    ) end as lacks_rights,
    case when not '{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[] <@ t.scopes or not '{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PROJECTS_VIEW,WORKERS_VIEW,CLIENTS_VIEW,ESTIMATES_VIEW,SUBCONTRACTORS_VIEW,EQUIPMENT_VIEW}'::text[]) code where code <> all (t.scopes) or code <> all (a.permissions)
    ) end as lacks_views,
    c.time_zone,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.tag_key, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7 and hash between $8 and $9 order by hash offset 0 for share skip locked) t
  cross join lateral (select * from accounts where company_id = $10 and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11 offset 0) c) select caller.*, case when exists (select from caller where live and address_allowed and lacks_scope is null and feature_off is null) then (select row_to_json(seen) from (with referred as materialized (
        select given.*,one.client_id as client_id__was,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $12 and id = coalesce(given.client_id__sent, one.client_id) for share skip locked offset 0) held where deleted_at is null
      ) it) as client_id from json_to_recordset($13::json) as given (place int, id bigint, client_id__sent bigint) left join lateral (select * from projects where company_id = $14 and id = given.id  offset 0) one on true
      ) select json_agg(looked) as rows from (select referred.place, r.id,r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $15) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,referred.client_id,referred.client_id__was
      from referred cross join lateral (select * from (select * from projects where company_id = $16 and id = referred.id for no key update skip locked offset 0) held where deleted_at is null) r
      ) looked) seen) end as seen from caller
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,"[{\"place\":0,\"id\":4711,\"client_id__sent\":3}]",7,7,7]

-- session.nothing.begin
with caller as materialized (
  select s.account_id, a.name as account_name, a.email, a.permissions,
    c.name as company_name, c.currency, c.tag_key, c.plan, c.add_ons,
    c.time_zone, c.address ->> 'country' as country, c.payment_terms_days, c.valid_days, c.tax_pct::float8,
    s.last_seen_at < now() - make_interval(secs => 60) as stale,
    coalesce(s.plain_name_until > now(), false) as plain_name
  from (
    select ctid, * from sessions where company_id = $1 and id_hash between $2 and $3
    order by id_hash offset 0 for share
  ) s
  cross join lateral (select * from accounts where company_id = $4 and id = s.account_id for share offset 0) a
  cross join (select * from companies where id = $5 offset 0) c
  where s.expires_at > now()
    and s.last_seen_at > now() - make_interval(hours => 12) and a.disabled_at is null) select caller.*, case when exists (select from caller where true) then null end as seen from caller
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7]

-- session.projects.create:2.begin-keyed
with caller as materialized (
  select s.account_id, a.name as account_name, a.email, a.permissions,
    c.name as company_name, c.currency, c.tag_key, c.plan, c.add_ons,
    c.time_zone, c.address ->> 'country' as country, c.payment_terms_days, c.valid_days, c.tax_pct::float8,
    s.last_seen_at < now() - make_interval(secs => 60) as stale,
    coalesce(s.plain_name_until > now(), false) as plain_name
  from (
    select ctid, * from sessions where company_id = $1 and id_hash between $2 and $3
    order by id_hash offset 0 for share
  ) s
  cross join lateral (select * from accounts where company_id = $4 and id = s.account_id for share offset 0) a
  cross join (select * from companies where id = $5 offset 0) c
  where s.expires_at > now()
    and s.last_seen_at > now() - make_interval(hours => 12) and a.disabled_at is null), asked as materialized (
      select given.place::int - 1 as place, given.key
      from unnest($6::text[], $7::bigint[]) with ordinality given (key, lock, place)
      where case when exists (select from caller where true) then pg_try_advisory_xact_lock(given.lock::bigint) end
    ), earlier as materialized (
      select asked.place, answer.* from asked cross join lateral (select fingerprint, status, body, location, etag, request_id, write_id,
      completed_at <= clock_timestamp() - make_interval(hours => 24) as is_over
    from answers where company_id = $8 and key = asked.key offset 0) answer
    ), going as materialized (
      select place from asked where not exists (select from earlier where earlier.place = asked.place and not is_over)
    ) select earlier.*, caller.*, case when exists (select from going) then (select row_to_json(seen) from (select json_agg(looked) as rows from (select given.place, nextval('projects_id_seq') as id__new, (select currency from companies where id = $9) as company__currency,(select plan from companies where id = $10 for share) as plan, (select used from plan_usage where company_id = $11 and records = 'projects') as used,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $12 and id = given.client_id__sent for share offset 0) held where deleted_at is null
      ) it) as client_id from json_to_recordset($13::json) as given (place int, id bigint, client_id__sent bigint) where given.place = any (array(select place from going))) looked) seen) end as seen
    from caller left join earlier on true
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,["key"],["42"],7,7,7,7,7,"[{\"place\":0,\"id\":null,\"client_id__sent\":3}]"]
