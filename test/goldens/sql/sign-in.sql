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

-- records.twins
select r.company_id, $1::text as records, $2::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from projects where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from projects
      where company_id = r.company_id and (equal_key(code) collate "C") between (equal_key(r.code) collate "C") and (equal_key(r.code) collate "C") and deleted_at is null order by (equal_key(code) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.code) collate "C") union all select r.company_id, $3::text as records, $4::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from projects where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from projects
      where company_id = r.company_id and (equal_key(external_ref) collate "C") between (equal_key(r.external_ref) collate "C") and (equal_key(r.external_ref) collate "C") and deleted_at is null order by (equal_key(external_ref) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.external_ref) collate "C") union all select r.company_id, $5::text as records, $6::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from workers where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from workers
      where company_id = r.company_id and (equal_key(employee_no) collate "C") between (equal_key(r.employee_no) collate "C") and (equal_key(r.employee_no) collate "C") and deleted_at is null order by (equal_key(employee_no) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.employee_no) collate "C") union all select r.company_id, $7::text as records, $8::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from workers where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from workers
      where company_id = r.company_id and (equal_key(email) collate "C") between (equal_key(r.email) collate "C") and (equal_key(r.email) collate "C") and deleted_at is null order by (equal_key(email) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.email) collate "C") union all select r.company_id, $9::text as records, $10::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from workers where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from workers
      where company_id = r.company_id and (equal_key(external_ref) collate "C") between (equal_key(r.external_ref) collate "C") and (equal_key(r.external_ref) collate "C") and deleted_at is null order by (equal_key(external_ref) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.external_ref) collate "C") union all select r.company_id, $11::text as records, $12::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from clients where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from clients
      where company_id = r.company_id and (equal_key(tax_id) collate "C") between (equal_key(r.tax_id) collate "C") and (equal_key(r.tax_id) collate "C") and deleted_at is null order by (equal_key(tax_id) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.tax_id) collate "C") union all select r.company_id, $13::text as records, $14::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from clients where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from clients
      where company_id = r.company_id and (equal_key(external_ref) collate "C") between (equal_key(r.external_ref) collate "C") and (equal_key(r.external_ref) collate "C") and deleted_at is null order by (equal_key(external_ref) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.external_ref) collate "C") union all select r.company_id, $15::text as records, $16::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from estimates where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from estimates
      where company_id = r.company_id and (equal_key(number) collate "C") between (equal_key(r.number) collate "C") and (equal_key(r.number) collate "C") and deleted_at is null order by (equal_key(number) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.number) collate "C") union all select r.company_id, $17::text as records, $18::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from estimates where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from estimates
      where company_id = r.company_id and (equal_key(external_ref) collate "C") between (equal_key(r.external_ref) collate "C") and (equal_key(r.external_ref) collate "C") and deleted_at is null order by (equal_key(external_ref) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.external_ref) collate "C") union all select r.company_id, $19::text as records, $20::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from subcontractors where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from subcontractors
      where company_id = r.company_id and (equal_key(tax_id) collate "C") between (equal_key(r.tax_id) collate "C") and (equal_key(r.tax_id) collate "C") and deleted_at is null order by (equal_key(tax_id) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.tax_id) collate "C") union all select r.company_id, $21::text as records, $22::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from subcontractors where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from subcontractors
      where company_id = r.company_id and (equal_key(external_ref) collate "C") between (equal_key(r.external_ref) collate "C") and (equal_key(r.external_ref) collate "C") and deleted_at is null order by (equal_key(external_ref) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.external_ref) collate "C") union all select r.company_id, $23::text as records, $24::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from equipment where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from equipment
      where company_id = r.company_id and (equal_key(code) collate "C") between (equal_key(r.code) collate "C") and (equal_key(r.code) collate "C") and deleted_at is null order by (equal_key(code) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.code) collate "C") union all select r.company_id, $25::text as records, $26::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from equipment where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from equipment
      where company_id = r.company_id and (equal_key(serial_number) collate "C") between (equal_key(r.serial_number) collate "C") and (equal_key(r.serial_number) collate "C") and deleted_at is null order by (equal_key(serial_number) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.serial_number) collate "C") union all select r.company_id, $27::text as records, $28::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from equipment where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from equipment
      where company_id = r.company_id and (equal_key(external_ref) collate "C") between (equal_key(r.external_ref) collate "C") and (equal_key(r.external_ref) collate "C") and deleted_at is null order by (equal_key(external_ref) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.external_ref) collate "C") union all select r.company_id, $29::text as records, $30::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from trades where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from trades
      where company_id = r.company_id and (equal_key(name) collate "C") between (equal_key(r.name) collate "C") and (equal_key(r.name) collate "C") and deleted_at is null order by (equal_key(name) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.name) collate "C") union all select r.company_id, $31::text as records, $32::text as field,
        array_agg(distinct ids.id::text order by ids.id::text) as ids
      from (
        select * from invoices where twin_id is not null order by company_id,twin_id offset 0
      ) r cross join lateral (select * from invoices
      where company_id = r.company_id and (equal_key(number) collate "C") between (equal_key(r.number) collate "C") and (equal_key(r.number) collate "C") and deleted_at is null order by (equal_key(number) collate "C") offset 0) other
      cross join lateral (values (r.id), (other.id)) ids (id)
      where r.deleted_at is null and other.id <> r.id
      group by r.company_id, (equal_key(r.number) collate "C") order by company_id, records, field, ids limit $33
-- ["projects","code","projects","external_ref","workers","employee_no","workers","email","workers","external_ref","clients","tax_id","clients","external_ref","estimates","number","estimates","external_ref","subcontractors","tax_id","subcontractors","external_ref","equipment","code","equipment","serial_number","equipment","external_ref","trades","name","invoices","number",20]

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
