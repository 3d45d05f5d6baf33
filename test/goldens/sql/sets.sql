-- projects.hold
select count(*) from unnest($1::bigint[], $2::int[])
      wanted (id, hold) left join lateral (
      select from projects where company_id = $3 and id = wanted.id and wanted.hold = $4
      for key share offset 0
    ) held_0 on true
    left join lateral (
      select from projects where company_id = $5 and id = wanted.id and wanted.hold = $6
      for share offset 0
    ) held_1 on true
    left join lateral (
      select from projects where company_id = $7 and id = wanted.id and wanted.hold = $8
      for no key update offset 0
    ) held_2 on true
    left join lateral (
      select from projects where company_id = $9 and id = wanted.id and wanted.hold = $10
      for update offset 0
    ) held_3 on true
-- [[1],[3],7,0,7,1,7,2,7,3]

-- projects.seen
select r.id,r.category_id,r.client_id,r.manager_id,r.code,r.external_ref from (select distinct id from unnest($1::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $2 and id = wanted.id  offset 0
    ) r
-- [[1,2],7]

-- projects.code.holders
select given.place, (
      select id from (select * from projects
      where company_id = $1 and (equal_key(code) collate "C") between (equal_key(given.value::text) collate "C") and (equal_key(given.value::text) collate "C") and deleted_at is null order by (equal_key(code) collate "C") offset 0) named
    order by named.code = given.value::text desc limit 1
    ) as holder
    from unnest($2::text[]) with ordinality given (value, place) where given.value is not null
-- [7,["A",null]]

-- numbers.take
insert into numbers (company_id, records, last) values ($1, $2, $3::int)
    on conflict (company_id, records) do update set last = numbers.last + excluded.last
    returning last
-- [7,"estimates",3]

-- numbers.hold
insert into numbers (company_id, records, last)
    select c.id, records, 0 from companies c cross join unnest($1::text[]) records where c.id = $2
    on conflict (company_id, records) do update set last = numbers.last
-- [["estimates","invoices"],7]

-- plan.hold-slots
select count(*) from unnest($1::text[]) wanted (records) cross join lateral (
      select from plan_usage where company_id = $2 and records = wanted.records for no key update offset 0
    ) held
-- [["projects","workers"],7]
