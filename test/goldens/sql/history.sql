-- history.record
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.account_id, (select name from (select * from accounts where company_id = $1 and id = h.account_id  offset 0) account) as account_name, h.door, t.label as token_label,
  t.issued_by as issuer_id, (select name from (select * from accounts where company_id = $2 and id = t.issued_by  offset 0) account) as issuer_name, h.records, h.record_id, h.action, h.changes, h.write_id from history h 
  left join lateral (
    select label, issued_by from tokens
    where company_id = $3 and id between h.token_id and h.token_id order by id offset 0
  ) t on true where h.company_id = $4 and h.records = $5 and h.record_id between $6 and $7
    order by h.record_id desc, h.id desc limit $8 offset $9
-- [7,7,7,7,"projects",4711,4711,50,0]

-- history.recent-by-token
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.account_id, (select name from (select * from accounts where company_id = $1 and id = h.account_id  offset 0) account) as account_name, h.door, t.label as token_label,
  t.issued_by as issuer_id, (select name from (select * from accounts where company_id = $2 and id = t.issued_by  offset 0) account) as issuer_name, h.records, h.record_id, h.action, h.changes, h.write_id from unnest($3::bigint[]) wanted (id) cross join lateral (
      select * from (
        select * from history h where h.company_id = $4 and h.records = $5 and h.record_id between wanted.id and wanted.id
        order by h.record_id desc, h.id desc limit $6
      ) newest
      where token_id = $7 and at > now() - interval '1 day' and write_id is distinct from $8::uuid
      order by id desc limit $9
    ) h 
  left join lateral (
    select label, issued_by from tokens
    where company_id = $10 and id between h.token_id and h.token_id order by id offset 0
  ) t on true order by h.record_id, h.id desc
-- [7,7,[4711,4712],7,"projects",100,9,null,10,7]

-- projects.titles
select r.id, r.name::text as title from (select distinct id from unnest($1::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $2 and id = wanted.id  offset 0
    ) r
-- [[4711,4712],7]

-- history.count
select count(*) as total from (
      select from history h where h.company_id = $1 and h.records = $2 and h.record_id between $3 and $4 order by h.record_id,h.id offset 0
    ) h
-- [7,"projects",4711,4711]

-- (unnamed)
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.account_id, (select name from (select * from accounts where company_id = $1 and id = h.account_id  offset 0) account) as account_name, h.door, t.label as token_label,
  t.issued_by as issuer_id, (select name from (select * from accounts where company_id = $2 and id = t.issued_by  offset 0) account) as issuer_name, h.records, h.record_id, h.action, h.changes, h.write_id, case h.records when $3 then (
      select r.name::text from (select * from projects where company_id = $4 and id = h.record_id  offset 0) r
    ) when $5 then (
      select r.name::text from (select * from workers where company_id = $6 and id = h.record_id  offset 0) r
    ) end as title
    from (
      select * from history where company_id = $7 and records = any ($8::text[])
      order by id desc limit $9
    ) h 
  left join lateral (
    select label, issued_by from tokens
    where company_id = $10 and id between h.token_id and h.token_id order by id offset 0
  ) t on true order by h.id desc
-- [7,7,"projects",7,"workers",7,7,["projects","workers"],10,7]

-- removals.list
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.account_id, (select name from (select * from accounts where company_id = $1 and id = h.account_id  offset 0) account) as account_name, h.door, t.label as token_label,
  t.issued_by as issuer_id, (select name from (select * from accounts where company_id = $2 and id = t.issued_by  offset 0) account) as issuer_name, h.records, h.record_id, h.title, h.mode, h.went, h.unlinked,
      to_char(h.restored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as restored_at
    from removals h 
  left join lateral (
    select label, issued_by from tokens
    where company_id = $3 and id between h.token_id and h.token_id order by id offset 0
  ) t on true
    where h.company_id = $4 and h.records = any ($5::text[])
    order by h.id desc limit $6 offset $7
-- [7,7,7,7,["projects"],50,0]

-- history.settings
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.account_id, (select name from (select * from accounts where company_id = $1 and id = h.account_id  offset 0) account) as account_name, h.door, t.label as token_label,
  t.issued_by as issuer_id, (select name from (select * from accounts where company_id = $2 and id = t.issued_by  offset 0) account) as issuer_name, h.records, h.record_id, h.action, h.changes, h.write_id, case h.records
        when 'tokens' then (
          select label from tokens where company_id = $3 and id between h.record_id and h.record_id order by id offset 0
        )
        when 'webhook_endpoints' then (select name from (select * from webhook_endpoints where company_id = $4 and id = h.record_id  offset 0) r)
        when 'accounts' then (select name from (select * from accounts where company_id = $5 and id = h.record_id  offset 0) r)
        when 'sessions' then (select name from (select * from accounts where company_id = $6 and id = h.record_id  offset 0) r)
      end as title
    from (
      select * from history where company_id = $7 and records in ('tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents', 'sessions', 'exports', 'imports') and records = any ($8::text[]) order by at desc, id desc limit $9 offset $10
    ) h 
  left join lateral (
    select label, issued_by from tokens
    where company_id = $11 and id between h.token_id and h.token_id order by id offset 0
  ) t on true order by h.at desc, h.id desc
-- [7,7,7,7,7,7,7,["tokens"],50,0,7]

-- history.settings-count
select count(*) as total from (
      select from history where company_id = $1 and records in ('tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents', 'sessions', 'exports', 'imports') and records = any ($2::text[]) order by at,id offset 0
    ) counted
-- [7,["tokens"]]

-- removals.count
select count(*) as total from (
      select from removals where company_id = $1 and records = any ($2::text[]) order by id offset 0
    ) counted
-- [7,["projects"]]
