-- workers.ids
select nextval('workers_id_seq') as id from generate_series(1, $1::int)
-- [2]

-- workers.insert
insert into workers as r (company_id, id, name,employee_no,email,phone,status,trade_id,employment_type,supervisor_id,hired_on,left_on,hourly_cost_minor,bill_rate_minor,external_ref,notes)
    select c.id, given.id, given.name,given.employee_no,given.email,given.phone,given.status,given.trade_id,given.employment_type,given.supervisor_id,given.hired_on,given.left_on,given.hourly_cost_minor,given.bill_rate_minor,given.external_ref,given.notes from companies c cross join json_to_recordset($1::json)
      as given (id bigint, name text, employee_no text, email text, phone text, status text, trade_id bigint, employment_type text, supervisor_id bigint, hired_on date, left_on date, hourly_cost_minor bigint, bill_rate_minor bigint, external_ref text, notes text) where c.id = $2
-- ["[{\"name\":\"Ada\",\"id\":4711},{\"name\":\"Bo\",\"id\":4712}]",7]

-- log.append
insert into history (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, write_id, request_id, idempotency_key)
    select c.id, $1::bigint, $2::bigint, $3::text, $4::uuid,
      $5::text, $6::text, $7::bigint, (select epoch from log_epochs order by epoch desc limit 1),
      given.record_id, given.version, given.changes, given.write_id, given.request_id, given.idempotency_key
    from companies c cross join json_to_recordset($8::json) as given (id bigint, record_id bigint,
      version integer, changes json, write_id uuid, request_id text, idempotency_key text) where c.id = $9
-- [8,9,"api",null,"workers","created",null,"[{\"record_id\":4711,\"version\":1,\"write_id\":\"00000000-0000-4000-8000-000000000000\",\"request_id\":null,\"idempotency_key\":null},{\"record_id\":4712,\"version\":1,\"write_id\":\"00000000-0000-4000-8000-000000000000\",\"request_id\":null,\"idempotency_key\":null}]",7]

-- row-counts.change
insert into tally_changes (company_id, records, change) values ($1, $2, $3)
-- [7,"workers",2]

-- workers.insert-shown
insert into workers as r (company_id, id, name,employee_no,email,phone,status,trade_id,employment_type,supervisor_id,hired_on,left_on,hourly_cost_minor,bill_rate_minor,external_ref,notes)
    select c.id, given.id, given.name,given.employee_no,given.email,given.phone,given.status,given.trade_id,given.employment_type,given.supervisor_id,given.hired_on,given.left_on,given.hourly_cost_minor,given.bill_rate_minor,given.external_ref,given.notes from companies c cross join json_to_recordset($1::json)
      as given (id bigint, name text, employee_no text, email text, phone text, status text, trade_id bigint, employment_type text, supervisor_id bigint, hired_on date, left_on date, hourly_cost_minor bigint, bill_rate_minor bigint, external_ref text, notes text) where c.id = $2 returning r.id, r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,$3::text as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json
-- ["[{\"name\":\"Ada\",\"id\":4711},{\"name\":\"Bo\",\"id\":4712}]",7,"EUR"]

-- estimates.insert-again
insert into estimates (company_id, version, id,title,number,status,client_id,project_id,issue_date,valid_until,lines,discount_pct,tax_pct,subtotal_minor,discount_minor,tax_minor,total_minor,external_ref,notes,created_at)
    values ($1::bigint, $2::integer, $3::bigint,$4::text,$5::text,$6::text,$7::bigint,$8::bigint,$9::date,$10::date,$11::json,$12::numeric,$13::numeric,$14::bigint,$15::bigint,$16::bigint,$17::bigint,$18::text,$19::text,$20::timestamptz)
-- [7,3,4711,"T",null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null]

-- log.append
insert into history (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, write_id, request_id, idempotency_key)
    select c.id, $1::bigint, $2::bigint, $3::text, $4::uuid,
      $5::text, $6::text, $7::bigint, (select epoch from log_epochs order by epoch desc limit 1),
      given.record_id, given.version, given.changes, given.write_id, given.request_id, given.idempotency_key
    from companies c cross join json_to_recordset($8::json) as given (id bigint, record_id bigint,
      version integer, changes json, write_id uuid, request_id text, idempotency_key text) where c.id = $9
-- [8,9,"api",null,"estimates","restored",3,"[{\"record_id\":4711,\"version\":3,\"write_id\":\"00000000-0000-4000-8000-000000000000\",\"request_id\":null,\"idempotency_key\":null}]",7]

-- row-counts.change
insert into tally_changes (company_id, records, change) values ($1, $2, $3)
-- [7,"estimates",1]
