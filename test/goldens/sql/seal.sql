-- (unnamed)
select pg_advisory_xact_lock_shared(hashtext('sealing keys'))
-- []

-- (unnamed)
select pg_advisory_xact_lock(hashtext('sealing keys'))
-- []

-- (unnamed)
select pg_try_advisory_xact_lock(hashtext('key rotation')) as locked
-- []

-- (unnamed)
select company_id, id as id, sealed as sealed from tokens
    where (company_id, id) > ($1, $2) and sealed is not null
    order by company_id, id limit $3
-- [7,9,100]

-- (unnamed)
update tokens set sealed = $1
    where sealed = $2 and ctid = any (array(
    select ctid from tokens where company_id = $3 and id between $4 and $5
    order by id offset 0 for update
  ))
-- [{"type":"Buffer","data":[0]},{"type":"Buffer","data":[0]},7,9,9]
