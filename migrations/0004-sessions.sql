-- Up Migration

-- Who is signed in to the web interface. The browser has the session's id; here is only its SHA-256, so that nobody who
-- reads the table can sign in by it. The cookie carries the company too, as a token does, so that this key begins with
-- it and every look at a session names one company.
create table sessions (
  company_id   bigint not null references companies (id),
  id_hash      bytea not null check (octet_length(id_hash) = 32),
  account_id   bigint not null,
  created_at   timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at   timestamptz not null,
  primary key (company_id, id_hash),
  foreign key (company_id, account_id) references accounts (company_id, id)
);

-- A new password ends the other sessions of its account; a disabled account loses all.
create index sessions_account on sessions (company_id, account_id);
create index sessions_expires on sessions (expires_at);

-- How often somebody tried a password lately, by e-mail address and by peer address. The one table besides companies
-- whose key does not begin with a company: whoever tries to sign in belongs to none yet, and an address that belongs to
-- no account has to be counted like any other. `subject` is a SHA-256, so what strangers type is not kept.
create table password_attempts (
  subject    bytea not null check (octet_length(subject) = 32),
  attempts   integer not null,
  started_at timestamptz not null default now(),
  primary key (subject)
);

create index password_attempts_started on password_attempts (started_at);

-- Down Migration

drop table password_attempts, sessions;
