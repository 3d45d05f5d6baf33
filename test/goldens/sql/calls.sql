-- (unnamed)
select c.id, to_char(c.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, c.request_id, c.route, c.record_id, c.rows, c.status, c.code, c.about, c.ms::float8 as ms,
  host(c.peer) as peer, c.dry_run, c.replayed, c.counted, c.client, case when c.status >= 400 then 'refused' when c.replayed then 'replayed'
  when c.dry_run then 'dry_run' else 'ok' end as outcome, c.token_id, t.label as token_label,
  least(t.revoked_at, case when t.expires_at <= now() then t.expires_at end) is null as token_active, to_char(least(t.revoked_at, case when t.expires_at <= now() then t.expires_at end) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as token_ended_at from (
      select * from calls c where c.company_id = $1 and c.status = $2 and (c.route = $3 or split_part(c.route, '.', 1) = $4) and case when c.status >= 400 then 'refused' when c.replayed then 'replayed'
  when c.dry_run then 'dry_run' else 'ok' end = $5 order by c.at desc, c.id desc
      limit $6 offset $7
    ) c cross join lateral (
      select * from tokens where company_id = $8 and id between c.token_id and c.token_id order by id offset 0
    ) t order by c.at desc, c.id desc
-- [7,200,"clients","clients","ok",50,0,7]

-- (unnamed)
select c.id, to_char(c.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, c.request_id, c.route, c.record_id, c.rows, c.status, c.code, c.about, c.ms::float8 as ms,
  host(c.peer) as peer, c.dry_run, c.replayed, c.counted, c.client, case when c.status >= 400 then 'refused' when c.replayed then 'replayed'
  when c.dry_run then 'dry_run' else 'ok' end as outcome, c.token_id, t.label as token_label,
  least(t.revoked_at, case when t.expires_at <= now() then t.expires_at end) is null as token_active, to_char(least(t.revoked_at, case when t.expires_at <= now() then t.expires_at end) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as token_ended_at from (
      select * from calls c where c.company_id = $1 and c.code = $2 and $3 = any (c.about) and host(c.peer) = $4 and c.token_id = $5 order by c.at desc, c.id desc
      limit $6 offset $7
    ) c cross join lateral (
      select * from tokens where company_id = $8 and id between c.token_id and c.token_id order by id offset 0
    ) t order by c.at desc, c.id desc
-- [7,"validation_failed","email","192.0.2.1",9,50,0,7]

-- (unnamed)
select count(*) as total from (
      select from calls c where c.company_id = $1 and c.status = $2 order by c.at offset 0
    ) counted
-- [7,200]

-- calls.find
select c.id, to_char(c.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, c.request_id, c.route, c.record_id, c.rows, c.status, c.code, c.about, c.ms::float8 as ms,
  host(c.peer) as peer, c.dry_run, c.replayed, c.counted, c.client, case when c.status >= 400 then 'refused' when c.replayed then 'replayed'
  when c.dry_run then 'dry_run' else 'ok' end as outcome, c.token_id, t.label as token_label,
  least(t.revoked_at, case when t.expires_at <= now() then t.expires_at end) is null as token_active, to_char(least(t.revoked_at, case when t.expires_at <= now() then t.expires_at end) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as token_ended_at from (
      select * from calls where company_id = $1 and id between $2 and $3 order by id offset 0
    ) c cross join lateral (
      select * from tokens where company_id = $4 and id between c.token_id and c.token_id order by id offset 0
    ) t
-- [7,1,1,7]

-- calls.by-day
select to_char(day, 'YYYY-MM-DD') as day, resource, outcome, sum(calls)::bigint as calls, sum(counted)::bigint as counted
    from (
      select (c.at at time zone 'UTC')::date as day, split_part(c.route, '.', 1) as resource, case when c.status >= 400 then 'refused' when c.replayed then 'replayed'
  when c.dry_run then 'dry_run' else 'ok' end as outcome,
        count(*) as calls, count(*) filter (where c.counted) as counted
      from (
        select * from calls c where c.company_id = $1 and c.at >= current_date - $2::int
        order by c.at offset 0
      ) c
      group by 1, 2, 3
      union all
      select day, resource, outcome, calls, counted from call_days
      where company_id = $3 and day >= current_date - $4::int
    ) used
    group by 1, 2, 3
-- [7,29,7,29]

-- usage.of-companies
select c.id, c.name, c.plan, recent.calls + former.calls as calls,
      recent.counted + former.counted as counted, live.records
    from (select id, name, plan from companies order by id) c
    cross join lateral (
      select count(*) as calls, count(*) filter (where counted) as counted from (
        select counted from calls where company_id = c.id and at >= current_date - $1::int order by at
      ) one
    ) recent
    cross join lateral (
      select coalesce(sum(calls), 0)::bigint as calls, coalesce(sum(counted), 0)::bigint as counted
      from call_days where company_id = c.id and day >= current_date - $2::int
    ) former
    cross join lateral (
      select coalesce((select sum(total) from tallies where company_id = c.id), 0)::bigint
        + coalesce((select sum(change) from tally_changes where company_id = c.id), 0)::bigint as records
    ) live
    order by calls desc, records desc, c.id limit $3
-- [29,29,50]

-- calls.last-use
select to_char(c.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, host(c.peer) as peer from calls c
    where c.company_id = $1 and c.token_id = $2 and c.at >= $3
    order by c.at desc limit 1
-- [7,9,"1970-01-01T00:00:00.000Z"]

-- companies.after
select id from companies where id > $1 order by id limit $2
-- [0,1000]

-- calls.old-companies
select id from companies where id > $1
      and exists (select from calls where company_id = companies.id and at < now() - make_interval(days => $2) order by at offset 0)
    order by id limit $3
-- [0,400,100]

-- calls.sweep
with gone as (
      delete from calls where ctid = any (array(
        select ctid from calls where company_id = $1 and at < now() - make_interval(days => $2)
        order by at limit $3 for update skip locked
      )) returning company_id, at, route, status, replayed, dry_run, counted
    ), summed as (
      insert into call_days (company_id, day, resource, outcome, calls, counted)
      select c.company_id, (c.at at time zone 'UTC')::date, split_part(c.route, '.', 1), case when c.status >= 400 then 'refused' when c.replayed then 'replayed'
  when c.dry_run then 'dry_run' else 'ok' end, count(*), count(*) filter (where c.counted)
      from gone c group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (company_id, day, resource, outcome)
      do update set calls = call_days.calls + excluded.calls, counted = call_days.counted + excluded.counted
    ) select 1 as swept from gone
-- [7,400,1000]

-- calls.failures
select c.code, c.route, named.what as about, count(*) as count, to_char(min(c.at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since, to_char(max(c.at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_at,
      (array_agg(c.id order by c.at desc, c.id desc))[1] as last_id
    from 
      unnest($1::text[]) as codes (one) cross join lateral (
        select * from calls where company_id = $2 and code is not null
          and code between codes.one and codes.one and at > now() - make_interval(days => $3::int)
        order by code desc, at desc limit $4
      ) c left join lateral unnest(c.about) as named (what) on true
    group by c.code, c.route, named.what order by count(*) desc, max(c.at) desc limit $5
-- [["unauthorized"],7,7,100,20]

-- calls.dead
select g.token_id, t.label as token_label, to_char(least(t.revoked_at, case when t.expires_at <= now() then t.expires_at end) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as token_ended_at, host(g.peer) as peer, g.count,
      to_char(g.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_at, (
      select d.request_headers->>'user-agent' from (
        select * from call_details where company_id = $1 and request_id between g.request_id and g.request_id
        order by request_id offset 0
      ) d cross join companies co where co.id = $2 and co.keeps_call_details
    ) as user_agent,
      exists (
        select from (
          select * from calls where company_id = $3 and at > g.last_at order by at desc limit $4 offset 0
        ) c where c.code is distinct from 'unauthorized' and c.peer is not distinct from g.peer
      ) as cured
    from (
      select token_id, peer, count(*) as count, max(at) as last_at, (array_agg(request_id order by at desc, id desc))[1] as request_id
      from (
        select * from calls where company_id = $5 and code is not null and code between $6 and $7
          and at > now() - make_interval(hours => $8::int)
        order by code desc, at desc limit $9
      ) c
      group by token_id, peer order by max(at) desc limit $10
    ) g
    cross join lateral (
      select * from tokens where company_id = $11 and id between g.token_id and g.token_id order by id offset 0
    ) t
    order by g.last_at desc
-- [7,7,7,100,7,"unauthorized","unauthorized",24,100,20,7]

-- calls.callers
select host(g.peer) as peer, g.count, to_char(g.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_at,
      (
      select d.request_headers->>'user-agent' from (
        select * from call_details where company_id = $1 and request_id between g.request_id and g.request_id
        order by request_id offset 0
      ) d cross join companies co where co.id = $2 and co.keeps_call_details
    ) as user_agent
    from (
      select peer, count(*) as count, max(at) as last_at, (array_agg(request_id order by at desc, id desc))[1] as request_id
      from (
        select * from calls where company_id = $3 and at > now() - make_interval(hours => $4::int)
        order by at desc limit $5
      ) c
      where token_id = $6 group by peer order by max(at) desc limit $7
    ) g
    order by g.last_at desc
-- [7,7,7,24,100,9,20]
