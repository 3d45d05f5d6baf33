-- estimates-equipment_logs.related.projects
with related_estimates as materialized (select 'estimates'::text as records, r.id, json_build_array(r.project_id) as "to", array[case when r.status in ('ACCEPTED') then 'restrict' when r.status in ('DRAFT') then 'cascade' else 'unlinked' end] as effects
    from (
      select * from estimates
      where company_id = $1 and project_id between $2 and $3 and deleted_at is null
      order by project_id, id for update offset 0
    ) r),related_invoices as materialized (select 'invoices'::text as records, r.id, json_build_array(r.project_id) as "to", array[case when r.status in ('DRAFT') then 'cascade' else 'restrict' end] as effects
    from (
      select * from invoices
      where company_id = $4 and project_id between $5 and $6 and deleted_at is null
      order by project_id, id for update offset 0
    ) r where not exists (select from related_estimates where 'cascade' = any (effects))) select * from related_estimates
    union all (select 'equipment'::text as records, r.id, json_build_array(r.project_id) as "to", array['unlinked'] as effects
    from (
      select * from equipment
      where company_id = $7 and project_id between $8 and $9 and deleted_at is null
      order by project_id, id for update offset 0
    ) r)
    union all (select 'tasks'::text as records, r.id, json_build_array(r.project_id) as "to", array['cascade'] as effects
    from (
      select * from tasks
      where company_id = $10 and project_id between $11 and $12 and deleted_at is null
      order by project_id, id for update offset 0
    ) r)
    union all (select 'time_entries'::text as records, r.id, json_build_array(r.project_id) as "to", array[case when r.status in ('DRAFT') then 'cascade' else 'restrict' end] as effects
    from (
      select * from time_entries
      where company_id = $13 and project_id between $14 and $15 and deleted_at is null
      order by project_id, id for update offset 0
    ) r)
    union all select * from related_invoices
    union all (select 'contracts'::text as records, r.id, json_build_array(r.project_id) as "to", array[case when r.status in ('DRAFT') then 'cascade' else 'restrict' end] as effects
    from (
      select * from contracts
      where company_id = $16 and project_id between $17 and $18 and deleted_at is null
      order by project_id, id for update offset 0
    ) r where not exists (select from related_estimates where 'cascade' = any (effects)) and not exists (select from related_invoices where 'cascade' = any (effects)))
    union all (select 'equipment_logs'::text as records, r.id, json_build_array(r.project_id) as "to", array[case when r.billed in (true) then 'restrict' else 'unlinked' end] as effects
    from (
      select * from equipment_logs
      where company_id = $19 and project_id between $20 and $21 and deleted_at is null
      order by project_id, id for update offset 0
    ) r where not exists (select from related_estimates where 'cascade' = any (effects)) and not exists (select from related_invoices where 'cascade' = any (effects)))
-- [7,4711,4711,7,4711,4711,7,4711,4711,7,4711,4711,7,4711,4711,7,4711,4711,7,4711,4711]

