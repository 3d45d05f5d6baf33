-- webhook-attempts.insert
insert into webhook_attempts (company_id, endpoint_id, at, event, event_id, after, payload, by_hand, ms, status, failure, detail,
      request_headers, request_body, request_bytes, request_sha256, bytes, answer_headers, answer_body, answer_cut)
    select $1::bigint, $2::bigint, $3::timestamptz, $4::text,
      $5::text, $6::json, $7::text, $8::boolean,
      $9::real, $10::smallint, $11::text, $12::text, '{}'::json,
      $13::text, $14::integer, $15::bytea,
      $16::integer, case when is_kept then $17::json end,
      case when is_kept then $18::text end, is_kept and $19::boolean
    from (select coalesce($20::timestamptz > persons_erased_at + interval '2 minutes', true) as is_kept from companies
    where id = $21 for key share offset 0) company
    returning id
-- [7,3,"1970-01-01T00:00:00.000Z","projects.created","evt_1_9","{\"epoch\":1,\"pos\":\"800\",\"id\":4711,\"line\":3141592653}","full",false,1.5,500,null,null,"",2,{"type":"Buffer","data":[0]},402,"{}","",false,"1970-01-01T00:00:00.000Z",7]

-- webhook-attempts.list
select id, endpoint_id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, event, event_id, by_hand, ms::float8 as ms, status, failure, detail,
  coalesce(status between 200 and 299, false) as arrived from webhook_attempts where company_id = $1 and endpoint_id between $2 and $3
      and (not $4::boolean or status is null or status not between 200 and 299)
    order by endpoint_id desc, id desc limit $5 offset $6
-- [7,3,3,true,50,0]

-- webhook-attempts.count
select count(*) as total from (
      select from webhook_attempts where company_id = $1 and endpoint_id between $2 and $3
      and (not $4::boolean or status is null or status not between 200 and 299)
      order by endpoint_id,id offset 0
    ) counted
-- [7,3,3,false]

-- webhook-attempts.find
select id, endpoint_id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, event, event_id, by_hand, ms::float8 as ms, status, failure, detail,
  coalesce(status between 200 and 299, false) as arrived, after, payload, floor(extract(epoch from at))::float8 as timestamp, request_bytes, request_sha256,
      case when after is null and request_sha256 is not null then request_body end as test_body,
      case when request_sha256 is not null then answer_headers end as answer_headers,
      case when request_sha256 is not null then answer_body end as answer_body, answer_cut, (
        select answering.permissions from (select * from webhook_endpoints where company_id = $1 and id = a.endpoint_id  offset 0) w
        cross join lateral (select * from accounts where company_id = $2 and id = w.account_id  offset 0) answering
      ) as permissions
    from (
      select * from webhook_attempts where company_id = $3 and id between $4 and $5 order by id offset 0
    ) a
-- [7,7,7,1,1]

-- webhook-attempts.sweep
delete from webhook_attempts where ctid = any (array(
      select ctid from webhook_attempts where at < now() - make_interval(days => $1::int) order by at limit $2 for update skip locked
    )) returning 1 as swept
-- [30,1000]

-- webhook-attempts.sending-companies
select distinct w.company_id as id from webhook_endpoints w where w.company_id > $1 and exists (
      select from (
        select at from webhook_attempts where company_id = w.company_id and endpoint_id between w.id and w.id
        order by endpoint_id desc, id desc limit 1
      ) newest where at > now() - make_interval(secs => $2::float8)
    )
    order by id limit $3
-- [7,600,1000]

-- webhook-attempts.free
with gone as (
      delete from webhook_attempts where ctid = any (array(
        select ctid from (select ctid from (
        select ctid, sum(bytes) over (order by arrived desc, number rows unbounded preceding) - bytes as before from (
          select ctid, id as number, coalesce(status between 200 and 299, false) as arrived, coalesce(bytes, 0) as bytes
          from webhook_attempts where company_id = $1
          order by coalesce(status between 200 and 299, false) desc, webhook_attempts.id limit $2
        ) first
      ) running where before < (
        select coalesce(sum(bytes), 0) from (
          select bytes from webhook_attempts where company_id = $3 order by coalesce(status between 200 and 299, false) desc,id offset 0
        ) every
      ) - $4::bigint) excess
      )) returning endpoint_id, at
    ), held as (
      select id from webhook_endpoints
      where company_id = $5 and id = any (array(select distinct endpoint_id from gone))
      order by id for no key update
    ), kept as (
      update webhook_endpoints w
      set attempts_from = greatest(attempts_from, (select max(at) from gone where endpoint_id = w.id))
      where company_id = $6 and id = any (array(select id from held))
    )
    select 1 as swept from gone
-- [7,1000,7,64,7,7]

-- webhook-attempts.deleted-companies
select distinct w.company_id as id from webhook_endpoints w where w.company_id > $1 and w.deleted_at > now() - make_interval(days => $2::int) and exists (
      select from (
        select at from webhook_attempts where company_id = w.company_id and endpoint_id between w.id and w.id
        order by endpoint_id desc, id desc limit 1
      ) newest where true
    )
    order by id limit $3
-- [7,30,1000]

-- webhook-attempts.sweep-deleted
delete from webhook_attempts where ctid = any (array(
      select ctid from webhook_attempts where company_id = $1 and endpoint_id = any (array(
      select id from webhook_endpoints where company_id = $2 and deleted_at is not null
    )) order by endpoint_id, id limit $3 for update skip locked
    )) returning 1 as swept
-- [7,7,1000]

-- webhook-attempts.empty
update webhook_attempts set request_headers = '{}', request_body = '', answer_headers = null, answer_body = null,
      answer_cut = false, bytes = 400 where ctid = any (array(
      select ctid from webhook_attempts where bytes is null order by company_id, id limit $1 for update skip locked
    )) returning 1 as swept
-- [1000]
