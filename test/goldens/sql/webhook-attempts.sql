-- webhook-attempts.insert
insert into webhook_attempts (company_id, endpoint_id, at, event, event_id, after, by_hand, ms, status, failure,
      detail, request_headers, request_body, request_bytes, answer_headers, answer_body, answer_cut)
    values ($1, $2, $3, $4, $5,
      $6::json, $7, $8, $9, $10,
      $11, $12::json, $13,
      $14, $15::json, $16, $17)
    returning id
-- [7,3,"1970-01-01T00:00:00.000Z","projects.created","evt_1_9","{\"epoch\":1,\"pos\":\"800\",\"id\":4711}",false,1.5,200,null,null,"{}","{}",2,"{}","",false]

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
  coalesce(status between 200 and 299, false) as arrived, after, request_headers, request_body, request_bytes, answer_headers, answer_body, answer_cut
    from (
      select * from webhook_attempts where company_id = $1 and id between $2 and $3 order by id offset 0
    ) a
-- [7,1,1]

-- webhook-attempts.sweep
delete from webhook_attempts where ctid = any (array(
      select ctid from webhook_attempts where at < now() - make_interval(days => $1::int) order by at limit $2 for update skip locked
    )) returning 1 as swept
-- [30,1000]
