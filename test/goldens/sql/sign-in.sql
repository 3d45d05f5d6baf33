-- accounts.credentials-by-email
select company_id, id, password_hash, disabled_at is not null as disabled
    from accounts where lower(email) = lower($1)
-- ["ada@example.com"]

-- attempts.count
insert into password_attempts as p (subject, attempts, started_at)
    select subject, 1, now() from unnest($1::bytea[]) subject order by subject
    on conflict (subject) do update set
      attempts = case when p.started_at < now() - make_interval(secs => $2) then 1 else p.attempts + 1 end,
      started_at = case when p.started_at < now() - make_interval(secs => $3) then now() else p.started_at end
    returning subject, attempts,
      ceil(extract(epoch from p.started_at + make_interval(secs => $4) - now()))::int as seconds_left
-- [[{"type":"Buffer","data":[0,255]}],900,900,900]
