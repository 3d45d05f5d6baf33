-- accounts.candidates
select email_subject($1) as subject, a.company_id, c.name as company_name, a.id, a.name, a.password_hash
    from (select) nobody
    left join lateral (
      select company_id, id, name, password_hash from accounts
      where email_key(email) = email_key($2) and not is_service
        and password_hash is not null and disabled_at is null
        and ($3::bigint is null or id = $4)
      order by id limit $5
    ) a on true
    left join lateral (select * from companies where id = a.company_id offset 0) c on true
    order by a.id
-- ["ada@example.com","ada@example.com",null,null,5]

-- accounts.password
select password_hash from accounts where company_id = $1 and id = $2
-- [7,8]

-- attempts.count
insert into password_attempts as p (subject, attempts, started_at)
    select subject, 1, now() from unnest($1::bytea[]) subject order by subject
    on conflict (subject) do update set
      attempts = case when p.started_at < now() - make_interval(secs => $2) then 1 else p.attempts + 1 end,
      started_at = case when p.started_at < now() - make_interval(secs => $3) then now() else p.started_at end
    returning subject, attempts,
      ceil(extract(epoch from p.started_at + make_interval(secs => $4) - now()))::int as seconds_left
-- [[{"type":"Buffer","data":[0,255]}],900,900,900]

-- attempts.forgive
with held as (
      select subject from password_attempts where subject = any ($1::bytea[])
      order by subject for update
    ), gone as (
      delete from password_attempts p using held where p.subject = held.subject and p.subject = any ($2::bytea[])
    )
    update password_attempts p set attempts = greatest(p.attempts - 1, 0) from held
    where p.subject = held.subject and p.subject = any ($3::bytea[])
-- [[{"type":"Buffer","data":[0,255]}],[{"type":"Buffer","data":[0,255]}],[]]

-- attempts.sweep
delete from password_attempts where ctid = any (array(
      select ctid from password_attempts where started_at < now() - make_interval(secs => $1) limit $2 for update skip locked
    ))
    returning 1 as swept
-- [900,1000]
