-- keys.claim
select wanted.place - 1 as place, pg_try_advisory_xact_lock(wanted.lock::bigint) as claimed
    from (select from (select * from tokens where company_id = $1 and hash between $2 and $3 order by hash offset 0) t where revoked_at is null and (expires_at is null or expires_at > now()) offset 0) caller cross join unnest($4::bigint[]) with ordinality wanted (lock, place)
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},["42"]]

-- session.keys.claim
select wanted.place - 1 as place, pg_try_advisory_xact_lock(wanted.lock::bigint) as claimed
    from (select from (
    select ctid, * from sessions where company_id = $1 and id_hash between $2 and $3
    order by id_hash offset 0 
  ) s where expires_at > now() offset 0) caller cross join unnest($4::bigint[]) with ordinality wanted (lock, place)
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},["42"]]

-- answers.keep
insert into answers as a (company_id, key, fingerprint, status, body, location, etag, request_id, write_id, completed_at)
    select c.id, given.key, given.fingerprint, given.status, given.body, given.location, given.etag, given.request_id, given.write_id,
      statement_timestamp()
    from companies c cross join json_to_recordset($1::json) as given (key text, fingerprint bytea,
      status smallint, body text, location text, etag text, request_id text, write_id uuid, record_id bigint)
    where c.id = $2
-- ["[{\"key\":\"key\",\"status\":201,\"body\":\"{}\",\"location\":null,\"etag\":null,\"request_id\":null,\"write_id\":null,\"fingerprint\":\"\\\\x00\"}]",7]

-- projects.answers.keep
insert into answers as a (company_id, key, fingerprint, status, body, location, etag, request_id, write_id, completed_at)
    select c.id, given.key, given.fingerprint, given.status, given.body, given.location, coalesce(given.etag, (select '"' || r.version || '-' || left(translate(encode(sha256(convert_to(right(company.tag_key, 64) || encode(sha256(convert_to(left(company.tag_key, 64) || r.version || '-' || (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,company.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record), 'UTF8')), 'hex'), 'UTF8')), 'base64'), '+/', '-_'), 22) || '"' from (select * from companies where id = $1 offset 0) company cross join projects r
      where r.company_id = $2 and r.id = given.record_id)), given.request_id, given.write_id,
      statement_timestamp()
    from companies c cross join json_to_recordset($3::json) as given (key text, fingerprint bytea,
      status smallint, body text, location text, etag text, request_id text, write_id uuid, record_id bigint)
    where c.id = $4 returning a.key, a.etag
-- [7,7,"[{\"key\":\"key\",\"status\":201,\"body\":\"{}\",\"location\":null,\"etag\":null,\"request_id\":null,\"write_id\":null,\"record_id\":4711,\"fingerprint\":\"\\\\x00\"}]",7]

-- answers.forget
delete from answers where ctid = any (array(select ctid from answers where company_id = $1 and key = any ($2::text[])))
-- [7,["key"]]

-- answers.sweep
delete from answers where ctid = any (array(
      select ctid from answers where completed_at < now() - make_interval(hours => $1) limit $2 for update skip locked
    )) returning 1 as swept
-- [24,1000]
