-- invoices.append-papers
insert into papers (company_id, records, record_id, version, addressee_id, account_id, write_id, content)
    select c.id, 'invoices', r.id, r.version, r.client_id, $1::bigint,
      due.write_id, now.content
    from (select * from companies where id = $2 offset 0) c
    cross join json_to_recordset($3::json) as due (id bigint, record_id bigint, write_id uuid)
    cross join lateral (select * from invoices where company_id = $4 and id = due.record_id  offset 0) r
    cross join lateral (select jsonb_build_object(
      'record', (select row_to_json(record)::text from (select r.id as id,r.client_id as client_id,r.project_id as project_id,r.estimate_id as estimate_id,r.replaces_id as replaces_id,r.number as number,r.issued_on as issued_on,r.due_on as due_on,r.po_number as po_number,r.note as note,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.paid_minor as paid_minor,r.open_minor as open_minor,r.status as status,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::jsonb,
      'addressee', (
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.contact_name as contact_name,r.tax_id as tax_id,r.billing_address as billing_address) record)::jsonb from (select * from clients where company_id = $5 and id = r.client_id  offset 0) r
      ),
      'letterhead', (select to_jsonb(letterhead) from (select c.name, c.currency, c.tax_id, c.registration_no, c.email, c.phone, c.website, c.bank_name, c.iban, c.bic, c.paper_language, c.address, c.footer, c.logo_hash as logo) letterhead)
    ) as content offset 0) now
-- [8,7,"[{\"record_id\":4711,\"write_id\":\"00000000-0000-4000-8000-000000000000\"}]",7,7]

-- invoices.append-papers-missing
insert into papers (company_id, records, record_id, version, addressee_id, account_id, write_id, content)
    select c.id, 'invoices', r.id, r.version, r.client_id, $1::bigint,
      due.write_id, now.content
    from (select * from companies where id = $2 offset 0) c
    cross join json_to_recordset($3::json) as due (id bigint, record_id bigint, write_id uuid)
    cross join lateral (select * from invoices where company_id = $4 and id = due.record_id  offset 0) r
    cross join lateral (select jsonb_build_object(
      'record', (select row_to_json(record)::text from (select r.id as id,r.client_id as client_id,r.project_id as project_id,r.estimate_id as estimate_id,r.replaces_id as replaces_id,r.number as number,r.issued_on as issued_on,r.due_on as due_on,r.po_number as po_number,r.note as note,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.paid_minor as paid_minor,r.open_minor as open_minor,r.status as status,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::jsonb,
      'addressee', (
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.contact_name as contact_name,r.tax_id as tax_id,r.billing_address as billing_address) record)::jsonb from (select * from clients where company_id = $5 and id = r.client_id  offset 0) r
      ),
      'letterhead', (select to_jsonb(letterhead) from (select c.name, c.currency, c.tax_id, c.registration_no, c.email, c.phone, c.website, c.bank_name, c.iban, c.bic, c.paper_language, c.address, c.footer, c.logo_hash as logo) letterhead)
    ) as content offset 0) now
    left join lateral (
      select * from papers where company_id = $6 and records = 'invoices'
        and record_id between r.id and r.id order by record_id desc, id desc limit 1
    ) p on true
    where p.id is null or (not (r.status in ('ISSUED', 'PAID', 'VOID')) and jsonb_strip_nulls(p.content || jsonb_build_object('record', (p.content -> 'record') - '{updated_at,status,notes,external_ref}'::text[])) <> jsonb_strip_nulls(now.content || jsonb_build_object('record', (now.content -> 'record') - '{updated_at,status,notes,external_ref}'::text[])))
-- [8,7,"[{\"record_id\":4711,\"write_id\":\"00000000-0000-4000-8000-000000000000\"}]",7,7,7]

