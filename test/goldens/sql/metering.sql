-- calls.insert
insert into calls (company_id, token_id, request_id, at, route, record_id, rows, status, code, about, ms, peer, dry_run, replayed, counted, client) select company_id, token_id, request_id, at, route, record_id, rows, status, code, about, ms, peer, dry_run, replayed, counted, client
    from json_to_recordset($1::json) as call (company_id bigint, token_id bigint, request_id text, at timestamptz, route text, record_id bigint, rows integer, status smallint, code text, about text[], ms real, peer inet, dry_run boolean, replayed boolean, counted boolean, client text)
-- ["[]"]

-- calls.settle
update calls set status = $1::smallint, code = $2::text, about = $3::text[], ms = $4::real
    where company_id = $5 and at = $6::timestamptz and request_id = $7
-- [201,null,null,1.5,7,"2026-01-01T00:00:00Z","r"]

-- row-counts.compact
with moved as (
      delete from tally_changes where ctid = any (array(
      select ctid from tally_changes  limit $1 for update skip locked
    )) returning company_id, records, change
    ), folded as (
      insert into tallies (company_id, records, total)
      select company_id, records, sum(change) from moved group by company_id, records order by company_id, records
      on conflict (company_id, records) do update set total = tallies.total + excluded.total
    ) select 1 as moved from moved
-- [1000]

-- row-counts.change
insert into tally_changes (company_id, records, change) values ($1, $2, $3)
-- [7,"projects",2]

-- plan.take
update plan_usage set used = used + $1
    where company_id = $2 and records = $3 and used + $4 <= $5 returning used
-- [2,7,"projects",2,25]

-- plan.take-or-fail
update plan_usage
    set used = case when used + $1 <= $2 then used + $3 end
    where company_id = $4 and records = $5
-- [2,25,2,7,"projects"]

-- plan.used
select used from plan_usage where company_id = $1 and records = $2
-- [7,"projects"]

-- plan.give-back
update plan_usage set used = used - $1 where company_id = $2 and records = $3
-- [1,7,"projects"]
