-- removals.restored
update removals set restored_at = now() where company_id = $1 and id = $2
-- [7,1]

-- workers.clients.soft-deleted
(select $1::text as records, r.id, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $2) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json
    from (select distinct id from unnest($3::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from workers where company_id = $4 and id = wanted.id for update offset 0
    ) r
    where r.removal_id = $5 and r.deleted_at is not null)
    union all (select $6::text as records, r.id, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.kind as kind,r.status as status,r.category_id as category_id,r.contact_name as contact_name,r.email as email,r.phone as phone,r.tax_id as tax_id,r.website as website,r.billing_address as billing_address,r.payment_terms_days as payment_terms_days,r.credit_limit_minor as credit_limit_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $7) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json
    from (select distinct id from unnest($8::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from clients where company_id = $9 and id = wanted.id for update offset 0
    ) r
    where r.removal_id = $10 and r.deleted_at is not null)
-- ["workers",7,[2],7,1,"clients",7,[3],7,1]

-- clients.hold-live
select r.id, r.deleted_at is null as live from (select distinct id from unnest($1::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from clients where company_id = $2 and id = wanted.id for key share offset 0
    ) r
-- [[3],7]

-- projects.undelete
update projects r set deleted_at = null, removal_id = null, version = version + 1, updated_at = now()
    where r.ctid = any (array(select r.ctid from (select distinct id from unnest($1::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $2 and id = wanted.id  offset 0
    ) r))
-- [[2],7]

-- row-counts.change
insert into tally_changes (company_id, records, change) values ($1, $2, $3)
-- [7,"projects",1]

-- projects.log-restored
insert into history as h (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, held, write_id, request_id, idempotency_key)
    select $1::bigint, $2::bigint, $3::bigint, $4,
      $5::uuid,
      $6, $7, $8::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*, $9::uuid, $10::text, $11::text
    from (select r.id, r.version, null::json, null::json from (select distinct id from unnest($12::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $13 and id = wanted.id  offset 0
    ) r where true) logged
-- [7,8,9,"api",null,"projects","restored",3,"00000000-0000-4000-8000-000000000000",null,null,[2],7]

-- workers.empty.supervisor_id
select r.id, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json from (select distinct id from unnest($2::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from workers where company_id = $3 and id = wanted.id for no key update offset 0
    ) r
    where r.deleted_at is null and r.supervisor_id is null
-- [7,[4],7]
