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
