-- projects.create:1f.prefetch
select (select row_to_json(seen) from (select json_agg(looked) as rows from (select given.place, nextval('projects_id_seq') as id__new, (select currency from companies where id = $1) as company__currency,(select plan from companies where id = $2 for share) as plan, (select used from plan_usage where company_id = $3 and records = 'projects') as used,(select row_to_json(it) from (
        select id from (select * from categories where company_id = $4 and id = given.category_id__sent for key share offset 0) held where deleted_at is null and kind = 'project'
      ) it) as category_id,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $5 and id = given.client_id__sent for share offset 0) held where deleted_at is null
      ) it) as client_id,(select row_to_json(it) from (
        select id from (select * from workers where company_id = $6 and id = given.manager_id__sent for key share offset 0) held where deleted_at is null
      ) it) as manager_id,(equal_key(given.code__sent) collate "C") as code__key,(
        select other.id from (select * from projects
      where company_id = $7 and (equal_key(code) collate "C") between (equal_key(given.code__sent) collate "C") and (equal_key(given.code__sent) collate "C") and deleted_at is null order by (equal_key(code) collate "C") offset 0) other
        where other.id is distinct from given.id limit 1
      ) as code__holder,(equal_key(given.external_ref__sent) collate "C") as external_ref__key,(
        select other.id from (select * from projects
      where company_id = $8 and (equal_key(external_ref) collate "C") between (equal_key(given.external_ref__sent) collate "C") and (equal_key(given.external_ref__sent) collate "C") and deleted_at is null order by (equal_key(external_ref) collate "C") offset 0) other
        where other.id is distinct from given.id limit 1
      ) as external_ref__holder from json_to_recordset($9::json) as given (place int, id bigint, category_id__sent bigint, client_id__sent bigint, manager_id__sent bigint, code__sent text, external_ref__sent text)) looked) seen) as seen
-- [7,7,7,7,7,7,7,7,"[{\"place\":0,\"id\":null,\"category_id__sent\":4,\"client_id__sent\":3,\"manager_id__sent\":null,\"code__sent\":\"A\",\"external_ref__sent\":null}]"]

-- projects.create:a.prefetch
select (select row_to_json(seen) from (select json_agg(looked) as rows from (select given.place, nextval('projects_id_seq') as id__new, (select currency from companies where id = $1) as company__currency,(select plan from companies where id = $2 for share) as plan, (select used from plan_usage where company_id = $3 and records = 'projects') as used,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $4 and id = given.client_id__sent for share offset 0) held where deleted_at is null
      ) it) as client_id,(equal_key(given.code__sent) collate "C") as code__key,(
        select other.id from (select * from projects
      where company_id = $5 and (equal_key(code) collate "C") between (equal_key(given.code__sent) collate "C") and (equal_key(given.code__sent) collate "C") and deleted_at is null order by (equal_key(code) collate "C") offset 0) other
        where other.id is distinct from given.id limit 1
      ) as code__holder from json_to_recordset($6::json) as given (place int, id bigint, client_id__sent bigint, code__sent text)) looked) seen) as seen
-- [7,7,7,7,7,"[{\"place\":0,\"id\":null,\"client_id__sent\":3,\"code__sent\":null},{\"place\":1,\"id\":null,\"client_id__sent\":null,\"code__sent\":\"A\"}]"]

-- projects.update:9.prefetch
select (select row_to_json(seen) from (with referred as materialized (
        select given.*,one.client_id as client_id__was,(select row_to_json(it) from (
        select id from (select * from categories where company_id = $1 and id = given.category_id__sent for key share offset 0) held where deleted_at is null and kind = 'project'
      ) it) as category_id,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $2 and id = coalesce(null::bigint, one.client_id) for share offset 0) held where deleted_at is null
      ) it) as client_id from json_to_recordset($3::json) as given (place int, id bigint, category_id__sent bigint, code__sent text) left join lateral (select * from projects where company_id = $4 and id = given.id  offset 0) one on true
      ) select json_agg(looked) as rows from (select referred.place, r.id,r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $5) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,referred.category_id,referred.client_id,referred.client_id__was,(equal_key(referred.code__sent) collate "C") as code__key,(
        select other.id from (select * from projects
      where company_id = $6 and (equal_key(code) collate "C") between (equal_key(referred.code__sent) collate "C") and (equal_key(referred.code__sent) collate "C") and deleted_at is null order by (equal_key(code) collate "C") offset 0) other
        where other.id is distinct from referred.id limit 1
      ) as code__holder
      from referred cross join lateral (select * from (select * from projects where company_id = $7 and id = referred.id for no key update offset 0) held where deleted_at is null) r
      ) looked) seen) as seen
-- [7,7,"[{\"place\":0,\"id\":4711,\"category_id__sent\":4,\"code__sent\":\"A\"}]",7,7,7,7]

-- projects.update:0.prefetch
select (select row_to_json(seen) from (with referred as materialized (
        select given.*,one.client_id as client_id__was,(select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $1 and id = coalesce(null::bigint, one.client_id) for share offset 0) held where deleted_at is null
      ) it) as client_id from json_to_recordset($2::json) as given (place int, id bigint) left join lateral (select * from projects where company_id = $3 and id = given.id  offset 0) one on true
      ) select json_agg(looked) as rows from (select referred.place, r.id,r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $4) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,referred.client_id,referred.client_id__was
      from referred cross join lateral (select * from (select * from projects where company_id = $5 and id = referred.id for no key update offset 0) held where deleted_at is null) r
      ) looked) seen) as seen
-- [7,"[{\"place\":0,\"id\":4711}]",7,7,7]

-- workers.update:2.prefetch
select (select row_to_json(seen) from (with referred as materialized (
        select given.*,(select row_to_json(it) from (
        select id from (select * from workers where company_id = $1 and id = given.supervisor_id__sent and id < given.id for key share offset 0) held where deleted_at is null
      ) it) as supervisor_id from json_to_recordset($2::json) as given (place int, id bigint, supervisor_id__sent bigint)
      ) select json_agg(looked) as rows from (select referred.place, r.id,r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $3) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json,coalesce(referred.supervisor_id, behind.supervisor_id) as supervisor_id
      from referred cross join lateral (select * from (select * from workers where company_id = $4 and id = referred.id for no key update offset 0) held where deleted_at is null) r
      cross join lateral (select (select row_to_json(it) from (
        select id from (select * from workers where company_id = $5 and id = referred.supervisor_id__sent and id >= r.id for key share offset 0) held where deleted_at is null
      ) it) as supervisor_id) behind) looked) seen) as seen
-- [7,"[{\"place\":0,\"id\":4711,\"supervisor_id__sent\":4}]",7,7,7]

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

-- projects.look-up:2
select (select row_to_json(it) from (
        select id,status from (select * from clients where company_id = $1 and id = given.client_id__sent for share offset 0) held where deleted_at is null
      ) it) as client_id from json_to_recordset($2::json) as given (place int, id bigint, client_id__sent bigint)
-- [7,"[{\"place\":0,\"id\":null,\"client_id__sent\":3}]"]
