-- Up Migration

-- What a company puts on its papers, the values that its blank forms begin with, and the zone in which its days begin and
-- end. Older processes name none of these columns, and create companies in UTC.
alter table companies
  add column address json,
  add column tax_id text check (char_length(tax_id) between 1 and 40),
  add column registration_no text check (char_length(registration_no) between 1 and 80),
  add column email text check (char_length(email) between 3 and 254),
  add column phone text check (char_length(phone) between 5 and 40),
  add column website text check (char_length(website) between 10 and 500),
  add column bank_name text check (char_length(bank_name) between 1 and 120),
  add column iban text check (char_length(iban) between 15 and 34),
  add column bic text check (char_length(bic) between 1 and 11),
  add column payment_terms_days integer check (payment_terms_days between 0 and 365),
  add column valid_days integer check (valid_days between 0 and 365),
  add column tax_pct numeric check (tax_pct >= 0 and tax_pct <= 100),
  add column paper_language text check (paper_language in ('en', 'de')),
  add column footer text check (char_length(footer) between 1 and 500),
  add column time_zone text not null default 'UTC' check (char_length(time_zone) between 1 and 60),
  add column logo_hash text;

-- Pictures by the SHA-256 of their bytes, because papers name the one that they were issued with.
create table company_logos (
  company_id bigint not null references companies (id),
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  type text not null check (type in ('image/png', 'image/jpeg')),
  bytes bytea not null check (octet_length(bytes) between 1 and 262144),
  primary key (company_id, hash)
);

-- Down Migration

drop table company_logos;
alter table companies
  drop column address,
  drop column tax_id,
  drop column registration_no,
  drop column email,
  drop column phone,
  drop column website,
  drop column bank_name,
  drop column iban,
  drop column bic,
  drop column payment_terms_days,
  drop column valid_days,
  drop column tax_pct,
  drop column paper_language,
  drop column footer,
  drop column time_zone,
  drop column logo_hash;
