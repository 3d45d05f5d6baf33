-- caller
select asked.place, answer.*
  from unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::text[]) with ordinality as asked ("companyId", "tokenHash", "scopes", "addOns", "peer", place)
  join lateral (
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
  cross join (select * from companies where id = asked."companyId" offset 0) c) answer on true
-- [7,{"type":"Buffer","data":[0,255]},"PROJECTS_VIEW","api","127.0.0.1"]

-- rights
select c.add_ons, array(
        select held from unnest(a.permissions) held
        where $1::bigint is null or held = any (t.scopes)
      ) as permissions
    from (select * from accounts where company_id = $2 and id = $3::bigint  offset 0) a cross join (select * from companies where id = $4 offset 0) c
    left join lateral (
      select scopes from tokens where company_id = $5 and id between $6::bigint and $7::bigint order by id offset 0
    ) t on true
-- [9,7,8,7,7,9,9]
