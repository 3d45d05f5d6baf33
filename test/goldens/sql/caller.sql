-- caller
select asked.place, answer.*
  from unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::text[]) with ordinality as asked ("companyId", "tokenHash", "scope", "addOn", "peer", place)
  join lateral (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce(asked."peer"::inet <<= any (t.allowlist), false) as address_allowed,
    asked."scope"::text = any (t.scopes) and asked."scope"::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when asked."addOn"::text <> all (c.add_ons) then asked."addOn"::text end as feature_off,
    c.currency, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = asked."companyId" and hash between asked."tokenHash" and asked."tokenHash" order by hash offset 0 ) t
  cross join lateral (select * from accounts where company_id = asked."companyId" and id = t.account_id  offset 0) a
  cross join (select * from companies where id = asked."companyId" offset 0) c) answer on true
-- [7,{"type":"Buffer","data":[0,255]},"PROJECTS_VIEW","api","127.0.0.1"]
