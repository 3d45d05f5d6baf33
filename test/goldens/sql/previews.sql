-- previews.turn
select pg_advisory_xact_lock(hashtext('previews'), $1::int)
-- [7]

-- previews.room
select persons_erased_at is not distinct from $1::timestamptz as is_same, (
      select count(*) from (
        select from previews where company_id = $2 and ended_at is null and expires_at > now() order by expires_at offset 0
      ) live
    ) as open, (
      select coalesce(sum(records_alone), 0)::int from (
        select records_alone from previews
        where company_id = $3 and records_alone is not null and ended_at > now() - interval '1 hour' order by ended_at offset 0
      ) applied
    ) as hour_records, to_char((now() + make_interval(hours => 24)) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at from (select * from companies where id = $4 offset 0) c
-- [null,7,7,7]

-- previews.insert
insert into previews (company_id, id, token_id, client, why, call, hash, plan, expires_at)
    values ($1, $2::uuid, $3, $4, $5, $6::jsonb, $7,
      $8::jsonb, $9::timestamptz)
-- [7,"0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55",9,"agent","asked for","{\"operations\":[]}","sha256-h","{\"hash\":\"sha256-h\",\"total\":0,\"changes\":[],\"would_delete\":[],\"would_keep\":[]}","2026-03-02T00:00:00Z"]

-- previews.find
select p.id, p.token_id, p.client, p.why, p.call, p.hash, p.plan, p.state, p.decided_by,
  to_char(p.decided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as decided_at, p.write_id, p.results, to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(p.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at, p.ended_at is null and p.expires_at <= now() as is_expired, (
      select coalesce(sum(records_alone), 0)::int from (
        select records_alone from previews
        where company_id = $1 and records_alone is not null and ended_at > now() - interval '1 hour' order by ended_at offset 0
      ) applied
    ) as hour_records, c.agents, a.permissions
    from (
      select * from previews where company_id = $2 and id = $3::uuid  offset 0
    ) p cross join (select * from companies where id = $4 offset 0) c
    left join lateral (
      select permissions from (select * from accounts where company_id = $5 and id = p.decided_by  offset 0) account where disabled_at is null
    ) a on true
-- [7,7,"0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55",7,7]

-- previews.hold
select p.id, p.token_id, p.client, p.why, p.call, p.hash, p.plan, p.state, p.decided_by,
  to_char(p.decided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as decided_at, p.write_id, p.results, to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(p.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at, p.ended_at is null and p.expires_at <= now() as is_expired, (
      select coalesce(sum(records_alone), 0)::int from (
        select records_alone from previews
        where company_id = $1 and records_alone is not null and ended_at > now() - interval '1 hour' order by ended_at offset 0
      ) applied
    ) as hour_records, c.agents, a.permissions
    from (
      select * from previews where company_id = $2 and id = $3::uuid for no key update offset 0
    ) p cross join (select * from companies where id = $4 offset 0) c
    left join lateral (
      select permissions from (select * from accounts where company_id = $5 and id = p.decided_by  offset 0) account where disabled_at is null
    ) a on true
-- [7,7,"0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55",7,7]

-- previews.wait
update previews set state = 'waiting', decided_by = null, decided_at = null
    where company_id = $1 and id = $2::uuid and state in ('open', 'approved')
-- [7,"0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55"]

-- previews.approve
update previews set state = $1::text, decided_by = $2, decided_at = now()
    where company_id = $3 and id = $4::uuid
-- ["approved",8,7,"0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55"]

-- previews.decline
update previews set state = $1::text, decided_by = $2, decided_at = now(), ended_at = now()
    where company_id = $3 and id = $4::uuid
-- ["declined",8,7,"0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55"]

-- previews.settle
update previews set state = 'applied', write_id = $1::uuid, results = $2::jsonb,
      records_alone = $3::int, ended_at = now()
    where company_id = $4 and id = $5::uuid
-- ["0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55","[]",3,7,"0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55"]

-- previews.hour-turn
select pg_advisory_xact_lock(hashtext('records of agents'), $1::int)
-- [7]

-- previews.hour
select (
      select coalesce(sum(records_alone), 0)::int from (
        select records_alone from previews
        where company_id = $1 and records_alone is not null and ended_at > now() - interval '1 hour' order by ended_at offset 0
      ) applied
    ) as hour_records
-- [7]

-- previews.show
select p.id, p.token_id, p.client, p.why, p.call, p.hash, p.plan, p.state, p.decided_by,
  to_char(p.decided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as decided_at, p.write_id, p.results, to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(p.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at, p.ended_at is null and p.expires_at <= now() as is_expired, (
      select coalesce(sum(records_alone), 0)::int from (
        select records_alone from previews
        where company_id = $1 and records_alone is not null and ended_at > now() - interval '1 hour' order by ended_at offset 0
      ) applied
    ) as hour_records, (
      select label from tokens where company_id = $2 and id between p.token_id and p.token_id order by id offset 0
    ) as token_label, (
      select name from (select * from accounts where company_id = $3 and id = p.decided_by  offset 0) account
    ) as decided_by_name from (select * from previews where company_id = $4 and id = $5::uuid offset 0) p
-- [7,7,7,7,"0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55"]

-- previews.latest
select p.id, p.token_id, p.client, p.why, p.call, p.hash, p.plan, p.state, p.decided_by,
  to_char(p.decided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as decided_at, p.write_id, p.results, to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(p.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at, p.ended_at is null and p.expires_at <= now() as is_expired, (
      select coalesce(sum(records_alone), 0)::int from (
        select records_alone from previews
        where company_id = $1 and records_alone is not null and ended_at > now() - interval '1 hour' order by ended_at offset 0
      ) applied
    ) as hour_records, (
      select label from tokens where company_id = $2 and id between p.token_id and p.token_id order by id offset 0
    ) as token_label, (
      select name from (select * from accounts where company_id = $3 and id = p.decided_by  offset 0) account
    ) as decided_by_name from (select * from previews where company_id = $4 order by created_at desc limit $5) p order by p.created_at desc, p.id desc
-- [7,7,7,7,100]

-- previews.waiting
select p.id, p.token_id, p.client, p.why, p.call, p.hash, p.plan, p.state, p.decided_by,
  to_char(p.decided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as decided_at, p.write_id, p.results, to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
  to_char(p.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires_at, p.ended_at is null and p.expires_at <= now() as is_expired, (
      select coalesce(sum(records_alone), 0)::int from (
        select records_alone from previews
        where company_id = $1 and records_alone is not null and ended_at > now() - interval '1 hour' order by ended_at offset 0
      ) applied
    ) as hour_records, (
      select label from tokens where company_id = $2 and id between p.token_id and p.token_id order by id offset 0
    ) as token_label, (
      select name from (select * from accounts where company_id = $3 and id = p.decided_by  offset 0) account
    ) as decided_by_name from (
        select * from previews where company_id = $4 and ended_at is null and state = 'waiting' and expires_at > now()
        order by expires_at offset 0
      ) p order by p.created_at, p.id
-- [7,7,7,7]

-- persons.end-previews
update previews set state = 'declined', ended_at = now()
    where ctid = any (array(select ctid from previews where company_id = $1 and ended_at is null order by expires_at,id offset 0))
-- [7]

-- persons.empty-previews
update previews set why = null, call = null, plan = null, results = null
    where ctid = any (array(select ctid from previews where company_id = $1 order by created_at offset 0))
-- [7]

-- previews.companies-with-told
select id from companies where id > $1
      and exists (select from previews where company_id = companies.id and plan is not null and coalesce(ended_at, expires_at) < now() - make_interval(days => $2) order by expires_at,id offset 0)
    order by id limit $3
-- [0,7,1000]

-- previews.forget
update previews set why = null, call = null, plan = null, results = null
    where ctid = any (array(select ctid from previews where company_id = $1 and plan is not null and coalesce(ended_at, expires_at) < now() - make_interval(days => $2) order by expires_at, id limit $3))
    returning 1 as swept
-- [7,7,1000]

-- previews.companies-with-old
select id from companies where id > $1
      and exists (select from previews where company_id = companies.id and created_at < now() - make_interval(days => $2::int) order by created_at offset 0)
    order by id limit $3
-- [0,400,1000]

-- previews.sweep
delete from previews
    where ctid = any (array(select ctid from previews where company_id = $1 and created_at < now() - make_interval(days => $2::int) order by created_at limit $3))
    returning 1 as swept
-- [7,400,1000]

-- previews.count
select state, count(*) as count from previews where ended_at is null and expires_at > now() group by state
-- []
