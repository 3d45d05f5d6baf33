-- (unnamed)
insert into companies (plan, add_ons, is_demo, name, currency, tax_id, registration_no, email, phone, website, bank_name, iban, bic, paper_language, time_zone, address, payment_terms_days, valid_days, tax_pct, footer)
    values ($1, $2, $3, $4::text,$5::text,$6::text,$7::text,$8::text,$9::text,$10::text,$11::text,$12::text,$13::text,$14::text,$15::text,$16::json,$17::integer,$18::integer,$19::numeric,$20::text)
    returning id, plan, add_ons, is_demo, logo_hash as logo, name, currency, tax_id, registration_no, email, phone, website, bank_name, iban, bic, paper_language, time_zone, address, payment_terms_days, valid_days, tax_pct::float8, footer
-- ["PRO",["api"],false,"Harbor","USD",null,null,null,null,null,null,null,null,null,"UTC",null,null,null,null,null]

-- (unnamed)
select id, plan, add_ons, is_demo, logo_hash as logo, name, currency, tax_id, registration_no, email, phone, website, bank_name, iban, bic, paper_language, time_zone, address, payment_terms_days, valid_days, tax_pct::float8, footer from companies where id = $1
-- [7]

-- companies.list
select id, plan, add_ons, is_demo, logo_hash as logo, name, currency, tax_id, registration_no, email, phone, website, bank_name, iban, bic, paper_language, time_zone, address, payment_terms_days, valid_days, tax_pct::float8, footer from companies order by id
-- []

-- companies.time-zone
select time_zone from companies where id = $1
-- [7]

-- logos.find
select type, bytes from company_logos where company_id = $1
    and hash = coalesce($2, (select logo_hash from companies where id = $3))
-- [7,"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",7]

-- logos.insert
insert into company_logos (company_id, hash, type, bytes)
    values ($1, $2, $3, $4) on conflict (company_id, hash) do nothing
-- [7,"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","image/png",{"type":"Buffer","data":[0]}]

-- logos.choose
update companies set logo_hash = $1 where id = $2
-- [null,7]

-- logos.delete-unused
delete from company_logos
    where ctid = any (array(select ctid from company_logos where company_id = $1
      and hash is distinct from (select logo_hash from companies where id = $2)
      and not exists (
        select from papers p where p.company_id = $3 and p.content -> 'letterhead' ->> 'logo' = company_logos.hash
      )))
-- [7,7,7]

-- (unnamed)
select id, plan, add_ons, is_demo, logo_hash as logo, name, currency, tax_id, registration_no, email, phone, website, bank_name, iban, bic, paper_language, time_zone, address, payment_terms_days, valid_days, tax_pct::float8, footer from companies where id = $1 for no key update
-- [7]

-- (unnamed)
select id, plan, add_ons, is_demo, logo_hash as logo, name, currency, tax_id, registration_no, email, phone, website, bank_name, iban, bic, paper_language, time_zone, address, payment_terms_days, valid_days, tax_pct::float8, footer from companies where id = $1 for update
-- [7]

-- companies.amounts
select 'projects' as records where exists (
      select from projects where company_id = $1 and (contract_minor > 0 or budget_minor > 0)
    ) union all select 'workers' as records where exists (
      select from workers where company_id = $2 and (hourly_cost_minor > 0 or bill_rate_minor > 0)
    ) union all select 'clients' as records where exists (
      select from clients where company_id = $3 and (credit_limit_minor > 0)
    ) union all select 'estimates' as records where exists (
      select from estimates where company_id = $4 and (json_array_length(lines) > 0 or subtotal_minor > 0 or discount_minor > 0 or tax_minor > 0 or total_minor > 0)
    ) union all select 'equipment' as records where exists (
      select from equipment where company_id = $5 and (purchase_price_minor > 0 or daily_rate_minor > 0)
    ) union all select 'time_entries' as records where exists (
      select from time_entries where company_id = $6 and (cost_minor > 0)
    ) union all select 'invoices' as records where exists (
      select from invoices where company_id = $7 and (json_array_length(lines) > 0 or subtotal_minor > 0 or discount_minor > 0 or tax_minor > 0 or total_minor > 0 or paid_minor > 0 or open_minor > 0)
    ) union all select 'payments' as records where exists (
      select from payments where company_id = $8 and (amount_minor > 0)
    ) union all select 'contracts' as records where exists (
      select from contracts where company_id = $9 and (amount_minor > 0)
    ) union all select 'equipment_logs' as records where exists (
      select from equipment_logs where company_id = $10 and (cost_minor > 0)
    )
-- [7,7,7,7,7,7,7,7,7,7]

-- (unnamed)
update companies set plan = $1, add_ons = $2,
      (name, currency, tax_id, registration_no, email, phone, website, bank_name, iban, bic, paper_language, time_zone, address, payment_terms_days, valid_days, tax_pct, footer) = row($3::text,$4::text,$5::text,$6::text,$7::text,$8::text,$9::text,$10::text,$11::text,$12::text,$13::text,$14::text,$15::json,$16::integer,$17::integer,$18::numeric,$19::text)
    where id = $20 returning id, plan, add_ons, is_demo, logo_hash as logo, name, currency, tax_id, registration_no, email, phone, website, bank_name, iban, bic, paper_language, time_zone, address, payment_terms_days, valid_days, tax_pct::float8, footer
