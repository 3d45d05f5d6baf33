-- key.claim
select pg_try_advisory_xact_lock($1::bigint) as claimed from tokens
    where company_id = $2 and hash = $3 and revoked_at is null
-- ["42",7,{"type":"Buffer","data":[0,255]}]

-- answers.sweep
delete from answers where ctid = any (array(
      select ctid from answers where completed_at < now() - make_interval(hours => $1) limit $2 for update skip locked
    ))
    returning 1 as swept
-- [24,1000]
