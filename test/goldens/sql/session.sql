-- session
select s.account_id, a.name as account_name, a.email, a.permissions,
    c.name as company_name, c.currency, c.plan, c.add_ons,
    s.last_seen_at < now() - make_interval(secs => $1) as stale
  from sessions s
  join accounts a on a.company_id = s.company_id and a.id = s.account_id
  join companies c on c.id = s.company_id
  where s.company_id = $2 and s.id_hash = $3 and s.expires_at > now()
    and s.last_seen_at > now() - make_interval(hours => $4) and a.disabled_at is null
-- [60,7,{"type":"Buffer","data":[0,255]},12]

-- session.hold
select s.account_id, a.name as account_name, a.email, a.permissions,
    c.name as company_name, c.currency, c.plan, c.add_ons,
    s.last_seen_at < now() - make_interval(secs => $1) as stale
  from sessions s
  join accounts a on a.company_id = s.company_id and a.id = s.account_id
  join companies c on c.id = s.company_id
  where s.company_id = $2 and s.id_hash = $3 and s.expires_at > now()
    and s.last_seen_at > now() - make_interval(hours => $4) and a.disabled_at is null for share of s, a
-- [60,7,{"type":"Buffer","data":[0,255]},12]

-- session.touch
update sessions set last_seen_at = now() where (company_id, id_hash) in (
      select company_id, id_hash from sessions where company_id = $1 and id_hash = $2
      for update skip locked
    )
-- [7,{"type":"Buffer","data":[0,255]}]

-- session.delete-all
delete from sessions where company_id = $1 and account_id = $2
    and id_hash is distinct from $3
-- [7,8,null]
