-- history.record
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.account_id, (select name from (select * from accounts where company_id = h.company_id and id = h.account_id  offset 0) account) as account_name, h.door, t.label as token_label,
  t.issued_by as issuer_id, (select name from (select * from accounts where company_id = h.company_id and id = t.issued_by  offset 0) account) as issuer_name, h.records, h.record_id, h.action, h.changes, h.write_id from history h 
  left join lateral (
    select label, issued_by from tokens
    where company_id = h.company_id and id between h.token_id and h.token_id order by id offset 0
  ) t on true where h.company_id = $1 and h.records = $2 and h.record_id between $3 and $4
    order by h.record_id desc, h.id desc limit $5 offset $6
-- [7,"projects",4711,4711,50,0]

-- history.count
select count(*) as total from (
      select from history h where h.company_id = $1 and h.records = $2 and h.record_id between $3 and $4 order by h.record_id,h.id offset 0
    ) h
-- [7,"projects",4711,4711]

-- (unnamed)
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.account_id, (select name from (select * from accounts where company_id = h.company_id and id = h.account_id  offset 0) account) as account_name, h.door, t.label as token_label,
  t.issued_by as issuer_id, (select name from (select * from accounts where company_id = h.company_id and id = t.issued_by  offset 0) account) as issuer_name, h.records, h.record_id, h.action, h.changes, h.write_id, case h.records when $1 then (
      select r.name::text from (select * from projects where company_id = h.company_id and id = h.record_id  offset 0) r
    ) when $2 then (
      select r.name::text from (select * from workers where company_id = h.company_id and id = h.record_id  offset 0) r
    ) end as title
    from (
      select * from history where company_id = $3 and records = any ($4::text[])
      order by id desc limit $5
    ) h 
  left join lateral (
    select label, issued_by from tokens
    where company_id = h.company_id and id between h.token_id and h.token_id order by id offset 0
  ) t on true order by h.id desc
-- ["projects","workers",7,["projects","workers"],10]

-- removals.list
select h.id, to_char(h.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, h.account_id, (select name from (select * from accounts where company_id = h.company_id and id = h.account_id  offset 0) account) as account_name, h.door, t.label as token_label,
  t.issued_by as issuer_id, (select name from (select * from accounts where company_id = h.company_id and id = t.issued_by  offset 0) account) as issuer_name, h.records, h.record_id, h.title, h.mode, h.went, h.unlinked,
      to_char(h.restored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as restored_at
    from removals h 
  left join lateral (
    select label, issued_by from tokens
    where company_id = h.company_id and id between h.token_id and h.token_id order by id offset 0
  ) t on true
    where h.company_id = $1 and h.records = any ($2::text[])
    order by h.id desc limit $3 offset $4
-- [7,["projects"],50,0]

-- removals.count
select count(*) as total from (
      select from removals where company_id = $1 and records = any ($2::text[]) order by id offset 0
    ) counted
-- [7,["projects"]]
