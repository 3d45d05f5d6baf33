-- estimates.insert-again
with r as (
      insert into estimates (company_id, version, id,title,number,status,client_id,project_id,issue_date,valid_until,lines,discount_pct,tax_pct,subtotal_minor,discount_minor,tax_minor,total_minor,external_ref,notes,created_at)
      select $1::bigint, $2::integer, $3::bigint,$4::text,$5::text,$6::text,$7::bigint,$8::bigint,$9::date,$10::date,$11::json,$12::numeric(5,2),$13::numeric(5,2),$14::bigint,$15::bigint,$16::bigint,$17::bigint,$18::text,$19::text,$20::timestamptz
      returning *
    ), tallied as (
  insert into tally_changes (company_id, records, change) select company_id, $21, $22 from r
    ) insert into history (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, held, write_id, request_id, idempotency_key)
    select $23::bigint, $24::bigint, $25::bigint, $26,
      $27::uuid,
      $28, $29, $30::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*, $31::uuid, $32::text, $33::text
    from (select id, version, null::json, null::json from r) logged
-- [7,3,4711,"T",null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,"estimates",1,7,8,9,"api",null,"estimates","restored",3,"00000000-0000-4000-8000-000000000000",null,null]

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
