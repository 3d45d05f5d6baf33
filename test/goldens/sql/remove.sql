-- invoices.related.project_id
select r.id, case when r.status in ('DRAFT') then 'cascade' else 'restrict' end as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from invoices r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- time_entries.related.project_id
select r.id, case when r.status in ('DRAFT') then 'cascade' else 'restrict' end as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from time_entries r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- contracts.related.project_id
select r.id, case when r.status in ('DRAFT') then 'cascade' else 'restrict' end as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from contracts r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- estimates.related.project_id
select r.id, case when r.status in ('ACCEPTED') then 'restrict' when r.status in ('DRAFT') then 'cascade' else 'unlinked' end as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from estimates r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- equipment_logs.related.project_id
select r.id, case when r.billed in (true) then 'restrict' else 'unlinked' end as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from equipment_logs r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- tasks.related.project_id
select r.id, 'cascade' as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from tasks r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- equipment.related.project_id
select r.id, 'unlinked' as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from equipment r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- removals.insert
insert into removals (company_id, account_id, token_id, door, records, record_id, mode, title, went, unlinked)
    values ($1, $2, $3, $4, $5, $6,
      $7, $8, $9::json, $10::json)
    returning id
-- [7,8,9,"api","projects",1,"soft","T","{}","[]"]

-- projects.soft-delete
with was as (
      select r.id, r.ctid as place, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json from (select distinct id from unnest($2::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $3 and id = wanted.id  offset 0
    ) r
    ), r as (
      update projects set deleted_at = now(), removal_id = $4, version = version + 1, updated_at = now()
      where ctid = any (array(select place from was))
      returning company_id, id, version
    ), tallied as (
  insert into tally_changes (company_id, records, change) select company_id, $5, $6 from r
    ) insert into history (company_id, account_id, token_id, door, write_id, request_id, idempotency_key,
      records, action, removal_id, epoch, record_id, version, changes, held)
    select $7::bigint, $8::bigint, $9::bigint, $10,
      $11::uuid, $12::text, $13::text,
      $14, $15, $16::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*
    from (select id, version, null::json, (select json::json from was where was.id = r.id) from r) logged
-- [7,[1,2],7,3,"projects",-1,7,8,9,"api","00000000-0000-4000-8000-000000000000",null,null,"projects","deleted",3]

-- estimates.erase
with r as (
      delete from estimates where company_id = $1 and id = $2
      returning company_id, id, version
    ), tallied as (
  insert into tally_changes (company_id, records, change) select company_id, $3, $4 from r
    ) insert into history (company_id, account_id, token_id, door, write_id, request_id, idempotency_key,
      records, action, removal_id, epoch, record_id, version, changes, held)
    select $5::bigint, $6::bigint, $7::bigint, $8,
      $9::uuid, $10::text, $11::text,
      $12, $13, $14::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*
    from (select id, version + 1, null::json, $15::json from r) logged
-- [7,1,"estimates",-1,7,8,9,"api","00000000-0000-4000-8000-000000000000",null,null,"estimates","erased",3,"{}"]

-- (unnamed)
with was as (
      select r.id, r.ctid as place, r.version, r.status as held from (select distinct id from unnest($1::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from equipment where company_id = $2 and id = wanted.id  offset 0
    ) r where r.status = $3
    ), r as (
      update equipment r set status = $4, version = version + 1, updated_at = now()
      where ctid = any (array(select place from was))
      returning r.status as now
    ) insert into history (company_id, account_id, token_id, door, write_id, request_id, idempotency_key,
      records, action, removal_id, epoch, record_id, version, changes, held)
    select $5::bigint, $6::bigint, $7::bigint, $8,
      $9::uuid, $10::text, $11::text,
      $12, $13, $14::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*
    from (select id, version + 1, json_build_object($15::text, json_build_array(held, (select now from r limit 1))),
        null::json from was) logged returning record_id as id, changes
-- [[1],7,"IN_USE","ACTIVE",7,8,9,"api","00000000-0000-4000-8000-000000000000",null,null,"equipment","changed",null,"status"]

-- (unnamed)
with was as (
      select r.id, r.ctid as place, r.version, r.project_id as held from (select distinct id from unnest($1::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from equipment where company_id = $2 and id = wanted.id  offset 0
    ) r
    ), r as (
      update equipment r set project_id = $3, version = version + 1, updated_at = now()
      where ctid = any (array(select place from was))
      returning r.project_id as now
    ) insert into history (company_id, account_id, token_id, door, write_id, request_id, idempotency_key,
      records, action, removal_id, epoch, record_id, version, changes, held)
    select $4::bigint, $5::bigint, $6::bigint, $7,
      $8::uuid, $9::text, $10::text,
      $11, $12, $13::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*
    from (select id, version + 1, json_build_object($14::text, json_build_array(held, (select now from r limit 1))),
        null::json from was) logged returning record_id as id, changes
-- [[1],7,null,7,8,9,"api","00000000-0000-4000-8000-000000000000",null,null,"equipment","changed",null,"project_id"]
