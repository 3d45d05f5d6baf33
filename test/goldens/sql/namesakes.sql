-- projects.namesakes
with wanted as (
        select value, regexp_replace(btrim(folded(value)), ' +', ' ', 'g') as called, (equal_key(value) collate "C") as key, place
        from unnest($1::text[]) with ordinality given (value, place)
      ), met as (
        select r.id, r.name as title, coalesce(r.code::text,r.external_ref::text) as also, value, regexp_replace(btrim(folded(value)), ' +', ' ', 'g') as called, (equal_key(value) collate "C") as key
        from (select * from projects r where company_id = $2 and deleted_at is null order by id offset 0) r cross join lateral unnest(array[r.name::text,r.code::text,r.external_ref::text]) value
        where (regexp_replace(btrim(folded(value)), ' +', ' ', 'g') in (select called from wanted)) is true
      ), named as (
        select place, id, title, also, bool_or(met.key = wanted.key) as is_equal
        from wanted join met on met.called = wanted.called group by place, id, title, also
      )
    select place::int, id, title, also from (
      select place, id, title, also, row_number() over (partition by place, is_equal order by id) as n,
        is_equal or not bool_or(is_equal) over (partition by place) as is_nearest
      from named
    ) numbered
    where is_nearest and n <= $3 order by place, id
-- [["Quay"],7,5]

-- clients.namesakes.only
with wanted as (
        select value, regexp_replace(btrim(folded(value)), ' +', ' ', 'g') as called, (equal_key(value) collate "C") as key, place
        from unnest($1::text[]) with ordinality given (value, place)
      ), met as (
        select r.id, r.name as title, coalesce(r.external_ref::text) as also, value, regexp_replace(btrim(folded(value)), ' +', ' ', 'g') as called, (equal_key(value) collate "C") as key
        from (select * from clients r where company_id = $2 and deleted_at is null order by id offset 0) r cross join lateral unnest(array[r.name::text,r.external_ref::text]) value
        where (regexp_replace(btrim(folded(value)), ' +', ' ', 'g') in (select called from wanted)) is true and r.status = $3
      ), named as (
        select place, id, title, also, bool_or(met.key = wanted.key) as is_equal
        from wanted join met on met.called = wanted.called group by place, id, title, also
      )
    select place::int, id, title, also from (
      select place, id, title, also, row_number() over (partition by place, is_equal order by id) as n,
        is_equal or not bool_or(is_equal) over (partition by place) as is_nearest
      from named
    ) numbered
    where is_nearest and n <= $4 order by place, id
-- [["Quay"],7,"ACTIVE",5]

-- clients.name.same
with wanted as (
        select value, regexp_replace(btrim(folded(value)), ' +', ' ', 'g') as called, (equal_key(value) collate "C") as key, place
        from unnest($1::text[]) with ordinality given (value, place)
      ), met as (
        select r.id, r.name as title, coalesce(r.external_ref::text) as also, value, regexp_replace(btrim(folded(value)), ' +', ' ', 'g') as called, (equal_key(value) collate "C") as key
        from (select * from clients r where company_id = $2 and deleted_at is null order by id offset 0) r cross join lateral unnest(array[r.name::text]) value
        where (regexp_replace(btrim(folded(value)), ' +', ' ', 'g') in (select called from wanted)) is true
      ), named as (
        select place, id, title, also, bool_or(met.key = wanted.key) as is_equal
        from wanted join met on met.called = wanted.called group by place, id, title, also
      )
    select place::int, id, title, also from (
      select place, id, title, also, row_number() over (partition by place, is_equal order by id) as n,
        is_equal or not bool_or(is_equal) over (partition by place) as is_nearest
      from named
    ) numbered
    where is_nearest and n <= $3 order by place, id
-- [["Quay"],7,5]

-- clients.phone.same
with wanted as (
        select value, right(phone_digits(value), 7) as called, right(phone_digits(value), 7) as key, place
        from unnest($1::text[]) with ordinality given (value, place)
      ), met as (
        select r.id, r.name as title, coalesce(r.external_ref::text) as also, value, right(phone_digits(value), 7) as called, right(phone_digits(value), 7) as key
        from (select * from clients r where company_id = $2 and deleted_at is null order by id offset 0) r cross join lateral unnest(array[r.phone::text]) value
        where (right(phone_digits(value), 7) in (select called from wanted)) is true
      ), named as (
        select place, id, title, also, bool_or(met.key = wanted.key) as is_equal
        from wanted join met on met.called = wanted.called and (has_digits(met.value, wanted.value) or has_digits(wanted.value, met.value)) group by place, id, title, also
      )
    select place::int, id, title, also from (
      select place, id, title, also, row_number() over (partition by place, is_equal order by id) as n,
        is_equal or not bool_or(is_equal) over (partition by place) as is_nearest
      from named
    ) numbered
    where is_nearest and n <= $3 order by place, id
-- [["+49 221 555010"],7,5]
