-- session.account
select from (select * from accounts where company_id = $1 and id = $2 for share offset 0) a
    where disabled_at is null and password_hash = coalesce($3, password_hash)
-- [7,8,null]

-- session.insert
insert into sessions (company_id, id_hash, account_id, expires_at, device, peer, forwarded_for, plain_name_until)
    values ($1, $2, $3, now() + make_interval(days => $4), $5, $6,
      $7, $8::timestamptz)
    returning id
-- [7,{"type":"Buffer","data":[0,255]},8,30,"Browser","127.0.0.1",null,"infinity"]

-- session
select s.account_id, a.name as account_name, a.email, a.permissions,
    c.name as company_name, c.currency, c.tag_key, c.plan, c.add_ons,
    c.time_zone, c.address ->> 'country' as country, c.payment_terms_days, c.valid_days, c.tax_pct::float8,
    s.last_seen_at < now() - make_interval(secs => 60) as stale,
    coalesce(s.plain_name_until > now(), false) as plain_name
  from (
    select ctid, * from sessions where company_id = $1 and id_hash between $2 and $3
    order by id_hash offset 0 
  ) s
  cross join lateral (select * from accounts where company_id = $4 and id = s.account_id  offset 0) a
  cross join (select * from companies where id = $5 offset 0) c
  where s.expires_at > now()
    and s.last_seen_at > now() - make_interval(hours => 12) and a.disabled_at is null
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]},7,7]

-- session.touch
update sessions set last_seen_at = now() where ctid = any (array(select s.ctid from (
    select ctid, * from sessions where company_id = $1 and id_hash between $2 and $3
    order by id_hash offset 0 for update skip locked
  ) s))
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]}]

-- session.end-plain-name
update sessions set plain_name_until = least(plain_name_until, now() + interval '1 minute')
    where ctid = any (array(select s.ctid from (
    select ctid, * from sessions where company_id = $1 and id_hash between $2 and $3
    order by id_hash offset 0 for update
  ) s))
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]}]

-- session.list
select id, device, peer, forwarded_for, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
      to_char(last_seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_seen_at, id_hash = $1 as is_this
    from (
      select ctid, * from sessions where company_id = $2 and account_id between $3 and $4
      order by account_id offset 0 
    ) s
    where expires_at > now() and last_seen_at > now() - make_interval(hours => $5)
    order by s.last_seen_at desc, id desc
-- [{"type":"Buffer","data":[0,255]},7,8,8,12]

-- session.delete
delete from sessions where ctid = any (array(select s.ctid from (
    select ctid, * from sessions where company_id = $1 and id_hash between $2 and $3
    order by id_hash offset 0 for update
  ) s)) returning id, account_id
-- [7,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0,255]}]

-- session.delete-one
delete from sessions where ctid = any (array(
      select s.ctid from (
      select ctid, * from sessions where company_id = $1 and account_id between $2 and $3
      order by account_id offset 0 for update
    ) s where id = $4
    )) returning id_hash
-- [7,8,8,1]

-- session.delete-all
delete from sessions where ctid = any (array(
      select s.ctid from (
      select ctid, * from sessions where company_id = $1 and account_id between $2 and $3
      order by account_id offset 0 for update
    ) s where id_hash is distinct from $4
    )) returning id
-- [7,8,8,null]

-- sessions.sweep
delete from sessions where ctid = any (array(
      select ctid from sessions where expires_at < now() limit $1 for update skip locked
    )) returning 1 as swept
-- [1000]
