-- key.claim
select pg_try_advisory_xact_lock($1::bigint) as claimed from (select * from tokens where company_id = $2 and hash between $3 and $4 order by hash offset 0) t
    where revoked_at is null
-- ["42",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]}]

-- key.hold
select pg_try_advisory_xact_lock($1::bigint) as claimed
-- ["42"]

-- answer.find
select fingerprint, status, body, location, etag, request_id, write_id from answers
    where company_id = $1 and key = $2
      and completed_at > clock_timestamp() - make_interval(hours => $3)
-- [7,"key",24]

-- answer.keep
insert into answers (company_id, key, fingerprint, status, body, location, etag, request_id, write_id)
    values ($1, $2, $3, $4, $5, $6,
      $7, $8, $9)
    on conflict (company_id, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
      body = excluded.body, location = excluded.location, etag = excluded.etag, request_id = excluded.request_id, write_id = excluded.write_id,
      completed_at = excluded.completed_at
-- [7,"key",{"type":"Buffer","data":[0]},201,"{}",null,null,null,null]

-- answers.sweep
delete from answers where ctid = any (array(
      select ctid from answers where completed_at < now() - make_interval(hours => $1) limit $2 for update skip locked
    )) returning 1 as swept
-- [24,1000]
