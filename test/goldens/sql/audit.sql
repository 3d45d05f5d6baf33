-- (unnamed)
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.action, h.records, h.record_id,
      case h.records
        when 'tokens' then (
          select label from tokens where company_id = $1 and id between h.record_id and h.record_id order by id offset 0
        )
        when 'webhook_endpoints' then (select name from (select * from webhook_endpoints where company_id = $2 and id = h.record_id  offset 0) r)
        when 'accounts' then (select name from (select * from accounts where company_id = $3 and id = h.record_id  offset 0) r)
        when 'sessions' then (select name from (select * from accounts where company_id = $4 and id = h.record_id  offset 0) r)
      end as title, h.account_id,
      (select name from (select * from accounts where company_id = $5 and id = h.account_id  offset 0) account) as account_name, h.door,
      h.peer, h.forwarded_for, h.device, h.request_id, h.changes, h.at::text as place from (
      select * from history where company_id = $6 and records in ('tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents', 'sessions', 'exports', 'imports') order by at desc, id desc limit $7 offset $8
    ) h order by h.at desc, h.id desc
-- [7,7,7,7,7,7,50,0]

-- (unnamed)
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.action, h.records, h.record_id,
      case h.records
        when 'tokens' then (
          select label from tokens where company_id = $1 and id between h.record_id and h.record_id order by id offset 0
        )
        when 'webhook_endpoints' then (select name from (select * from webhook_endpoints where company_id = $2 and id = h.record_id  offset 0) r)
        when 'accounts' then (select name from (select * from accounts where company_id = $3 and id = h.record_id  offset 0) r)
        when 'sessions' then (select name from (select * from accounts where company_id = $4 and id = h.record_id  offset 0) r)
      end as title, h.account_id,
      (select name from (select * from accounts where company_id = $5 and id = h.account_id  offset 0) account) as account_name, h.door,
      h.peer, h.forwarded_for, h.device, h.request_id, h.changes, h.at::text as place from (
      select * from history where company_id = $6 and records in ('tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents', 'sessions', 'exports', 'imports') and account_id = $7 and action = $8 and records = $9 and at >= $10::timestamptz and at < $11::timestamptz order by at desc, id desc limit $12 offset $13
    ) h order by h.at desc, h.id desc
-- [7,7,7,7,7,7,8,"signed_in","sessions","2026-03-01T00:00:00.000Z","2026-03-01T00:00:00.000Z",50,0]

-- (unnamed)
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.action, h.records, h.record_id,
      case h.records
        when 'tokens' then (
          select label from tokens where company_id = $1 and id between h.record_id and h.record_id order by id offset 0
        )
        when 'webhook_endpoints' then (select name from (select * from webhook_endpoints where company_id = $2 and id = h.record_id  offset 0) r)
        when 'accounts' then (select name from (select * from accounts where company_id = $3 and id = h.record_id  offset 0) r)
        when 'sessions' then (select name from (select * from accounts where company_id = $4 and id = h.record_id  offset 0) r)
      end as title, h.account_id,
      (select name from (select * from accounts where company_id = $5 and id = h.account_id  offset 0) account) as account_name, h.door,
      h.peer, h.forwarded_for, h.device, h.request_id, h.changes, h.at::text as place from (
      select * from history where company_id = $6 and records in ('tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents', 'sessions', 'exports', 'imports') and (at, id) < ($7::timestamptz, $8::bigint) order by at desc, id desc limit $9
    ) h order by h.at desc, h.id desc
-- [7,7,7,7,7,7,"2026-03-31 12:00:00.123456+00",4711,500]

-- (unnamed)
select count(*) as total from (
      select from history where company_id = $1 and records in ('tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents', 'sessions', 'exports', 'imports') order by at,id offset 0
    ) counted
-- [7]

-- audit.old-companies
select id from companies where id > $1
      and exists (select from history where company_id = companies.id and records in ('tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents', 'sessions', 'exports', 'imports') and records in ('sessions', 'exports', 'imports')
        and at < now() - make_interval(days => $2::int) order by at,id offset 0)
    order by id limit $3
-- [0,400,100]

-- audit.sweep
delete from history
    where ctid = any (array(select ctid from history where company_id = $1 and records in ('tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents', 'sessions', 'exports', 'imports') and records in ('sessions', 'exports', 'imports')
        and at < now() - make_interval(days => $2::int) order by at, id limit $3))
    returning 1 as swept
-- [7,400,1000]

-- audit.of-person
select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, action, records, record_id, door, peer, forwarded_for, device, request_id from (
      select * from history where company_id = $1 and records in ('tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents', 'sessions', 'exports', 'imports') and (account_id = $2 or (records = 'sessions' and record_id = $3)) order by at,id offset 0
    ) h order by h.at, h.id
-- [7,8,8]

-- audit.erase
update history set peer = null, forwarded_for = null, device = null
    where ctid = any (array(select ctid from history where company_id = $1 and records in ('tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents', 'sessions', 'exports', 'imports') and (account_id = $2 or (records = 'sessions' and record_id = $3)) and (peer is not null or forwarded_for is not null or device is not null)
        order by at,id offset 0))
-- [7,8,8]
