-- key.claim
select pg_try_advisory_xact_lock($1::bigint) as claimed from (select * from tokens where company_id = $2 and hash between $3 and $4 order by hash offset 0) t
    where revoked_at is null
-- ["42",7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]}]

-- answers.sweep
delete from answers where ctid = any (array(
      select ctid from answers where completed_at < now() - make_interval(hours => $1) limit $2 for update skip locked
    ))
    returning 1 as swept
-- [24,1000]
