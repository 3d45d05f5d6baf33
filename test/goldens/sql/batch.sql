-- batch.lock
select pg_advisory_xact_lock($1::bigint)
-- ["42"]

-- batch.answers
select n, body from batch_answers where company_id = $1 and key = $2 order by n
-- [7,"key"]

-- batch.answer
select n, body from batch_answers where company_id = $1 and key = $2 and n = $3
-- [7,"key",3]

-- batch.keep
update answers set completed_at = statement_timestamp() where company_id = $1 and key = $2
      and completed_at > statement_timestamp() - make_interval(hours => $3)
-- [7,"key",24]

-- batch.store
insert into batch_answers (company_id, key, n, body) values ($1, $2, $3, $4)
-- [7,"key",3,"{}"]
