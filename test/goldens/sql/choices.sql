-- trades.choices:after
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
    select (
  coalesce((select total from tallies where company_id = $12 and records = 'trades'), 0)
  + coalesce((select sum(change) from tally_changes where company_id = $13 and records = 'trades'), 0)
)::bigint as total, walk.* from 
    (
      select coalesce(string_agg((select row_to_json(choice)::text from (select r.id, r.name as title) choice), ',') filter (where r.place <= $14::bigint), '') as json,
        max(r.id) filter (where r.place <= $15::bigint) as last_id, count(*) > $16::bigint as has_more
      from (select r.*, row_number() over () as place from (select r.* from trades r where r.company_id = $17 and r.deleted_at is null  and r.id > $18 order by r.id limit $19::bigint + 1) r) r
    ) walk) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,50,50,50,7,0,50]

-- categories.choices:kind,after
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
    select (select count(*) from (select from categories r where r.company_id = $12 and r.kind between $13 and $14 and r.deleted_at is null order by r.kind,r.id offset 0) counted) as total, walk.* from 
    (
      select coalesce(string_agg((select row_to_json(choice)::text from (select r.id, r.name as title) choice), ',') filter (where r.place <= $15::bigint), '') as json,
        max(r.id) filter (where r.place <= $16::bigint) as last_id, count(*) > $17::bigint as has_more
      from (select r.*, row_number() over () as place from (select r.* from categories r where r.company_id = $18 and r.kind between $19 and $20 and r.deleted_at is null  and r.id > $21 order by r.kind,r.id limit $22::bigint + 1) r) r
    ) walk) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,"project","project",50,50,50,7,"project","project",0,50]
