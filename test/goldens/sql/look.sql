-- projects.create.look
select (select row_to_json(seen) from (select (select row_to_json(it) from (
        select id,status from clients
        where company_id = $1 and id = $2::bigint and deleted_at is null for share
      ) it) as client_id,(select row_to_json(it) from (
        select id from categories
        where company_id = $3 and id = $4::bigint and deleted_at is null and kind = $5 for key share
      ) it) as category_id,(select row_to_json(it) from (
        select id from workers
        where company_id = $6 and id = $7::bigint and deleted_at is null for key share
      ) it) as manager_id,exists (
        select from projects
        where company_id = $8 and lower(code) = lower($9::text)
          and deleted_at is null and id <> $10
      ) as code__taken,exists (
        select from projects
        where company_id = $11 and lower(external_ref) = lower($12::text)
          and deleted_at is null and id <> $13
      ) as external_ref__taken,(select plan from companies where id = $14 for share) as plan) seen) as seen
-- [7,3,7,4,"project",7,null,7,"A",0,7,null,0,7]

-- projects.update.look
select (select row_to_json(seen) from (select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,(select row_to_json(it) from (
        select id,status from clients
        where company_id = $2 and id = coalesce($3::bigint, r.client_id) and deleted_at is null for share
      ) it) as client_id,(select row_to_json(it) from (
        select id from categories
        where company_id = $4 and id = $5::bigint and deleted_at is null and kind = $6 for key share
      ) it) as category_id,(select row_to_json(it) from (
        select id from workers
        where company_id = $7 and id = $8::bigint and deleted_at is null for key share
      ) it) as manager_id,exists (
        select from projects
        where company_id = $9 and lower(code) = lower($10::text)
          and deleted_at is null and id <> $11
      ) as code__taken,exists (
        select from projects
        where company_id = $12 and lower(external_ref) = lower($13::text)
          and deleted_at is null and id <> $14
      ) as external_ref__taken
      from (select * from projects where company_id = $15 and id = $16 and deleted_at is null for no key update) r) seen) as seen
-- [7,7,null,7,4,"project",7,null,7,"A",4711,7,null,4711,7,4711]

-- projects.delete.look
select (select row_to_json(seen) from (select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json from (select * from projects where company_id = $2 and id = $3 and deleted_at is null for update) r) seen) as seen
-- [7,7,4711]

-- projects.look-up
select (select row_to_json(it) from (
        select id,status from clients
        where company_id = $1 and id = $2::bigint and deleted_at is null for share
      ) it) as client_id,(select row_to_json(it) from (
        select id from categories
        where company_id = $3 and id = $4::bigint and deleted_at is null and kind = $5 for key share
      ) it) as category_id,(select row_to_json(it) from (
        select id from workers
        where company_id = $6 and id = $7::bigint and deleted_at is null for key share
      ) it) as manager_id,exists (
        select from projects
        where company_id = $8 and lower(code) = lower($9::text)
          and deleted_at is null and id <> $10
      ) as code__taken,exists (
        select from projects
        where company_id = $11 and lower(external_ref) = lower($12::text)
          and deleted_at is null and id <> $13
      ) as external_ref__taken
-- [7,3,7,null,"project",7,null,7,null,0,7,null,0]
