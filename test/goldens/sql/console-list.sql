-- (unnamed)
select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json
    from (select * from projects where company_id = $2 and id = $3  offset 0) r where r.deleted_at is null
-- [7,7,4711]

-- (unnamed)
with found as materialized (
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
