-- projects.hold
select count(*) from unnest($1::bigint[], $2::int[])
      wanted (id, hold) left join lateral (
      select from projects where company_id = $3 and id = wanted.id and wanted.hold = $4
      for key share offset 0
    ) held_0 on true
    left join lateral (
      select from projects where company_id = $5 and id = wanted.id and wanted.hold = $6
      for share offset 0
    ) held_1 on true
    left join lateral (
      select from projects where company_id = $7 and id = wanted.id and wanted.hold = $8
      for no key update offset 0
    ) held_2 on true
    left join lateral (
      select from projects where company_id = $9 and id = wanted.id and wanted.hold = $10
      for update offset 0
    ) held_3 on true
-- [[1],[3],7,0,7,1,7,2,7,3]

-- projects.seen
select r.id,r.category_id,r.client_id,r.manager_id,r.code,r.external_ref from (select distinct id from unnest($1::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $2 and id = wanted.id  offset 0
    ) r
-- [[1,2],7]

-- projects.code.holders
select given.place, lower(given.value) as key, (
      select r.id from projects r
      where r.company_id = $1 and lower(r.code) between lower(given.value) and lower(given.value) and r.deleted_at is null
      order by lower(r.code) offset 0
    ) as holder
    from unnest($2::text[]) with ordinality given (value, place) where given.value is not null
-- [7,["A",null]]

-- numbers.take
insert into numbers (company_id, records, last) values ($1, $2, $3::int)
    on conflict (company_id, records) do update set last = numbers.last + excluded.last
    returning last
-- [7,"estimates",3]

-- numbers.hold
insert into numbers (company_id, records, last)
    select c.id, records, 0 from companies c cross join unnest($1::text[]) records where c.id = $2
    on conflict (company_id, records) do update set last = numbers.last
-- [["estimates","invoices"],7]

-- plan.hold-slots
select count(*) from unnest($1::text[]) wanted (records) cross join lateral (
      select from plan_usage where company_id = $2 and records = wanted.records for no key update offset 0
    ) held
-- [["projects","workers"],7]

-- workers.insert-set
with given as materialized (
      select nextval('workers_id_seq') as id, given.*
      from json_to_recordset($1::json) as given (__write_id uuid, __request_id text, __key text, name text, employee_no text, email text, phone text, status text, trade_id bigint, employment_type text, supervisor_id bigint, hired_on date, left_on date, hourly_cost_minor bigint, bill_rate_minor bigint, external_ref text, notes text)
    ), r as (
      insert into workers (company_id, id, name,employee_no,email,phone,status,trade_id,employment_type,supervisor_id,hired_on,left_on,hourly_cost_minor,bill_rate_minor,external_ref,notes) select $2::bigint, id, name,employee_no,email,phone,status,trade_id,employment_type,supervisor_id,hired_on,left_on,hourly_cost_minor,bill_rate_minor,external_ref,notes from given
      returning *
    ), counted as (
      insert into tally_changes (company_id, records, change)
      select $3::bigint, 'workers', count(*) from r
    ), logged as (insert into history (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, held, write_id, request_id, idempotency_key)
    select $4::bigint, $5::bigint, $6::bigint, $7,
      $8::uuid,
      $9, $10, $11::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*
    from (select r.id, r.version, null::json, null::json, given.__write_id, given.__request_id, given.__key from r join given on given.id = r.id) logged)
    select r.id, r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $12) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json from r
-- ["[{\"name\":\"Ada\",\"employee_no\":null,\"email\":null,\"phone\":null,\"status\":null,\"trade_id\":null,\"employment_type\":null,\"supervisor_id\":null,\"hired_on\":null,\"left_on\":null,\"hourly_cost_minor\":null,\"bill_rate_minor\":null,\"external_ref\":null,\"notes\":null,\"__write_id\":\"00000000-0000-4000-8000-000000000000\",\"__request_id\":null,\"__key\":null},{\"name\":\"Bo\",\"employee_no\":null,\"email\":null,\"phone\":null,\"status\":null,\"trade_id\":null,\"employment_type\":null,\"supervisor_id\":null,\"hired_on\":null,\"left_on\":null,\"hourly_cost_minor\":null,\"bill_rate_minor\":null,\"external_ref\":null,\"notes\":null,\"__write_id\":\"00000000-0000-4000-8000-000000000000\",\"__request_id\":null,\"__key\":null}]",7,7,7,8,9,"api",null,"workers","created",null,7]

-- estimates.update:10000
with given as materialized (
      select held.place as __place, given.* from json_to_recordset($1::json)
        as given (__id bigint, __changes json, __write_id uuid, __request_id text, __key text, notes text)
      cross join lateral (
        select ctid as place from estimates where company_id = $2 and id = given.__id offset 0
      ) held
    ), r as (
      update estimates r set notes = given.notes, version = version + 1, updated_at = now()
      from given where r.ctid = given.__place
      returning r.*, given.__changes, given.__write_id, given.__request_id, given.__key
    ), logged as (insert into history (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, held, write_id, request_id, idempotency_key)
    select $3::bigint, $4::bigint, $5::bigint, $6,
      $7::uuid,
      $8, $9, $10::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*
    from (select id, version, __changes, null::json, r.__write_id, r.__request_id, r.__key from r) logged)
    select r.id, r.version, (select row_to_json(record)::text from (select r.id as id,r.title as title,r.number as number,r.status as status,r.client_id as client_id,r.project_id as project_id,r.issue_date as issue_date,r.valid_until as valid_until,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $11) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json from r
-- ["[{\"__id\":4711,\"__changes\":{\"notes\":[\"a\",null]},\"__write_id\":\"00000000-0000-4000-8000-000000000000\",\"__request_id\":null,\"__key\":null,\"notes\":null}]",7,7,8,9,"api",null,"estimates","changed",null,7]