-- invoices.paper
select coalesce(p.content, now.content) as content, p.id is not null as is_fixed,
      p.id is not null and (not (r.status in ('ISSUED', 'PAID', 'VOID')) and jsonb_strip_nulls(p.content || jsonb_build_object('record', (p.content -> 'record') - '{updated_at,status,notes,external_ref}'::text[])) <> jsonb_strip_nulls(now.content || jsonb_build_object('record', (now.content -> 'record') - '{updated_at,status,notes,external_ref}'::text[]))) as is_changed, coalesce(p.version, r.version) as version,
      case when r.status in ('DRAFT', 'VOID') and (p.id is null or r.status in ('ISSUED', 'PAID', 'VOID'))
        then r.status end as across,
      to_char(p.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, p.sent_on::text as sent_on, p.sent_by
    from (select * from companies where id = $1 offset 0) c
    cross join lateral (select * from invoices where company_id = $2 and id = $3  offset 0) r
    cross join lateral (select jsonb_build_object(
      'record', (select row_to_json(record)::text from (select r.id as id,r.client_id as client_id,r.project_id as project_id,r.estimate_id as estimate_id,r.replaces_id as replaces_id,r.number as number,r.issued_on as issued_on,r.due_on as due_on,r.po_number as po_number,r.note as note,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.paid_minor as paid_minor,r.open_minor as open_minor,r.status as status,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::jsonb,
      'addressee', (
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.contact_name as contact_name,r.tax_id as tax_id,r.billing_address as billing_address) record)::jsonb from (select * from clients where company_id = $4 and id = r.client_id  offset 0) r
      ),
      'letterhead', (select to_jsonb(letterhead) from (select c.name, c.currency, c.tax_id, c.registration_no, c.email, c.phone, c.website, c.bank_name, c.iban, c.bic, c.paper_language, c.address, c.footer, c.logo_hash as logo) letterhead)
    ) as content offset 0) now
    left join lateral (
      select * from papers where company_id = $5 and records = 'invoices'
        and record_id between r.id and r.id order by record_id desc, id desc limit 1
    ) p
      on true
    where r.deleted_at is null
-- [7,7,4711,7,7]

-- invoices.paper-now
select coalesce(p.content, now.content) as content, p.id is not null as is_fixed,
      p.id is not null and (not (r.status in ('ISSUED', 'PAID', 'VOID')) and jsonb_strip_nulls(p.content || jsonb_build_object('record', (p.content -> 'record') - '{updated_at,status,notes,external_ref}'::text[])) <> jsonb_strip_nulls(now.content || jsonb_build_object('record', (now.content -> 'record') - '{updated_at,status,notes,external_ref}'::text[]))) as is_changed, coalesce(p.version, r.version) as version,
      case when r.status in ('DRAFT', 'VOID') and (p.id is null or r.status in ('ISSUED', 'PAID', 'VOID'))
        then r.status end as across,
      to_char(p.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, p.sent_on::text as sent_on, p.sent_by
    from (select * from companies where id = $1 offset 0) c
    cross join lateral (select * from invoices where company_id = $2 and id = $3  offset 0) r
    cross join lateral (select jsonb_build_object(
      'record', (select row_to_json(record)::text from (select r.id as id,r.client_id as client_id,r.project_id as project_id,r.estimate_id as estimate_id,r.replaces_id as replaces_id,r.number as number,r.issued_on as issued_on,r.due_on as due_on,r.po_number as po_number,r.note as note,r.lines as lines,trim_scale(r.discount_pct) as discount_pct,trim_scale(r.tax_pct) as tax_pct,r.subtotal_minor as subtotal_minor,r.discount_minor as discount_minor,r.tax_minor as tax_minor,r.total_minor as total_minor,r.paid_minor as paid_minor,r.open_minor as open_minor,r.status as status,to_char(r.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,to_char(r.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at) record)::jsonb,
      'addressee', (
        select (select row_to_json(record)::text from (select r.id as id,r.name as name,r.contact_name as contact_name,r.tax_id as tax_id,r.billing_address as billing_address) record)::jsonb from (select * from clients where company_id = $4 and id = r.client_id  offset 0) r
      ),
      'letterhead', (select to_jsonb(letterhead) from (select c.name, c.currency, c.tax_id, c.registration_no, c.email, c.phone, c.website, c.bank_name, c.iban, c.bic, c.paper_language, c.address, c.footer, c.logo_hash as logo) letterhead)
    ) as content offset 0) now
    left join lateral (
      select * from papers where company_id = $5 and records = 'invoices'
        and record_id between r.id and r.id order by record_id desc, id desc limit 1
    ) p
      on (r.status in ('ISSUED', 'PAID', 'VOID'))
    where r.deleted_at is null
-- [7,7,4711,7,7]

-- papers.mark-sent
update papers set sent_on = $1::date, sent_by = $2
    where ctid = any (array(select ctid from papers where company_id = $3 and records = $4 and record_id between $5 and $6
        order by record_id desc, id desc limit 1)) returning version
-- ["2026-03-31","EMAIL",7,"invoices",4711,4711]

-- invoices.without-paper
select r.id from (
      select * from invoices where company_id = $1 and id > $2 order by id offset 0
    ) r
    where r.status in ('ISSUED', 'PAID', 'VOID') and (r.status in ('ISSUED', 'PAID', 'VOID')) and not exists (
      select from papers p where p.company_id = $3 and p.records = 'invoices'
        and p.record_id = r.id
    )
    order by r.id limit $4
-- [7,4711,7,500]

-- invoices.papers-to
select p.id, p.records, p.record_id, p.version, to_char(p.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, p.content, p.sent_on::text as sent_on, p.sent_by,
      coalesce((r.status in ('ISSUED', 'PAID', 'VOID')), false) as is_of_the_books
    from (
      select * from papers where company_id = $1 and records = $2
      order by record_id,id offset 0
    ) p
    left join lateral (select * from invoices where company_id = $3 and id = p.record_id  offset 0) r on true
    where p.addressee_id = $4
-- [7,"invoices",7,3]

-- papers.erase-addressee
update papers set content = jsonb_set(content, '{addressee}', content -> 'addressee' || $1::jsonb)
    where ctid = any (array(select ctid from papers where company_id = $2 and records = $3 and id = any ($4::bigint[]) order by record_id, id))
-- ["{\"name\":\"Erased client 3\"}",7,"invoices",[4711,4712]]
