-- keys.claim
select wanted.place - 1 as place, pg_try_advisory_xact_lock(wanted.lock::bigint) as claimed
    from (select * from tokens where company_id = $1 and hash between $2 and $3 order by hash offset 0) t
    cross join unnest($4::bigint[]) with ordinality wanted (lock, place)
    where revoked_at is null and (expires_at is null or expires_at > now())
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},["42"]]

-- key.hold
select pg_try_advisory_xact_lock($1::bigint) as claimed
-- ["42"]

-- answer.find
select fingerprint, status, body, location, etag, request_id, write_id from answers
    where company_id = $1 and key = $2
      and completed_at > clock_timestamp() - make_interval(hours => $3)
-- [7,"key",24]

-- answers.keep
insert into answers as a (company_id, key, fingerprint, status, body, location, etag, request_id, write_id, completed_at)
    select c.id, key, fingerprint, status, body, location, etag, request_id, write_id, statement_timestamp() from companies c cross join json_to_recordset($1::json)
      as given (key text, fingerprint bytea, status smallint, body text, location text, etag text, request_id text, write_id uuid)
    where c.id = $2
    on conflict (company_id, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
      body = excluded.body, location = excluded.location, etag = excluded.etag, request_id = excluded.request_id, write_id = excluded.write_id,
      completed_at = excluded.completed_at
-- ["[{\"key\":\"key\",\"status\":201,\"body\":\"{}\",\"location\":null,\"etag\":null,\"request_id\":null,\"write_id\":null,\"fingerprint\":\"\\\\x00\"}]",7]

-- answers.sweep
delete from answers where ctid = any (array(
      select ctid from answers where completed_at < now() - make_interval(hours => $1) limit $2 for update skip locked
    )) returning 1 as swept
-- [24,1000]
