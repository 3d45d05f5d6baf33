-- gate.pass
select pg_advisory_xact_lock_shared(hashtext('tokens'), $1::int)
-- [7]

-- gate.close
select pg_advisory_xact_lock(hashtext('tokens'), $1::int)
-- [7]

-- sums.take
select pg_advisory_xact_lock(key)
    from (select * from companies where id = $1 offset 0) one cross join unnest($2::bigint[]) wanted (key)
-- [7,["1","2"]]

-- values.take
select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
    from (select * from companies where id = $1 offset 0) one cross join unnest($2::bigint[], $3::boolean[]) wanted (key, is_shared)
-- [7,["1"],[true]]

-- values.take-of-caller
select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
    from (select from (select * from tokens where company_id = $1 and hash between $2 and $3 order by hash offset 0) t where revoked_at is null and (expires_at is null or expires_at > now()) offset 0) one cross join unnest($4::bigint[], $5::boolean[]) wanted (key, is_shared)
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},["1"],[true]]

-- values.take-keyed
select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
    from (select from (select from (select * from tokens where company_id = $1 and hash between $2 and $3 order by hash offset 0) t where revoked_at is null and (expires_at is null or expires_at > now()) offset 0) caller where pg_try_advisory_xact_lock($4::bigint) and not exists (select from (select fingerprint, status, body, location, etag, request_id, write_id,
      completed_at <= clock_timestamp() - make_interval(hours => 24) as is_over
    from answers where company_id = $5 and key = $6) answer where not is_over) offset 0) one cross join unnest($7::bigint[], $8::boolean[]) wanted (key, is_shared)
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},"42",7,"key",["1"],[true]]

-- session.values.take-of-caller
select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
    from (select from (
    select ctid, * from sessions where company_id = $1 and id_hash between $2 and $3
    order by id_hash offset 0 
  ) s where expires_at > now() offset 0) one cross join unnest($4::bigint[], $5::boolean[]) wanted (key, is_shared)
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},["1"],[true]]

-- session.values.take-keyed
select case when is_shared then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
    from (select from (select from (
    select ctid, * from sessions where company_id = $1 and id_hash between $2 and $3
    order by id_hash offset 0 
  ) s where expires_at > now() offset 0) caller where pg_try_advisory_xact_lock($4::bigint) and not exists (select from (select fingerprint, status, body, location, etag, request_id, write_id,
      completed_at <= clock_timestamp() - make_interval(hours => 24) as is_over
    from answers where company_id = $5 and key = $6) answer where not is_over) offset 0) one cross join unnest($7::bigint[], $8::boolean[]) wanted (key, is_shared)
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},"42",7,"key",["1"],[true]]
