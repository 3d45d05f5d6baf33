-- projects.sums:7f
select r.id, r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,
      ('{' || '"estimated_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.subtotal_minor, 0) - coalesce(s.discount_minor, 0)), 0) from (
        select * from estimates
        where company_id = $2 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.status in ('ACCEPTED')))::text, 'null') || ',' || '"invoiced_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.subtotal_minor, 0) - coalesce(s.discount_minor, 0)), 0) from (
        select * from invoices
        where company_id = $3 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where not (s.status in ('DRAFT', 'VOID'))))::text, 'null') || ',' || '"paid_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.paid_minor, 0)), 0) from (
        select * from invoices
        where company_id = $4 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where not (s.status in ('DRAFT', 'VOID'))))::text, 'null') || ',' || '"labour_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.cost_minor, 0)), 0) from (
        select * from time_entries
        where company_id = $5 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.status in ('APPROVED')))::text, 'null') || ',' || '"contracts_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.amount_minor, 0)), 0) from (
        select * from contracts
        where company_id = $6 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.status in ('SIGNED', 'CLOSED')))::text, 'null') || ',' || '"equipment_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.cost_minor, 0)), 0) from (
        select * from equipment_logs
        where company_id = $7 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.type in ('USAGE')))::text, 'null') || ',' || '"draft_hours":' || coalesce(to_json((select coalesce(sum(coalesce(s.hours, 0)), 0) from (
        select * from time_entries
        where company_id = $8 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.status in ('DRAFT')))::text, 'null') || '}')::json as sums
    from (select distinct id from unnest($9::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $10 and id = wanted.id  offset 0
    ) r where r.deleted_at is null
-- [7,7,7,7,7,7,7,7,[4711],7]

-- projects.sums-of:7f
select r.place, ('{' || '"estimated_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.subtotal_minor, 0) - coalesce(s.discount_minor, 0)), 0) from (
        select * from estimates
        where company_id = $1 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.status in ('ACCEPTED')))::text, 'null') || ',' || '"invoiced_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.subtotal_minor, 0) - coalesce(s.discount_minor, 0)), 0) from (
        select * from invoices
        where company_id = $2 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where not (s.status in ('DRAFT', 'VOID'))))::text, 'null') || ',' || '"paid_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.paid_minor, 0)), 0) from (
        select * from invoices
        where company_id = $3 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where not (s.status in ('DRAFT', 'VOID'))))::text, 'null') || ',' || '"labour_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.cost_minor, 0)), 0) from (
        select * from time_entries
        where company_id = $4 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.status in ('APPROVED')))::text, 'null') || ',' || '"contracts_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.amount_minor, 0)), 0) from (
        select * from contracts
        where company_id = $5 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.status in ('SIGNED', 'CLOSED')))::text, 'null') || ',' || '"equipment_minor":' || coalesce(to_json((select coalesce(sum(coalesce(s.cost_minor, 0)), 0) from (
        select * from equipment_logs
        where company_id = $6 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.type in ('USAGE')))::text, 'null') || ',' || '"draft_hours":' || coalesce(to_json((select coalesce(sum(coalesce(s.hours, 0)), 0) from (
        select * from time_entries
        where company_id = $7 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.status in ('DRAFT')))::text, 'null') || '}')::json as sums
    from json_to_recordset($8::json) as r (place int, id bigint)
-- [7,7,7,7,7,7,7,"[{\"id\":4711,\"place\":0}]"]

-- projects.losing
select *, count(*) over () as count from (
      select r.id, r.name as title, (select coalesce(sum(coalesce(s.subtotal_minor, 0) - coalesce(s.discount_minor, 0)), 0) from (
        select * from invoices
        where company_id = $1 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where not (s.status in ('DRAFT', 'VOID'))) as income_minor, (select coalesce(sum(coalesce(s.cost_minor, 0)), 0) from (
        select * from time_entries
        where company_id = $2 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.status in ('APPROVED')) + (select coalesce(sum(coalesce(s.amount_minor, 0)), 0) from (
        select * from contracts
        where company_id = $3 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.status in ('SIGNED', 'CLOSED')) + (select coalesce(sum(coalesce(s.cost_minor, 0)), 0) from (
        select * from equipment_logs
        where company_id = $4 and project_id between r.id and r.id and deleted_at is null
        order by project_id,id offset 0
      ) s where s.type in ('USAGE')) as cost_minor,
        r.budget_minor as budget_minor
      from (select * from projects r where company_id = $5 and deleted_at is null order by id offset 0) r where r.status = any ($6::text[]) order by r.id offset 0
    ) r where cost_minor > budget_minor or income_minor < cost_minor
    order by income_minor - cost_minor, id limit $7
-- [7,7,7,7,7,["ACTIVE","ON_HOLD"],5]

-- time_entries.to-fix
select r.id from (
      select * from time_entries
      where company_id = $1 and id > $2 and deleted_at is null order by id offset 0
    ) r cross join lateral (select * from workers where company_id = $3 and id = r.worker_id  offset 0) referred
    where r.status in ('APPROVED') and r.cost_minor is null and referred.hourly_cost_minor is not null
    order by r.id limit $4
-- [7,0,7,500]

-- invoices.paid-before
select r.id from (
      select * from invoices where company_id = $1 and id > $2 and deleted_at is null order by id offset 0
    ) r where r.status = 'PAID' and r.paid_minor < r.total_minor order by r.id limit $3
-- [7,0,500]

-- invoices.payments-of-before
select r.id as invoice_id, r.total_minor as amount_minor, (coalesce(paid.at, r.updated_at) at time zone (
        select time_zone from companies where id = $1
      ))::date::text as paid_on
    from (select distinct id from unnest($2::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from invoices where company_id = $3 and id = wanted.id for no key update offset 0
    ) r
    left join lateral (
      select max(at) as at from history h
      where h.company_id = $4 and h.records = 'invoices' and h.record_id = r.id
        and h.changes -> 'status' ->> 1 = 'PAID'
    ) paid on true
    where r.status = 'PAID' and r.paid_minor < r.total_minor and r.deleted_at is null
-- [7,[4711],7,7]