-- estimates-equipment_logs.related-any.projects.estimates
with related_estimates as materialized (select 'estimates'::text as records, r.id, json_build_array(case when r.project_id = any ($1::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($2::bigint[]) then case when r.status in ('ACCEPTED') then 'restrict' when r.status in ('DRAFT') then 'cascade' else 'unlinked' end end] as effects
    from (
      select distinct id from (
        select id from unnest($3::bigint[]) id
        union all select found.id from unnest($4::bigint[]) gone (id) cross join lateral (
        select r.id from estimates r
        where r.company_id = $5 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from estimates where company_id = $6 and id = wanted.id for update offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($7::bigint[]))),related_invoices as materialized (select 'invoices'::text as records, r.id, json_build_array(case when r.project_id = any ($8::bigint[]) then r.project_id end,case when r.estimate_id = any ($9::bigint[]) then r.estimate_id end) as "to", array[case when r.project_id = any ($10::bigint[]) then case when r.status in ('DRAFT') then 'cascade' else 'restrict' end end,case when r.estimate_id = any ($11::bigint[]) then case when r.status in ('ISSUED', 'PAID', 'VOID') then 'restrict' else 'unlinked' end end] as effects
    from (
      select distinct id from (
        select id from unnest($12::bigint[]) id
        union all select found.id from unnest($13::bigint[]) gone (id) cross join lateral (
        select r.id from invoices r
        where r.company_id = $14 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
        union all select found.id from unnest($15::bigint[]) gone (id) cross join lateral (
        select r.id from invoices r
        where r.company_id = $16 and r.estimate_id between gone.id and gone.id and r.deleted_at is null
        order by r.estimate_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from invoices where company_id = $17 and id = wanted.id for update offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($18::bigint[]) or r.estimate_id = any ($19::bigint[])) and not exists (select from related_estimates where 'cascade' = any (effects))) select * from related_estimates
    union all (select 'equipment'::text as records, r.id, json_build_array(case when r.project_id = any ($20::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($21::bigint[]) then 'unlinked' end] as effects
    from (
      select distinct id from (
        select id from unnest($22::bigint[]) id
        union all select found.id from unnest($23::bigint[]) gone (id) cross join lateral (
        select r.id from equipment r
        where r.company_id = $24 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from equipment where company_id = $25 and id = wanted.id for update offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($26::bigint[])))
    union all (select 'tasks'::text as records, r.id, json_build_array(case when r.project_id = any ($27::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($28::bigint[]) then 'cascade' end] as effects
    from (
      select distinct id from (
        select id from unnest($29::bigint[]) id
        union all select found.id from unnest($30::bigint[]) gone (id) cross join lateral (
        select r.id from tasks r
        where r.company_id = $31 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from tasks where company_id = $32 and id = wanted.id for update offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($33::bigint[])))
    union all (select 'time_entries'::text as records, r.id, json_build_array(case when r.project_id = any ($34::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($35::bigint[]) then case when r.status in ('DRAFT') then 'cascade' else 'restrict' end end] as effects
    from (
      select distinct id from (
        select id from unnest($36::bigint[]) id
        union all select found.id from unnest($37::bigint[]) gone (id) cross join lateral (
        select r.id from time_entries r
        where r.company_id = $38 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from time_entries where company_id = $39 and id = wanted.id for update offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($40::bigint[])))
    union all select * from related_invoices
    union all (select 'contracts'::text as records, r.id, json_build_array(case when r.project_id = any ($41::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($42::bigint[]) then case when r.status in ('DRAFT') then 'cascade' else 'restrict' end end] as effects
    from (
      select distinct id from (
        select id from unnest($43::bigint[]) id
        union all select found.id from unnest($44::bigint[]) gone (id) cross join lateral (
        select r.id from contracts r
        where r.company_id = $45 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from contracts where company_id = $46 and id = wanted.id for update offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($47::bigint[])) and not exists (select from related_estimates where 'cascade' = any (effects)) and not exists (select from related_invoices where 'cascade' = any (effects)))
    union all (select 'equipment_logs'::text as records, r.id, json_build_array(case when r.project_id = any ($48::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($49::bigint[]) then case when r.billed in (true) then 'restrict' else 'unlinked' end end] as effects
    from (
      select distinct id from (
        select id from unnest($50::bigint[]) id
        union all select found.id from unnest($51::bigint[]) gone (id) cross join lateral (
        select r.id from equipment_logs r
        where r.company_id = $52 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from equipment_logs where company_id = $53 and id = wanted.id for update offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($54::bigint[])) and not exists (select from related_estimates where 'cascade' = any (effects)) and not exists (select from related_invoices where 'cascade' = any (effects)))
-- [[4711],[4711],[1],[4711],7,7,[4711],[4711],[4711],[4711],[4711],[1],[4711],7,[4711],7,7,[4711],[4711],[4711],[4711],[1],[4711],7,7,[4711],[4711],[4711],[1],[4711],7,7,[4711],[4711],[4711],[1],[4711],7,7,[4711],[4711],[4711],[1],[4711],7,7,[4711],[4711],[4711],[1],[4711],7,7,[4711]]

-- estimates-equipment_logs.see-related.projects
with related_estimates as materialized (select 'estimates'::text as records, r.id, json_build_array(r.project_id) as "to", array[case when r.status in ('ACCEPTED') then 'restrict' when r.status in ('DRAFT') then 'cascade' else 'unlinked' end] as effects
    from (
      select * from estimates
      where company_id = $1 and project_id between $2 and $3 and deleted_at is null
      order by project_id, id offset 0
    ) r),related_invoices as materialized (select 'invoices'::text as records, r.id, json_build_array(r.project_id) as "to", array[case when r.status in ('DRAFT') then 'cascade' else 'restrict' end] as effects
    from (
      select * from invoices
      where company_id = $4 and project_id between $5 and $6 and deleted_at is null
      order by project_id, id offset 0
    ) r where not exists (select from related_estimates where 'cascade' = any (effects))) select * from related_estimates
    union all (select 'equipment'::text as records, r.id, json_build_array(r.project_id) as "to", array['unlinked'] as effects
    from (
      select * from equipment
      where company_id = $7 and project_id between $8 and $9 and deleted_at is null
      order by project_id, id offset 0
    ) r)
    union all (select 'tasks'::text as records, r.id, json_build_array(r.project_id) as "to", array['cascade'] as effects
    from (
      select * from tasks
      where company_id = $10 and project_id between $11 and $12 and deleted_at is null
      order by project_id, id offset 0
    ) r)
    union all (select 'time_entries'::text as records, r.id, json_build_array(r.project_id) as "to", array[case when r.status in ('DRAFT') then 'cascade' else 'restrict' end] as effects
    from (
      select * from time_entries
      where company_id = $13 and project_id between $14 and $15 and deleted_at is null
      order by project_id, id offset 0
    ) r)
    union all select * from related_invoices
    union all (select 'contracts'::text as records, r.id, json_build_array(r.project_id) as "to", array[case when r.status in ('DRAFT') then 'cascade' else 'restrict' end] as effects
    from (
      select * from contracts
      where company_id = $16 and project_id between $17 and $18 and deleted_at is null
      order by project_id, id offset 0
    ) r where not exists (select from related_estimates where 'cascade' = any (effects)) and not exists (select from related_invoices where 'cascade' = any (effects)))
    union all (select 'equipment_logs'::text as records, r.id, json_build_array(r.project_id) as "to", array[case when r.billed in (true) then 'restrict' else 'unlinked' end] as effects
    from (
      select * from equipment_logs
      where company_id = $19 and project_id between $20 and $21 and deleted_at is null
      order by project_id, id offset 0
    ) r where not exists (select from related_estimates where 'cascade' = any (effects)) and not exists (select from related_invoices where 'cascade' = any (effects)))
-- [7,4711,4711,7,4711,4711,7,4711,4711,7,4711,4711,7,4711,4711,7,4711,4711,7,4711,4711]

-- estimates-equipment_logs.see-related-any.projects.estimates
with related_estimates as materialized (select 'estimates'::text as records, r.id, json_build_array(case when r.project_id = any ($1::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($2::bigint[]) then case when r.status in ('ACCEPTED') then 'restrict' when r.status in ('DRAFT') then 'cascade' else 'unlinked' end end] as effects
    from (
      select distinct id from (
        select id from unnest($3::bigint[]) id
        union all select found.id from unnest($4::bigint[]) gone (id) cross join lateral (
        select r.id from estimates r
        where r.company_id = $5 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from estimates where company_id = $6 and id = wanted.id offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($7::bigint[]))),related_invoices as materialized (select 'invoices'::text as records, r.id, json_build_array(case when r.project_id = any ($8::bigint[]) then r.project_id end,case when r.estimate_id = any ($9::bigint[]) then r.estimate_id end) as "to", array[case when r.project_id = any ($10::bigint[]) then case when r.status in ('DRAFT') then 'cascade' else 'restrict' end end,case when r.estimate_id = any ($11::bigint[]) then case when r.status in ('ISSUED', 'PAID', 'VOID') then 'restrict' else 'unlinked' end end] as effects
    from (
      select distinct id from (
        select id from unnest($12::bigint[]) id
        union all select found.id from unnest($13::bigint[]) gone (id) cross join lateral (
        select r.id from invoices r
        where r.company_id = $14 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
        union all select found.id from unnest($15::bigint[]) gone (id) cross join lateral (
        select r.id from invoices r
        where r.company_id = $16 and r.estimate_id between gone.id and gone.id and r.deleted_at is null
        order by r.estimate_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from invoices where company_id = $17 and id = wanted.id offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($18::bigint[]) or r.estimate_id = any ($19::bigint[])) and not exists (select from related_estimates where 'cascade' = any (effects))) select * from related_estimates
    union all (select 'equipment'::text as records, r.id, json_build_array(case when r.project_id = any ($20::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($21::bigint[]) then 'unlinked' end] as effects
    from (
      select distinct id from (
        select id from unnest($22::bigint[]) id
        union all select found.id from unnest($23::bigint[]) gone (id) cross join lateral (
        select r.id from equipment r
        where r.company_id = $24 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from equipment where company_id = $25 and id = wanted.id offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($26::bigint[])))
    union all (select 'tasks'::text as records, r.id, json_build_array(case when r.project_id = any ($27::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($28::bigint[]) then 'cascade' end] as effects
    from (
      select distinct id from (
        select id from unnest($29::bigint[]) id
        union all select found.id from unnest($30::bigint[]) gone (id) cross join lateral (
        select r.id from tasks r
        where r.company_id = $31 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from tasks where company_id = $32 and id = wanted.id offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($33::bigint[])))
    union all (select 'time_entries'::text as records, r.id, json_build_array(case when r.project_id = any ($34::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($35::bigint[]) then case when r.status in ('DRAFT') then 'cascade' else 'restrict' end end] as effects
    from (
      select distinct id from (
        select id from unnest($36::bigint[]) id
        union all select found.id from unnest($37::bigint[]) gone (id) cross join lateral (
        select r.id from time_entries r
        where r.company_id = $38 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from time_entries where company_id = $39 and id = wanted.id offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($40::bigint[])))
    union all select * from related_invoices
    union all (select 'contracts'::text as records, r.id, json_build_array(case when r.project_id = any ($41::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($42::bigint[]) then case when r.status in ('DRAFT') then 'cascade' else 'restrict' end end] as effects
    from (
      select distinct id from (
        select id from unnest($43::bigint[]) id
        union all select found.id from unnest($44::bigint[]) gone (id) cross join lateral (
        select r.id from contracts r
        where r.company_id = $45 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from contracts where company_id = $46 and id = wanted.id offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($47::bigint[])) and not exists (select from related_estimates where 'cascade' = any (effects)) and not exists (select from related_invoices where 'cascade' = any (effects)))
    union all (select 'equipment_logs'::text as records, r.id, json_build_array(case when r.project_id = any ($48::bigint[]) then r.project_id end) as "to", array[case when r.project_id = any ($49::bigint[]) then case when r.billed in (true) then 'restrict' else 'unlinked' end end] as effects
    from (
      select distinct id from (
        select id from unnest($50::bigint[]) id
        union all select found.id from unnest($51::bigint[]) gone (id) cross join lateral (
        select r.id from equipment_logs r
        where r.company_id = $52 and r.project_id between gone.id and gone.id and r.deleted_at is null
        order by r.project_id,r.id offset 0
      ) found
      ) each order by id
    ) wanted cross join lateral (
      select * from equipment_logs where company_id = $53 and id = wanted.id offset 0
    ) r
    where r.deleted_at is null and (r.project_id = any ($54::bigint[])) and not exists (select from related_estimates where 'cascade' = any (effects)) and not exists (select from related_invoices where 'cascade' = any (effects)))
-- [[4711],[4711],[],[4711],7,7,[4711],[4711],[4711],[4711],[4711],[],[4711],7,[4711],7,7,[4711],[4711],[4711],[4711],[],[4711],7,7,[4711],[4711],[4711],[],[4711],7,7,[4711],[4711],[4711],[],[4711],7,7,[4711],[4711],[4711],[],[4711],7,7,[4711],[4711],[4711],[],[4711],7,7,[4711]]

-- workers.supervisor_id.referring-besides
select from unnest($1::bigint[]) gone (id) cross join lateral (
      select r.id from workers r
      where r.company_id = $2 and r.supervisor_id between gone.id and gone.id and r.deleted_at is null
      order by r.supervisor_id,r.id offset 0
    ) found where found.id <> all ($3::bigint[]) limit 1
-- [[4711],7,[4712]]

-- removals.id
select nextval('removals_id_seq') as id
-- []

-- removals.insert
insert into removals (company_id, id, account_id, token_id, door, records, record_id, mode, title, went, unlinked)
    values ($1, $2, $3, $4, $5, $6, $7,
      $8, $9, $10::json, $11::json)
-- [7,3,8,9,"api","projects",1,"soft","T","{}","[]"]

-- projects.log-deleted
insert into history as h (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, held, write_id, request_id, idempotency_key)
    select $1::bigint, $2::bigint, $3::bigint, $4,
      $5::uuid,
      $6, $7, $8::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*, $9::uuid, $10::text, $11::text
    from (select r.id, r.version + 1, null::json, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $12) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::json from (select distinct id from unnest($13::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $14 and id = wanted.id  offset 0
    ) r where true) logged
-- [7,8,9,"api",null,"projects","deleted",3,"00000000-0000-4000-8000-000000000000",null,null,7,[1,2],7]

-- projects.soft-delete
update projects r set deleted_at = now(), removal_id = $1, version = version + 1, updated_at = now()
      where r.ctid = any (array(select r.ctid from (select distinct id from unnest($2::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $3 and id = wanted.id  offset 0
    ) r))
-- [3,[1,2],7]

-- row-counts.change
insert into tally_changes (company_id, records, change) values ($1, $2, $3)
-- [7,"projects",-2]

-- estimates.log-erased
insert into history as h (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, held, write_id, request_id, idempotency_key)
    select $1::bigint, $2::bigint, $3::bigint, $4,
      $5::uuid,
      $6, $7, $8::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*, $9::uuid, $10::text, $11::text
    from (select r.id, r.version + 1, null::json, $12::json from (select distinct id from unnest($13::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from estimates where company_id = $14 and id = wanted.id  offset 0
    ) r where true) logged
-- [7,8,9,"api",null,"estimates","erased",3,"00000000-0000-4000-8000-000000000000",null,null,"{}",[1],7]

-- estimates.erase
delete from estimates where company_id = $1 and id = $2
-- [7,1]

-- row-counts.change
insert into tally_changes (company_id, records, change) values ($1, $2, $3)
-- [7,"estimates",-1]

-- projects.log-only
insert into history as h (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, held, write_id, request_id, idempotency_key)
    select $1::bigint, $2::bigint, $3::bigint, $4,
      $5::uuid,
      $6, $7, $8::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*, $9::uuid, $10::text, $11::text
    from (select r.id, r.version + 1, null::json, null::json from (select distinct id from unnest($12::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $13 and id = wanted.id  offset 0
    ) r where true) logged
-- [7,8,9,"api",null,"projects","deleted",3,"00000000-0000-4000-8000-000000000000",null,null,[1,2],7]

-- (unnamed)
insert into history as h (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, held, write_id, request_id, idempotency_key)
    select $1::bigint, $2::bigint, $3::bigint, $4,
      $5::uuid,
      $6, $7, $8::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*, $9::uuid, $10::text, $11::text
    from (select r.id, r.version + 1, ('{' || '"worker_id":' || coalesce(to_json(('[' || coalesce(to_json(r.worker_id)::text, 'null') || ',' || coalesce(to_json($12::bigint)::text, 'null') || ']')::json)::text, 'null') || '}')::json, null::json from (select distinct id from unnest($13::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from equipment where company_id = $14 and id = wanted.id  offset 0
    ) r where true) logged returning h.record_id as id, h.changes
-- [7,8,9,"api",null,"equipment","changed",null,"00000000-0000-4000-8000-000000000000",null,null,null,[1],7]

-- (unnamed)
update equipment r set worker_id = $1::bigint, version = version + 1, updated_at = now()
      where r.ctid = any (array(select r.ctid from (select distinct id from unnest($2::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from equipment where company_id = $3 and id = wanted.id  offset 0
    ) r where true))
-- [null,[1],7]

-- (unnamed)
insert into history as h (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, held, write_id, request_id, idempotency_key)
    select $1::bigint, $2::bigint, $3::bigint, $4,
      $5::uuid,
      $6, $7, $8::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*, $9::uuid, $10::text, $11::text
    from (select r.id, r.version + 1, ('{' || '"status":' || coalesce(to_json(('[' || coalesce(to_json(r.status)::text, 'null') || ',' || coalesce(to_json($12::text)::text, 'null') || ']')::json)::text, 'null') || '}')::json, null::json from (select distinct id from unnest($13::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from equipment where company_id = $14 and id = wanted.id  offset 0
    ) r where r.status = $15) logged returning h.record_id as id, h.changes
-- [7,8,9,"api",null,"equipment","changed",null,"00000000-0000-4000-8000-000000000000",null,null,"ACTIVE",[1],7,"IN_USE"]

-- (unnamed)
insert into history as h (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, held, write_id, request_id, idempotency_key)
    select $1::bigint, $2::bigint, $3::bigint, $4,
      $5::uuid,
      $6, $7, $8::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*, $9::uuid, $10::text, $11::text
    from (select r.id, r.version + 1 + (r.id = any ($12::bigint[]) and r.status = $13)::int, ('{' || '"project_id":' || coalesce(to_json(('[' || coalesce(to_json(r.project_id)::text, 'null') || ',' || coalesce(to_json($14::bigint)::text, 'null') || ']')::json)::text, 'null') || '}')::json, null::json from (select distinct id from unnest($15::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from equipment where company_id = $16 and id = wanted.id  offset 0
    ) r where true) logged returning h.record_id as id, h.changes
-- [7,8,9,"api",null,"equipment","changed",null,"00000000-0000-4000-8000-000000000000",null,null,[1],"IN_USE",null,[1],7]

-- (unnamed)
update equipment r set status = case when r.id = any ($1::bigint[]) and r.status = $2 then $3::text else r.status end,project_id = case when r.id = any ($4::bigint[]) and true then $5::bigint else r.project_id end,
      version = version + (r.id = any ($6::bigint[]) and r.status = $7)::int + (r.id = any ($8::bigint[]) and true)::int, updated_at = now()
      where r.ctid = any (array(select r.ctid from (select distinct id from unnest($9::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from equipment where company_id = $10 and id = wanted.id  offset 0
    ) r where r.id = any ($11::bigint[]) and r.status = $12 or r.id = any ($13::bigint[]) and true))
-- [[1],"IN_USE","ACTIVE",[1],null,[1],"IN_USE",[1],[1],7,[1],"IN_USE",[1]]