-- ["PRO",["api"],"Harbor","USD",null,null,null,null,null,null,null,null,null,"UTC",null,null,null,null,null,7]

-- (unnamed)
select count(*) as used from (select * from projects r where company_id = $1 and deleted_at is null order by id offset 0) r
-- [7]

-- (unnamed)
insert into plan_usage (company_id, records, used) values ($1, $2, $3)
    on conflict (company_id, records) do update set used = excluded.used
-- [7,"projects",3]

-- (unnamed)
insert into accounts (company_id, name, email, permissions, password_hash, is_service)
    values ($1, $2, $3, $4, $5,
      $6)
    returning id, name, email, permissions, disabled_at is not null as disabled, is_service as service
-- [7,"Ada","ada@example.com",[],null,false]

-- (unnamed)
select id, name, email, permissions, disabled_at is not null as disabled, is_service as service from accounts where company_id = $1 order by id
-- [7]

-- (unnamed)
select company_id from accounts where id = $1
-- [8]

-- accounts.find
select id, name, email, permissions, disabled_at is not null as disabled, is_service as service from (select * from accounts where company_id = $1 and id = $2::bigint  offset 0) a
-- [7,8]

-- (unnamed)
select id, name, email, permissions, disabled_at is not null as disabled, is_service as service from accounts where company_id = $1 and id = $2 for no key update
-- [7,8]

-- (unnamed)
update accounts set name = $1, email = $2,
      email_ordinal = case when email_key(email) = email_key($3) then email_ordinal else 0 end, permissions = $4,
      disabled_at = null,
      password_hash = coalesce($5, password_hash)
    where company_id = $6 and id = $7 returning id, name, email, permissions, disabled_at is not null as disabled, is_service as service
-- ["Ada","ada@example.com","ada@example.com",[],null,7,8]

-- (unnamed)
select nextval(pg_get_serial_sequence('tokens', 'id')) as id, now() as at
-- []

-- (unnamed)
insert into tokens (company_id, id, account_id, issued_by, label, scopes, allowlist, expires_at, hash, sealed)
    values ($1, $2, $3, $4, $5, $6, $7::cidr[],
      $8, $9, $10)
    returning id, account_id, issued_by, label, scopes, allowlist::text[] as allowlist, sealed, created_at, expires_at
-- [7,9,8,8,"L",[],[],null,{"type":"Buffer","data":[0,255]},{"type":"Buffer","data":[0]}]

-- (unnamed)
select id, account_id, issued_by, label, scopes, allowlist::text[] as allowlist, sealed, created_at, expires_at from tokens where company_id = $1 and revoked_at is null
-- [7]

-- (unnamed)
update tokens set revoked_at = now() where company_id = $1 and revoked_at is null
    returning id, account_id, issued_by, label, scopes, allowlist::text[] as allowlist, sealed, created_at, expires_at
-- [7]

-- (unnamed)
update tokens set label = $1, scopes = $2 where company_id = $3 and revoked_at is null
    returning id, account_id, issued_by, label, scopes, allowlist::text[] as allowlist, sealed, created_at, expires_at
-- ["L",[],7]

-- (unnamed)
update tokens set allowlist = $1::cidr[] where company_id = $2 and revoked_at is null
    returning id, account_id, issued_by, label, scopes, allowlist::text[] as allowlist, sealed, created_at, expires_at
-- [[],7]

-- (unnamed)
insert into history as h (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, held, write_id, request_id, idempotency_key, peer, forwarded_for, device)
    select $1::bigint, $2::bigint, $3::bigint, $4,
      $5::uuid,
      $6, $7, $8::bigint, (select epoch from log_epochs order by epoch desc limit 1), logged.*, $9::uuid, $10::text, $11::text, $12::text, $13::text, $14::text
    from (select $15::bigint, null::bigint, $16::json, null::json) logged
-- [7,8,9,"api",null,"tokens","shown",null,"00000000-0000-4000-8000-000000000000",null,null,null,null,null,9,"null"]

-- log.append
insert into history (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, write_id, request_id, idempotency_key)
    select c.id, $1::bigint, $2::bigint, $3::text, $4::uuid,
      $5::text, $6::text, $7::bigint, (select epoch from log_epochs order by epoch desc limit 1),
      given.record_id, given.version, given.changes, given.write_id, given.request_id, given.idempotency_key
    from companies c cross join json_to_recordset($8::json) as given (id bigint, record_id bigint,
      version integer, changes json, write_id uuid, request_id text, idempotency_key text) where c.id = $9
-- [8,9,"api",null,"projects","created",null,"[{\"record_id\":4711,\"version\":1,\"write_id\":\"00000000-0000-4000-8000-000000000000\",\"request_id\":null,\"idempotency_key\":null}]",7]
