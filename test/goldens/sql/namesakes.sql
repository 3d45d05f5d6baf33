-- projects.namesakes
with wanted as (select lower(value) as called, place from unnest($1::text[]) with ordinality given (value, place)),
      met as (
        select r.id, r.name as title, coalesce(r.code::text,r.external_ref::text) as also, called
        from (select * from projects r where company_id = $2 and deleted_at is null order by id offset 0) r cross join lateral unnest(array[lower(r.name::text),lower(r.code::text),lower(r.external_ref::text)]) called
        where (called in (select called from wanted)) is true
      )
    select place::int, id, title, also from (
      select place, id, title, also, row_number() over (partition by place order by id) as n
      from (select distinct place, id, title, also from wanted join met on met.called = wanted.called) one
    ) numbered
    where n <= $3 order by place, id
-- [["Quay"],7,5]

-- clients.namesakes.only
with wanted as (select lower(value) as called, place from unnest($1::text[]) with ordinality given (value, place)),
      met as (
        select r.id, r.name as title, coalesce(r.external_ref::text) as also, called
        from (select * from clients r where company_id = $2 and deleted_at is null order by id offset 0) r cross join lateral unnest(array[lower(r.name::text),lower(r.external_ref::text)]) called
        where (called in (select called from wanted)) is true and r.status = $3
      )
    select place::int, id, title, also from (
      select place, id, title, also, row_number() over (partition by place order by id) as n
      from (select distinct place, id, title, also from wanted join met on met.called = wanted.called) one
    ) numbered
    where n <= $4 order by place, id
-- [["Quay"],7,"ACTIVE",5]
