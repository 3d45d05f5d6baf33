-- projects.create.prefetch
select (select row_to_json(seen) from (select (select plan from companies where id = $1 for share) as plan,(select row_to_json(it) from (
        select id from (select * from categories where company_id = $2 and id = $3::bigint for key share offset 0) held where deleted_at is null and kind = $4
      ) it) as category_id,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $5 and id = $6::bigint for share offset 0) held where deleted_at is null
      ) it) as client_id,(select row_to_json(it) from (
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
      as external_ref__taken) seen) as seen
-- [7,7,4,"project",7,3,7,null,7,"A","A",0,7,null,null,0]

-- projects.update.prefetch
select (select row_to_json(seen) from (with referred as materialized (select self.id as self,one.client_id as client_id__was,(select row_to_json(it) from (
        select id from (select * from categories where company_id = $1 and id = $2::bigint for key share offset 0) held where deleted_at is null and kind = $3
      ) it) as category_id,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $4 and id = coalesce($5::bigint, one.client_id) for share offset 0) held where deleted_at is null
      ) it) as client_id,(select row_to_json(it) from (
        select id from (select * from workers where company_id = $6 and id = $7::bigint for key share offset 0) held where deleted_at is null
      ) it) as manager_id from (select $8::bigint as id) self left join lateral (select * from projects where company_id = $9 and id = self.id  offset 0) one on true)
      select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $10) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,referred.category_id,referred.client_id,referred.manager_id,referred.client_id__was,exists (
        select from projects other
        where other.company_id = $11 and lower(other.code) between lower($12::text) and lower($13::text) and other.deleted_at is null
          and other.id <> $14 order by lower(other.code) offset 0
      )
      as code__taken,exists (
        select from projects other
        where other.company_id = $15 and lower(other.external_ref) between lower($16::text) and lower($17::text) and other.deleted_at is null
          and other.id <> $18 order by lower(other.external_ref) offset 0
      )
      as external_ref__taken
      from referred cross join lateral (select * from (select * from projects where company_id = $19 and id = referred.self for no key update offset 0) held where deleted_at is null) r
      ) seen) as seen
-- [7,4,"project",7,null,7,null,4711,7,7,7,"A","A",4711,7,null,null,4711,7]

-- workers.update.prefetch
select (select row_to_json(seen) from (with referred as materialized (select self.id as self,(select row_to_json(it) from (
        select id from (select * from trades where company_id = $1 and id = $2::bigint for key share offset 0) held where deleted_at is null
      ) it) as trade_id,(select row_to_json(it) from (
        select id from (select * from workers where company_id = $3 and id = $4::bigint and id < $5 for key share offset 0) held where deleted_at is null
      ) it) as supervisor_id from (select $6::bigint as id) self)
      select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $7) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,referred.trade_id,coalesce(referred.supervisor_id, behind.supervisor_id) as supervisor_id,exists (
        select from workers other
        where other.company_id = $8 and lower(other.employee_no) between lower($9::text) and lower($10::text) and other.deleted_at is null
          and other.id <> $11 order by lower(other.employee_no) offset 0
      )
      as employee_no__taken,exists (
        select from workers other
        where other.company_id = $12 and lower(other.email) between lower($13::text) and lower($14::text) and other.deleted_at is null
          and other.id <> $15 order by lower(other.email) offset 0
      )
      as email__taken,exists (
        select from workers other
        where other.company_id = $16 and lower(other.external_ref) between lower($17::text) and lower($18::text) and other.deleted_at is null
          and other.id <> $19 order by lower(other.external_ref) offset 0
      )
      as external_ref__taken
      from referred cross join lateral (select * from (select * from workers where company_id = $20 and id = referred.self for no key update offset 0) held where deleted_at is null) r
      cross join lateral (select (select row_to_json(it) from (
        select id from (select * from workers where company_id = $21 and id = $22::bigint and id >= r.id for key share offset 0) held where deleted_at is null
      ) it) as supervisor_id) behind) seen) as seen
-- [7,null,7,4,4711,4711,7,7,null,null,4711,7,null,null,4711,7,null,null,4711,7,7,4]

-- projects.delete.prefetch
select (select row_to_json(seen) from (select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,(select plan from companies where id = $2 for share) as plan from (select * from (select * from projects where company_id = $3 and id = $4 for update offset 0) held where deleted_at is null) r) seen) as seen
-- [7,7,7,4711]

-- workers.delete.prefetch
select (select row_to_json(seen) from (with family as materialized (
        select r.* from (select distinct id from (select $1::bigint as id union all select id from (
          select id from workers where company_id = $2 and supervisor_id between $3::bigint and $4::bigint and deleted_at is null
          order by supervisor_id offset 0
        ) child) each order by id) wanted
        cross join lateral (select * from workers where company_id = $5 and id = wanted.id for update offset 0) r
      )
      select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $6) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,(select plan from companies where id = $7 for share) as plan, (select json_agg(id) from family) as family from family r where r.id = $8 and r.deleted_at is null) seen) as seen
-- [4711,7,4711,4711,7,7,7,4711]

-- projects.look-up
select (select row_to_json(it) from (
        select id from (select * from categories where company_id = $1 and id = $2::bigint for key share offset 0) held where deleted_at is null and kind = $3
      ) it) as category_id,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $4 and id = $5::bigint for share offset 0) held where deleted_at is null
      ) it) as client_id,(select row_to_json(it) from (
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
-- [7,null,"project",7,3,7,null,7,null,null,0,7,null,null,0]
