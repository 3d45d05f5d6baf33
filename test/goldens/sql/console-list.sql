-- (unnamed)
with found as not materialized (
      select r.id from (select distinct id from unnest($1::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $2 and id = wanted.id  offset 0
    ) r where r.deleted_at is null and r.status = any ($3::text[])
    )
    select
      (select count(*) from found) as total,
      (select coalesce(string_agg((
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $4) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) from (select * from projects where company_id = $5 and id = page.id  offset 0) r
      ), ','), '') from (select id from found order by id limit $6 offset $7) page) as json
-- [[1,2],7,["ACTIVE","ON_HOLD"],7,7,50,0]

-- (unnamed)
select coalesce(json_agg(id order by sort_0 nulls last, id), '[]') as ids from (
    select r.id, folded(r.name) as sort_0 from projects r where r.company_id = $1 and r.deleted_at is null and r.start_date >= $2::date and r.start_date <= $3::date order by r.id offset 0
  ) found
-- [7,"2026-01-01","2026-12-31"]

-- history.record
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.account_id, (select name from (select * from accounts where company_id = h.company_id and id = h.account_id  offset 0) a) as account_name, h.door, (
    select label from tokens where company_id = h.company_id and id between h.token_id and h.token_id order by id offset 0
  ) as token_label,
  h.records, h.record_id, h.action, h.changes from history h where h.company_id = $1 and h.records = $2 and h.record_id between $3 and $4
    order by h.record_id desc, h.id desc limit $5 offset $6
-- [7,"projects",4711,4711,50,0]

-- (unnamed)
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.account_id, (select name from (select * from accounts where company_id = h.company_id and id = h.account_id  offset 0) a) as account_name, h.door, (
    select label from tokens where company_id = h.company_id and id between h.token_id and h.token_id order by id offset 0
  ) as token_label,
  h.records, h.record_id, h.action, h.changes, case h.records when $1 then (
      select r.name::text from (select * from projects where company_id = h.company_id and id = h.record_id  offset 0) r
    ) when $2 then (
      select r.name::text from (select * from workers where company_id = h.company_id and id = h.record_id  offset 0) r
    ) end as title
    from (
      select * from history where company_id = $3 and records = any ($4::text[])
      order by id desc limit $5
    ) h order by h.id desc
-- ["projects","workers",7,["projects","workers"],10]

-- removals.list
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.account_id, a.name as account_name, h.door, t.label as token_label,
      t.issued_by as issuer_id, i.name as issuer_name, h.records, h.record_id, h.title, h.mode, h.went, h.unlinked, to_char(h.restored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as restored_at
    from removals h 
  left join accounts a on a.company_id = h.company_id and a.id = h.account_id
  left join tokens t on t.company_id = h.company_id and t.id = h.token_id
  left join accounts i on i.company_id = t.company_id and i.id = t.issued_by
    where h.company_id = $1 and h.records = any ($2::text[])
    order by h.id desc limit $3 offset $4
-- [7,["projects"],50,0]
