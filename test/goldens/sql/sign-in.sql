-- accounts.candidates
select email_subject($1) as subject, coalesce(a.of_address, 0) as of_address, a.company_id,
      c.name as company_name, a.id, a.name, a.password_hash
    from (select) nobody
    left join lateral (
      select company_id, id, name, password_hash, of_address from (
        select *, count(*) over ()::int as of_address from (
          select company_id, id, name, password_hash, disabled_at from accounts
          where email_key(email) = email_key($2) and not is_service order by id
        ) in_order
      ) of_address
      where password_hash is not null and disabled_at is null
        and ($3::bigint is null or id = $4)
        and ($5::bigint is null or company_id = $6)
      order by id limit $7
    ) a on true
    left join lateral (select * from companies where id = a.company_id offset 0) c on true
    order by a.id
-- ["ada@example.com","ada@example.com",null,null,null,null,20]

-- accounts.password
select password_hash from accounts where company_id = $1 and id = $2
-- [7,8]

-- accounts.other
select id from accounts
    where company_id = $1 and email_key(email) = email_key($2) and not is_service
      and id is distinct from $3::bigint order by email_ordinal limit 1
-- [7,"ada@example.com",8]

-- accounts.twins
select company_id, array_agg(id::text order by id) as ids from accounts where not is_service
    group by company_id, email_key(email) having count(*) > 1 order by company_id, min(id) limit $1
-- [20]

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
