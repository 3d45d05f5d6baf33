-- workers.insert
with r as (
      insert into workers (company_id, name,employee_no,email,phone,status,trade_id,employment_type,supervisor_id,hired_on,left_on,hourly_cost_minor,bill_rate_minor,external_ref,notes)
      select $1::bigint, $2::text,$3::text,$4::text,$5::text,$6::text,$7::bigint,$8::text,$9::bigint,$10::date,$11::date,$12::bigint,$13::bigint,$14::text,$15::text
      returning *
    ), tallied as (
  insert into tally_changes (company_id, records, change) select company_id, $16, $17 from r
    ), logged as (insert into history (company_id, account_id, token_id, door, write_id, request_id, idempotency_key,
      records, action, removal_id, epoch, record_id, version, changes, held)
    select $18::bigint, $19::bigint, $20::bigint, $21,
      $22::uuid, $23::text, $24::text,
      $25, $26, $27::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*
    from (select id, version, null::json, null::json from r) logged)
    select r.id, r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $28) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json from r
-- [7,"Ada",null,null,null,null,null,null,null,null,null,null,null,null,null,"workers",1,7,8,9,"api","00000000-0000-4000-8000-000000000000",null,null,"workers","created",null,7]

-- workers.insert-in-quota
with place as (update plan_usage set used = used + $1
    where company_id = $2 and records = $3 and used + $4 <= $5 returning used), r as (
      insert into workers (company_id, name,employee_no,email,phone,status,trade_id,employment_type,supervisor_id,hired_on,left_on,hourly_cost_minor,bill_rate_minor,external_ref,notes)
      select $6::bigint, $7::text,$8::text,$9::text,$10::text,$11::text,$12::bigint,$13::text,$14::bigint,$15::date,$16::date,$17::bigint,$18::bigint,$19::text,$20::text
      where exists (select from place)
      returning *
    ), tallied as (
  insert into tally_changes (company_id, records, change) select company_id, $21, $22 from r
    ), logged as (insert into history (company_id, account_id, token_id, door, write_id, request_id, idempotency_key,
      records, action, removal_id, epoch, record_id, version, changes, held)
    select $23::bigint, $24::bigint, $25::bigint, $26,
      $27::uuid, $28::text, $29::text,
      $30, $31, $32::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*
    from (select id, version, null::json, null::json from r) logged)
    select r.id, r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $33) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json from r
-- [1,7,"workers",1,50,7,"Ada",null,null,null,null,null,null,null,null,null,null,null,null,null,"workers",1,7,8,9,"api","00000000-0000-4000-8000-000000000000",null,null,"workers","created",null,7]

-- estimates.update:10100
with r as (
      update estimates set lines = $1::json,notes = $2::text, version = version + 1, updated_at = now()
      where company_id = $3 and id = $4
      returning *
    ), logged as (insert into history (company_id, account_id, token_id, door, write_id, request_id, idempotency_key,
      records, action, removal_id, epoch, record_id, version, changes, held)
    select $5::bigint, $6::bigint, $7::bigint, $8,
      $9::uuid, $10::text, $11::text,
      $12, $13, $14::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*
    from (select id, version, $15::json, null::json from r) logged)
    select r.id, r.version, (select row_to_json(record)::text from (select r.id as id,r.title as title,r.number as number,r.status as status,r.client_id as client_id,r.project_id as project_id,r.issue_date as issue_date,r.valid_until as valid_until,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $16) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json from r
-- ["[]",null,7,4711,7,8,9,"api","00000000-0000-4000-8000-000000000000",null,null,"estimates","changed",null,"{\"notes\":[\"a\",null]}",7]

-- estimates.insert-again
with r as (
      insert into estimates (company_id, version, id,title,number,status,client_id,project_id,issue_date,valid_until,lines,discount_pct,tax_pct,subtotal_minor,discount_minor,tax_minor,total_minor,external_ref,notes,created_at)
      select $1::bigint, $2::integer, $3::bigint,$4::text,$5::text,$6::text,$7::bigint,$8::bigint,$9::date,$10::date,$11::json,$12::numeric(5,2),$13::numeric(5,2),$14::bigint,$15::bigint,$16::bigint,$17::bigint,$18::text,$19::text,$20::timestamptz
      returning *
    ), tallied as (
  insert into tally_changes (company_id, records, change) select company_id, $21, $22 from r
    ) insert into history (company_id, account_id, token_id, door, write_id, request_id, idempotency_key,
      records, action, removal_id, epoch, record_id, version, changes, held)
    select $23::bigint, $24::bigint, $25::bigint, $26,
      $27::uuid, $28::text, $29::text,
      $30, $31, $32::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*
    from (select id, version, null::json, null::json from r) logged
-- [7,3,4711,"T",null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,"estimates",1,7,8,9,"api","00000000-0000-4000-8000-000000000000",null,null,"estimates","restored",3]

-- tree.lock
select pg_advisory_xact_lock(hashtext($1), $2::int)
-- ["workers.supervisor_id",7]

-- workers.supervisor_id.leads
with recursive chain as (
      select id, supervisor_id as next from (select * from workers where company_id = $1 and id = $2  offset 0) r
      union
      select r.id, r.supervisor_id from chain cross join lateral (select * from workers where company_id = $3 and id = chain.next  offset 0) r
    ) select exists (select from chain where id = $4) as leads
-- [7,1,7,2]

-- numbers.next
insert into numbers (company_id, records, last) values ($1, $2, 1)
    on conflict (company_id, records) do update set last = numbers.last + 1
    returning last
-- [7,"estimates"]
