-- workers.lock-person
select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json, to_char(r.deleted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as deleted_at
    from (select * from workers where company_id = $2 and id = $3 for update offset 0) r
-- [7,7,17]

-- workers.find-persons
select r.version, (select row_to_json(record)::text from (select r.id as id,r.name as name,r.employee_no as employee_no,r.email as email,r.phone as phone,r.status as status,r.trade_id as trade_id,r.employment_type as employment_type,r.supervisor_id as supervisor_id,r.hired_on as hired_on,r.left_on as left_on,r.hourly_cost_minor as hourly_cost_minor,r.bill_rate_minor as bill_rate_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $1) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json, to_char(r.deleted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as deleted_at
    from (select distinct id from unnest($2::bigint[]) id) wanted
    cross join lateral (select * from workers where company_id = $3 and id = wanted.id  offset 0) r
-- [7,[17,18],7]

-- persons.history
select id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, action, version, changes, held, account_id, door from (
      select * from history where company_id = $1 and records = $2 and record_id between $3 and $4 order by record_id,id offset 0
    ) h order by id
-- [7,"workers",17,17]

-- persons.erase-history
update history h set changes = case when json_typeof(h.changes) = 'object' then (
      select '{' || coalesce(string_agg(
        to_json(key)::text || ':' || case when key = any ($1::text[]) then '[null,null]' else value::text end,
        ',' order by place), '') || '}'
      from json_each(h.changes) with ordinality as member (key, value, place)
    )::json else h.changes end, held = case when json_typeof(h.held) = 'object' then (
      select '{' || coalesce(string_agg(
        to_json(key)::text || ':' || case when key = any ($2::text[]) then ($3::json -> key)::text else value::text end,
        ',' order by place), '') || '}'
      from json_each(h.held) with ordinality as member (key, value, place)
    )::json else h.held end
    where ctid = any (array(select ctid from history where company_id = $4 and records = $5 and record_id between $6 and $7 order by record_id,id offset 0))
-- [["name"],["name"],"{\"name\":\"Erased worker 17\"}",7,"workers",17,17]

-- persons.removals
select id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, title, mode, to_char(restored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as restored_at
    from (select * from removals where company_id = $1 order by id offset 0) r
    where records = $2 and record_id = $3 order by id
-- [7,"workers",17]

-- persons.rename-removals
update removals r set title = $1 where r.ctid = any (array(select r.ctid from (select distinct id from unnest($2::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from removals where company_id = $3 and id = wanted.id  offset 0
    ) r))
-- ["Erased worker 17",[1],7]

-- time_entries.referring.worker_id
select id, deleted_at is null as live from (select * from time_entries where company_id = $1 order by id offset 0) r
    where worker_id = $2 order by id
-- [7,17]

-- (unnamed)
select r.id from (select * from projects where company_id = $1 order by id offset 0) r
    where folded(concat_ws(E'\n', r.name::text,r.code::text,r.description::text,r.status::text,r.address::text,r.external_ref::text,r.notes::text)) like any (array(select containing(part) from unnest($2::text[]) part))
    order by r.id limit $3
-- [7,["Grace"],20]
