-- companies.share
select id from companies where id = $1 for key share
-- [7]

-- persons.note-erasure
update companies c set persons_erased_at = now() where c.id = $1
-- [7]

-- persons.delete-details
delete from call_details where ctid = any (array(select ctid from call_details where company_id = $1 order by request_id offset 0))
-- [7]

-- persons.empty-attempts
update webhook_attempts set request_headers = '{}', request_body = '', answer_headers = null, answer_body = null,
      answer_cut = false, bytes = case when bytes is not null then $1 + coalesce(octet_length(detail), 0) end
    where ctid = any (array(select ctid from webhook_attempts where company_id = $2
        and (request_body <> '' or request_headers::text <> '{}' or answer_headers is not null or answer_body is not null)
      order by id limit $3)) returning 1 as emptied
-- [400,7,1000]

-- persons.empty-answers
update answers set body = regexp_replace(body, $1, $2, 'g')
    where ctid = any (array(select ctid from answers where company_id = $3 and body ~ $4 order by key limit $5)) returning 1 as emptied
-- ["\"(detail)\":\"(?!gone\")(?:[^\"\\\\]|\\\\.)*\"","\"\\1\":\"gone\"",7,"\"(detail)\":\"(?!gone\")(?:[^\"\\\\]|\\\\.)*\"",1000]

-- persons.empty-batch_answers
update batch_answers set body = regexp_replace(body, $1, $2, 'g')
    where ctid = any (array(select ctid from batch_answers where company_id = $3 and body ~ $4 order by key, n limit $5)) returning 1 as emptied
-- ["\"(detail)\":\"(?!gone\")(?:[^\"\\\\]|\\\\.)*\"","\"\\1\":\"gone\"",7,"\"(detail)\":\"(?!gone\")(?:[^\"\\\\]|\\\\.)*\"",1000]

-- persons.forget-password
update accounts set password_hash = null where company_id = $1 and id = $2
-- [7,8]

-- persons.sessions
select id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, to_char(last_seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_seen_at, device, peer, forwarded_for
    from (
      select * from sessions where company_id = $1 and account_id between $2 and $3 order by account_id offset 0
    ) s order by id
-- [7,8,8]

-- persons.calls
select to_char(c.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, c.route, c.record_id, c.status, host(c.peer) as peer
    from (select * from calls where company_id = $1 order by at desc offset 0) c
    where c.token_id in (
      select id from (select * from tokens where company_id = $2 order by id offset 0) t where account_id = $3
    ) order by c.at desc limit $4
-- [7,7,8,100]
