-- removals.lock
select records, record_id, mode, went, unlinked, restored_at is not null as restored from removals
    where company_id = $1 and id = $2 for update
-- [7,1]

-- workers.hidden
select r.id, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json from workers r
    where r.company_id = $2 and r.id = any ($3::bigint[]) and r.removal_id = $4
      and r.deleted_at is not null
    order by r.id for update
-- [7,7,[2],1]

-- projects.taken.code
select r.id, r.code as value from projects r
    where r.company_id = $1 and r.id = any ($2::bigint[]) and exists (
      select from projects o where o.company_id = $3 and o.deleted_at is null
        and lower(o.code) = lower(r.code)
    ) order by r.id
-- [7,[2],7]

-- clients.hold-live
select id, deleted_at is null as live from clients
    where company_id = $1 and id = any ($2::bigint[]) order by id for key share
-- [7,[3]]

-- projects.unhide
with r as (
      update projects set deleted_at = null, removal_id = null, version = version + 1, updated_at = now()
      where company_id = $1 and id = any ($2::bigint[])
      returning company_id, id
    ), tallied as (
  insert into tally_changes (company_id, records, change) select company_id, $3, $4 from r
    ) insert into history (company_id, account_id, token_id, door, records, action, record_id, changes)
    select $5::bigint, $6::bigint, $7::bigint, $8, $9, $10, noted.*
    from (select id, null::json from r) noted
-- [7,[2],"projects",1,7,8,9,"api","projects","restored"]

-- workers.empty.supervisor_id
select r.id, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json from workers r
    where r.company_id = $2 and r.id = any ($3::bigint[]) and r.deleted_at is null
      and r.supervisor_id is null
    order by r.id for no key update
-- [7,7,[4]]
