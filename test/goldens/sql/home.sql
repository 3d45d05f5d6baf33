-- home.projects
select status, count(*) as count from (
      select status from projects where company_id = $1 and deleted_at is null
      order by status,id offset 0
    ) r group by status
-- [7]

-- home.estimates
select count(*) as count, coalesce(sum(total_minor), 0)::float8 as total_minor
    from (
      select * from estimates where company_id = $1 and status between $2 and $3
        and deleted_at is null order by status,id offset 0
    ) r
-- [7,"SENT","SENT"]

-- home.insurance_expires_on
select id, name, on_day::text as "on", count(*) over () as count from (select id, name, insurance_expires_on as on_day from (
      select * from subcontractors where company_id = $1 and status between $2 and $3
        and deleted_at is null order by status,id offset 0
    ) r) due
    where on_day <= $4::date order by on_day, id limit $5
-- [7,"ACTIVE","ACTIVE","2026-01-01",5]

-- home.service
select id, name, on_day::text as "on", count(*) over () as count from (select id, name, next_service_on as on_day from (select * from equipment r where company_id = $1 and deleted_at is null order by id offset 0) r where status <> 'RETIRED') due
    where on_day <= $2::date order by on_day, id limit $3
-- [7,"2026-01-01",5]

-- home.hours
select count(*) as count, coalesce(sum(hours), 0)::float8 as hours
    from (
      select * from time_entries where company_id = $1 and status between $2 and $3
        and deleted_at is null order by status,id offset 0
    ) r
-- [7,"DRAFT","DRAFT"]

-- home.invoices
select count(*) as count from (
      select * from invoices where company_id = $1 and status between $2 and $3
        and deleted_at is null order by status,id offset 0
    ) r
-- [7,"DRAFT","DRAFT"]
