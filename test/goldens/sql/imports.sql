-- imports.insert
insert into imports (company_id, write_id, account_id, records, file_name, fingerprint, settings, rows)
    values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8)
-- [7,"00000000-0000-4000-8000-000000000000",8,"clients","clients.csv","f","{}",3]

-- imports.latest
select i.write_id, i.account_id, (select name from (select * from accounts where company_id = $1 and id = i.account_id  offset 0) account) as account_name,
      i.records, i.file_name, i.fingerprint, i.fingerprint is not distinct from $2 as same_file, i.settings, i.rows,
      i.done, i.created, i.changed, i.at,
      case when u.undone_from is null then 'nothing' when u.undone_from > first.id then 'a part' else 'all' end as undone
    from (
      select * from imports where company_id = $3 and records = $4 and (
        fingerprint = $5 or write_id >= coalesce((
          select write_id from imports where company_id = $6 and records = $7
          order by company_id desc, write_id desc offset $8 limit 1
        ), '00000000-0000-0000-0000-000000000000'))
      order by company_id desc, write_id desc limit $9
    ) i
    left join lateral (select undone_from from undos where company_id = $10 and write_id = i.write_id offset 0) u on true
    left join lateral (
      select id from history where company_id = $11 and write_id between i.write_id and i.write_id order by write_id, id limit 1
    ) first on true
-- [7,"f",7,"clients","f",7,"clients",9,20,7,7]

-- imports.hold
select i.records, i.rows, i.done,
      exists (select from undos where company_id = $1 and write_id = i.write_id) as undone
    from (select * from imports where company_id = $2 and write_id = $3 for update offset 0) i
    where i.account_id is not distinct from $4::bigint
-- [7,7,"00000000-0000-4000-8000-000000000000",8]

-- imports.move
update imports set done = $1, created = created + $2, changed = changed + $3,
      settings = case when $4::int < rows then settings else settings - 'mended' - 'words' end
    where company_id = $5 and write_id = $6
-- [2,1,1,2,7,"00000000-0000-4000-8000-000000000000"]

-- imports.extend
update imports set settings = $1::jsonb, rows = $2
    where company_id = $3 and write_id = $4
-- ["{}",4,7,"00000000-0000-4000-8000-000000000000"]

-- imports.forget-mended
update imports set settings = settings - 'mended' - 'words'
    where ctid = any (array(select ctid from imports where company_id = $1 and (settings ? 'mended' or settings ? 'words') order by write_id offset 0))
-- [7]

-- history.last-of-write
select id from history
    where company_id = $1 and write_id between $2::uuid and $3::uuid
    order by write_id desc, id desc limit 1
-- [7,"00000000-0000-4000-8000-000000000000","00000000-0000-4000-8000-000000000000"]
