-- (unnamed)
select pg_advisory_xact_lock(hashtext('demo'))
-- []

-- (unnamed)
select id, name from companies where is_demo order by id
-- []

-- (unnamed)
select d.company_id, c.name as company_name, d.account_id as id, a.name, a.email,
      a.disabled_at is not null as disabled, d.closed_at is not null as closed, d.sealed, a.password_hash,
      a.password_hash is not distinct from d.password_hash as is_noted
    from demo_accounts d
    cross join lateral (select * from accounts where company_id = d.company_id and id = d.account_id  offset 0) a
    cross join lateral (select * from companies where id = d.company_id offset 0) c
    order by d.company_id, d.account_id
-- []

-- (unnamed)
insert into demo_accounts (company_id, account_id, sealed, password_hash, closed_at)
    select company_id, id, $1, password_hash, case when $2::boolean then now() end
    from accounts where company_id = $3 and id = $4
    on conflict (company_id, account_id) do update
    set sealed = excluded.sealed, password_hash = excluded.password_hash, closed_at = excluded.closed_at
-- [null,false,7,8]

-- (unnamed)
delete from demo_accounts where company_id = $1 and account_id = $2
-- [7,8]

-- (unnamed)
select exists (select from demo_removals) as removed
-- []

-- (unnamed)
insert into demo_removals default values
-- []

-- (unnamed)
select
    (select count(*)::int from (
      select from accounts a where a.company_id = c.id and not exists (
        select from demo_accounts d where d.company_id = c.id and d.account_id = a.id offset 0
      ) order by a.id offset 0
    ) own) as own_accounts,
    (select count(*)::int from (
      select from history h where h.company_id = c.id and h.records = any ($1::text[])
        and h.action = 'created' and h.at <> c.created_at order by h.id offset 0
    ) own) as own_records,
    (select count(*)::int from (
          select from projects r where r.company_id = c.id order by r.id offset 0
        ) r) as records
    from companies c where c.id = $2
-- [["projects"],7]

-- (unnamed)
select id from companies where id = $1 for update
-- [7]

-- (unnamed)
select quote_ident(c.relname) as table
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attname = 'company_id'
      and not a.attisdropped
    order by c.relname
-- []

-- (unnamed)
with gone_0 as (delete from projects where company_id = $1) delete from companies where id = $2
-- [7,7]
