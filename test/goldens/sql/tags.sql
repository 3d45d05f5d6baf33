-- projects.tags
select r.id, '"' || r.version || '-' || left(translate(encode(sha256(convert_to(right(company.tag_key, 64) || encode(sha256(convert_to(left(company.tag_key, 64) || r.version || '-' || (select row_to_json(record)::text from (select r.id as id,r.name as name,r.code as code,r.description as description,r.status as status,r.client_id as client_id,r.category_id as category_id,r.manager_id as manager_id,r.address as address,r.start_date as start_date,r.end_date as end_date,r.contract_minor as contract_minor,r.budget_minor as budget_minor,r.percent_complete as percent_complete,r.external_ref as external_ref,r.notes as notes,company.currency as currency,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record), 'UTF8')), 'hex'), 'UTF8')), 'base64'), '+/', '-_'), 22) || '"' as etag
    from (select * from companies where id = $1 offset 0) company cross join (select distinct id from unnest($2::bigint[]) id order by id) wanted
    cross join lateral (
      select ctid, * from projects where company_id = $3 and id = wanted.id  offset 0
    ) r
-- [7,[4711],7]
