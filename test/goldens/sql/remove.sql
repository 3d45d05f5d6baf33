-- invoices.related.project_id
select r.id, case when r.status in ('DRAFT') then 'goes' else 'blocks' end as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from invoices r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- time_entries.related.project_id
select r.id, case when r.status in ('DRAFT') then 'goes' else 'blocks' end as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from time_entries r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- contracts.related.project_id
select r.id, case when r.status in ('DRAFT') then 'goes' else 'blocks' end as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from contracts r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- estimates.related.project_id
select r.id, case when r.status in ('ACCEPTED') then 'blocks' when r.status in ('DRAFT') then 'goes' else 'unlinked' end as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from estimates r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- equipment_logs.related.project_id
select r.id, case when r.billed in (true) then 'blocks' else 'unlinked' end as effect from unnest($1::bigint[]) gone (id) cross join lateral (
      select * from equipment_logs r
      where r.company_id = $2 and r.project_id between gone.id and gone.id and r.deleted_at is null
      order by r.project_id,r.id offset 0 for update
    ) r
-- [[4711],7]

-- tasks.related.project_id
select r.id, 'goes' as effect from unnest($1::bigint[]) gone (id) cross join lateral (
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

-- projects.hide
with r as (
      update projects set deleted_at = now(), removal_id = $1, version = version + 1, updated_at = now()
      where ctid = any (array(select r.ctid from (select distinct id from unnest($2::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $3 and id = wanted.id  offset 0
    ) r))
      returning company_id, id
    ), tallied as (
  insert into tally_changes (company_id, records, change) select company_id, $4, $5 from r
    ) insert into history (company_id, account_id, token_id, door, records, action, record_id, changes)
    select $6::bigint, $7::bigint, $8::bigint, $9, $10, $11, noted.*
    from (select id, null::json from r) noted
-- [3,[1,2],7,"projects",-1,7,8,9,"api","projects","deleted"]

-- estimates.erase
with r as (
      delete from estimates where company_id = $1 and id = $2 returning company_id, id
    ), tallied as (
  insert into tally_changes (company_id, records, change) select company_id, $3, $4 from r
    ) insert into history (company_id, account_id, token_id, door, records, action, record_id, changes)
    select $5::bigint, $6::bigint, $7::bigint, $8, $9, $10, noted.*
    from (select id, $11::json from r) noted
-- [7,1,"estimates",-1,7,8,9,"api","estimates","erased","{}"]

-- (unnamed)
with was as (
      select r.id, r.ctid as place, r.status as held from (select distinct id from unnest($1::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from equipment where company_id = $2 and id = wanted.id  offset 0
    ) r where r.status = $3
    ), r as (
      update equipment r set status = $4, version = version + 1, updated_at = now()
      where ctid = any (array(select place from was))
      returning r.status as now
    ) insert into history (company_id, account_id, token_id, door, records, action, record_id, changes)
    select $5::bigint, $6::bigint, $7::bigint, $8, $9, $10, noted.*
    from (select id, json_build_object($11::text, json_build_array(held, (select now from r limit 1))) from was) noted returning record_id as id, changes
-- [[1],7,"IN_USE","ACTIVE",7,8,9,"api","equipment","changed","status"]

-- (unnamed)
with was as (
      select r.id, r.ctid as place, r.project_id as held from (select distinct id from unnest($1::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from equipment where company_id = $2 and id = wanted.id  offset 0
    ) r
    ), r as (
      update equipment r set project_id = $3, version = version + 1, updated_at = now()
      where ctid = any (array(select place from was))
      returning r.project_id as now
    ) insert into history (company_id, account_id, token_id, door, records, action, record_id, changes)
    select $4::bigint, $5::bigint, $6::bigint, $7, $8, $9, noted.*
    from (select id, json_build_object($10::text, json_build_array(held, (select now from r limit 1))) from was) noted returning record_id as id, changes
-- [[1],7,null,7,8,9,"api","equipment","changed","project_id"]
