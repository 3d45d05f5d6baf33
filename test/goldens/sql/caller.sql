-- caller
select t.id as token_id, t.account_id,
    t.revoked_at is null and a.disabled_at is null as live,
    t.allowlist = '{}' or coalesce($1::inet <<= any (t.allowlist), false) as address_allowed,
    $2::text = any (t.scopes) and $3::text = any (a.permissions) as in_scope,
    case when 'api' <> all (c.add_ons) then 'api' when $4::text <> all (c.add_ons) then $5::text end as feature_off,
    c.currency
  from tokens t
  join accounts a on a.company_id = t.company_id and a.id = t.account_id
  join companies c on c.id = t.company_id
  where t.company_id = $6 and t.hash = $7
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]}]
