-- call-details.insert
with company as materialized (
      select c.id, c.persons_erased_at from unnest($1::bigint[]) wanted (id)
      cross join lateral (
        select id, persons_erased_at from companies where id = wanted.id for key share offset 0
      ) c
    )
    insert into call_details (company_id, request_id, at, method, path, query, request_headers, request_body, request_bytes, request_state, answer_headers, answer_body, answer_bytes, answer_state) select company_id, request_id, at, method, path, query, request_headers, request_body, request_bytes, request_state, answer_headers, answer_body, answer_bytes, answer_state
    from json_to_recordset($2::json) as call (company_id bigint, request_id text, at timestamptz, method text, path text, query text, request_headers json, request_body text, request_bytes integer, request_state text, answer_headers json, answer_body text, answer_bytes integer, answer_state text)
    join company on company.id = call.company_id
    where coalesce(call.at > company.persons_erased_at + interval '2 minutes', true)
    on conflict do nothing
-- [[7],"[{\"company_id\":7,\"request_id\":\"r\",\"at\":\"2026-01-01T00:00:00Z\",\"method\":\"POST\",\"path\":\"/v1/projects\",\"query\":\"\",\"request_headers\":{},\"request_body\":\"{}\",\"request_bytes\":2,\"request_state\":\"whole\",\"answer_headers\":{},\"answer_body\":\"{}\",\"answer_bytes\":2,\"answer_state\":\"whole\"}]"]

-- call-details.find
select d.method, d.path, d.query, d.request_headers, d.request_body, d.request_bytes, d.request_state,
      d.answer_headers, d.answer_body, d.answer_bytes, d.answer_state
    from (
      select * from call_details where company_id = $1 and request_id between $2 and $3
      order by request_id offset 0
    ) d
    cross join (select * from companies where id = $4 offset 0) c where c.keeps_call_details
-- [7,"r","r",7]

-- call-details.switch
select keeps_call_details as keeps from (select * from companies where id = $1 offset 0) c
-- [7]

-- call-details.set-switch
update companies set keeps_call_details = $1
    where id = $2 and keeps_call_details <> $3 returning 1 as switched
-- [false,7,false]

-- call-details.sweep
delete from call_details where ctid = any (array(
      select ctid from call_details where at < now() - make_interval(days => $1::int) order by at limit $2 for update skip locked
    )) returning 1 as swept
-- [7,1000]

-- call-details.unwanted-companies
select id from companies where id > $1 and not keeps_call_details
      and exists (select from call_details where company_id = companies.id order by request_id offset 0)
    order by id limit $2
-- [0,100]

-- call-details.sweep-company
delete from call_details where ctid = any (array(
      select ctid from call_details where company_id = $1 order by request_id limit $2 for update skip locked
    )) returning 1 as swept
-- [7,1000]
