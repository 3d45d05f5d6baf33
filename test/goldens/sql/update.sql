-- estimates.update:10000
update estimates r set notes = given.notes,version = version + 1,updated_at = now()
    from (
      select held.place as __place, given.* from json_to_recordset($1::json) as given (__id bigint, notes text)
      cross join lateral (
        select ctid as place from estimates where company_id = $2 and id = given.__id offset 0
      ) held
    ) given where r.ctid = given.__place
-- ["[{\"__id\":4711,\"notes\":null}]",7]

-- log.append
insert into history (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, write_id, request_id, idempotency_key)
    select c.id, $1::bigint, $2::bigint, $3::text, $4::uuid,
      $5::text, $6::text, $7::bigint, (select epoch from log_epochs order by epoch desc limit 1),
      given.record_id, given.version, given.changes, given.write_id, given.request_id, given.idempotency_key
    from companies c cross join json_to_recordset($8::json) as given (id bigint, record_id bigint,
      version integer, changes json, write_id uuid, request_id text, idempotency_key text) where c.id = $9
-- [8,9,"api",null,"estimates","changed",null,"[{\"record_id\":4711,\"version\":4,\"changes\":{\"notes\":[\"a\",null]},\"write_id\":\"00000000-0000-4000-8000-000000000000\",\"request_id\":null,\"idempotency_key\":null}]",7]

-- estimates.update-shown:10000
update estimates r set notes = given.notes,version = version + 1,updated_at = now()
    from (
      select held.place as __place, given.* from json_to_recordset($1::json) as given (__id bigint, notes text)
      cross join lateral (
        select ctid as place from estimates where company_id = $2 and id = given.__id offset 0
      ) held
    ) given where r.ctid = given.__place returning r.id, r.version, (select row_to_json(record)::text from (select r.id as id,r.title as title,r.number as number,r.status as status,r.client_id as client_id,r.project_id as project_id,r.issue_date as issue_date,r.valid_until as valid_until,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.external_ref as external_ref,r.notes as notes,(select currency from companies where id = $3) as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record) as json
-- ["[{\"__id\":4711,\"notes\":null}]",7,7]
