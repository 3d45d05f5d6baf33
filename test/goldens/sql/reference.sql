-- projects.of-reference.prefetch
select (select row_to_json(seen) from (select id, external_ref as reference from (select * from projects
      where company_id = $1 and (equal_key(external_ref) collate "C") between (equal_key($2::text) collate "C") and (equal_key($3::text) collate "C") and deleted_at is null order by (equal_key(external_ref) collate "C") offset 0) named
    order by named.external_ref = $4::text desc limit 1) seen) as seen
-- [7,"A-1","A-1","A-1"]

-- projects.fetch-by-reference
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
    select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,caller.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json
    from (select * from projects where company_id = $12 and id = (select id from (select * from projects
      where company_id = $13 and (equal_key(external_ref) collate "C") between (equal_key($14::text) collate "C") and (equal_key($15::text) collate "C") and deleted_at is null order by (equal_key(external_ref) collate "C") offset 0) named
    order by named.external_ref = $16::text desc limit 1)  offset 0) r where r.deleted_at is null) wanted on true
-- ["127.0.0.1","PROJECTS_VIEW","PROJECTS_VIEW","PROJECTS_VIEW","api","api",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,7,7,"A-1","A-1","A-1"]
