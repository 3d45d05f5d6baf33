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

-- session.delete-all
delete from sessions where company_id = $1 and account_id = $2
    and id_hash is distinct from $3
-- [7,8,null]
