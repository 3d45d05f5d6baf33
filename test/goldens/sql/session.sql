-- session
select s.account_id, a.name as account_name, a.email, a.permissions,
    c.name as company_name, c.currency, c.plan, c.add_ons,
    s.last_seen_at < now() - make_interval(secs => $1) as stale
  from (
    select ctid, * from sessions where company_id = $2 and id_hash between $3 and $4
    order by id_hash offset 0 
  ) s
  cross join lateral (select * from accounts where company_id = $5 and id = s.account_id  offset 0) a
  cross join (select * from companies where id = $6 offset 0) c
  where s.expires_at > now()
    and s.last_seen_at > now() - make_interval(hours => $7) and a.disabled_at is null
-- [60,7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,12]

-- session.hold
select s.account_id, a.name as account_name, a.email, a.permissions,
    c.name as company_name, c.currency, c.plan, c.add_ons,
    s.last_seen_at < now() - make_interval(secs => $1) as stale
  from (
    select ctid, * from sessions where company_id = $2 and id_hash between $3 and $4
    order by id_hash offset 0 for share
  ) s
  cross join lateral (select * from accounts where company_id = $5 and id = s.account_id for share offset 0) a
  cross join (select * from companies where id = $6 offset 0) c
  where s.expires_at > now()
    and s.last_seen_at > now() - make_interval(hours => $7) and a.disabled_at is null
-- [60,7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7,12]

-- session.touch
update sessions set last_seen_at = now() where ctid = any (array(
      select s.ctid from (
    select ctid, * from sessions where company_id = $1 and id_hash between $2 and $3
    order by id_hash offset 0 for update skip locked
  ) s
    ))
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]}]

-- session.insert
insert into sessions (company_id, id_hash, account_id, expires_at, device, peer, forwarded_for, plain_name_until)
    select company_id, $1::bytea, id, now() + make_interval(days => $2), $3::text, $4::text,
      $5::text, case when $6::boolean then 'infinity'::timestamptz end
    from accounts where company_id = $7 and id = $8 and disabled_at is null
      and password_hash = coalesce($9, password_hash)
    for share returning 1 as begun
-- [{"type":"Buffer","data":[0,255]},30,"Browser","127.0.0.1",null,true,7,8,null]

-- session.end-plain-name
update sessions set plain_name_until = least(plain_name_until, now() + interval '1 minute')
    where company_id = $1 and id_hash = $2
-- [7,{"type":"Buffer","data":[0,255]}]

-- session.list
select id, device, peer, forwarded_for, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
      to_char(last_seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_seen_at, id_hash = $1 as is_this
    from sessions where company_id = $2 and account_id = $3 and expires_at > now()
      and last_seen_at > now() - make_interval(hours => $4)
    order by last_seen_at desc, id desc
-- [{"type":"Buffer","data":[0,255]},7,8,12]

-- session.delete-one
delete from sessions where company_id = $1 and id = $2 and account_id = $3
    returning id_hash
-- [7,1,8]

-- session.delete-all
delete from sessions where company_id = $1 and account_id = $2
    and id_hash is distinct from $3 returning id
-- [7,8,null]
