-- projects.create.prefetch
select (select row_to_json(seen) from (select (select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $1 and id = $2::bigint for share offset 0) held where deleted_at is null
      ) it) as client_id,(select row_to_json(it) from (
        select id from (select * from categories where company_id = $3 and id = $4::bigint for key share offset 0) held where deleted_at is null and kind = $5
      ) it) as category_id,(select row_to_json(it) from (
        select id from (select * from workers where company_id = $6 and id = $7::bigint for key share offset 0) held where deleted_at is null
      ) it) as manager_id,exists (
        select from projects other
        where other.company_id = $8 and lower(other.code) between lower($9::text) and lower($10::text) and other.deleted_at is null
          and other.id <> $11 order by lower(other.code) offset 0
      )
      as code__taken,exists (
        select from projects other
        where other.company_id = $12 and lower(other.external_ref) between lower($13::text) and lower($14::text) and other.deleted_at is null
          and other.id <> $15 order by lower(other.external_ref) offset 0
      )
      as external_ref__taken,(select plan from companies where id = $16 for share) as plan) seen) as seen
-- [7,3,7,4,"project",7,null,7,"A","A",0,7,null,null,0,7]

-- projects.update.prefetch
select (select row_to_json(seen) from (select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $2 and id = coalesce($3::bigint, r.client_id) for share offset 0) held where deleted_at is null
      ) it) as client_id,(select row_to_json(it) from (
        select id from (select * from categories where company_id = $4 and id = $5::bigint for key share offset 0) held where deleted_at is null and kind = $6
      ) it) as category_id,(select row_to_json(it) from (
        select id from (select * from workers where company_id = $7 and id = $8::bigint for key share offset 0) held where deleted_at is null
      ) it) as manager_id,exists (
        select from projects other
        where other.company_id = $9 and lower(other.code) between lower($10::text) and lower($11::text) and other.deleted_at is null
          and other.id <> $12 order by lower(other.code) offset 0
      )
      as code__taken,exists (
        select from projects other
        where other.company_id = $13 and lower(other.external_ref) between lower($14::text) and lower($15::text) and other.deleted_at is null
          and other.id <> $16 order by lower(other.external_ref) offset 0
      )
      as external_ref__taken
      from (select * from (select * from projects where company_id = $17 and id = $18 for no key update offset 0) held where deleted_at is null) r) seen) as seen
-- [7,7,null,7,4,"project",7,null,7,"A","A",4711,7,null,null,4711,7,4711]

-- projects.delete.prefetch
select (select row_to_json(seen) from (select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json from (select * from (select * from projects where company_id = $2 and id = $3 for update offset 0) held where deleted_at is null) r) seen) as seen
-- [7,7,4711]

-- projects.look-up
select (select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $1 and id = $2::bigint for share offset 0) held where deleted_at is null
      ) it) as client_id,(select row_to_json(it) from (
        select id from (select * from categories where company_id = $3 and id = $4::bigint for key share offset 0) held where deleted_at is null and kind = $5
      ) it) as category_id,(select row_to_json(it) from (
        select id from (select * from workers where company_id = $6 and id = $7::bigint for key share offset 0) held where deleted_at is null
      ) it) as manager_id,exists (
        select from projects other
        where other.company_id = $8 and lower(other.code) between lower($9::text) and lower($10::text) and other.deleted_at is null
          and other.id <> $11 order by lower(other.code) offset 0
      )
      as code__taken,exists (
        select from projects other
        where other.company_id = $12 and lower(other.external_ref) between lower($13::text) and lower($14::text) and other.deleted_at is null
          and other.id <> $15 order by lower(other.external_ref) offset 0
      )
      as external_ref__taken
-- [7,3,7,null,"project",7,null,7,null,null,0,7,null,null,0]
