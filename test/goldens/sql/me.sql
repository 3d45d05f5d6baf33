-- me
with caller as (
  select t.id as token_id, t.account_id,
    t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::text::inet <<= any (t.allowlist), false) as address_allowed,
    case when not (string_to_array($2::text::text, ',') <@ t.scopes and string_to_array($3::text::text, ',') <@ a.permissions) then (
      select scope from unnest(string_to_array($4::text::text, ',')) scope where scope <> all (t.scopes) or scope <> all (a.permissions) limit 1
    ) end as lacks_scope,
    case when not '{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[] <@ a.permissions then array(
      select code from unnest('{PAY_VIEW,MONEY_VIEW,TAX_VIEW}'::text[]) code where code <> all (a.permissions)
    ) end as lacks_rights,
    case when 'api' <> all (c.add_ons) then 'api' when not string_to_array($5::text::text, ',') <@ c.add_ons then (
      select add_on from unnest(string_to_array($6::text::text, ',')) add_on where add_on <> all (c.add_ons) limit 1
    ) end as feature_off,
    c.currency, c.tag_key, c.keeps_call_details as keeps_details
  from (select * from tokens where company_id = $7::bigint and hash between $8::bytea and $9::bytea order by hash offset 0 ) t
  cross join lateral (select * from accounts where company_id = $10::bigint and id = t.account_id  offset 0) a
  cross join (select * from companies where id = $11::bigint offset 0) c)
  select caller.*, wanted.* from caller left join lateral (
    select c.name as company_name, c.plan, t.label, to_char(t.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at, c.add_ons,
      array(select scope from unnest(t.scopes) with ordinality as on_token (scope, place)
        where scope = any (a.permissions) order by place) as scopes,
      json_build_array((
  coalesce((select total from tallies where company_id = $12::bigint and records = 'projects'), 0)
  + coalesce((select sum(change) from tally_changes where company_id = $13::bigint and records = 'projects'), 0)
)::bigint,(
  coalesce((select total from tallies where company_id = $14::bigint and records = 'workers'), 0)
  + coalesce((select sum(change) from tally_changes where company_id = $15::bigint and records = 'workers'), 0)
)::bigint) as used
    from (select * from tokens where company_id = $16::bigint and hash between $17::bytea and $18::bytea order by hash offset 0) t
    cross join (select * from accounts where company_id = $19::bigint and id = caller.account_id  offset 0) a
    cross join (select * from companies where id = $20::bigint offset 0) c) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,7,7,7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7]
