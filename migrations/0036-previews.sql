-- Up Migration

-- What agents have previewed. The row is the claim: whoever applies it holds it, and says so in the transaction that writes.
-- What it says of records is emptied a week after its end; the row stays as long as calls do. Decisions, Agents.
create table previews (
  company_id bigint not null references companies (id),
  id         uuid not null,
  token_id   bigint not null,
  client     text,
  why        text,
  call       jsonb,
  hash       text not null,
  plan       jsonb,
  state      text not null default 'open' check (state in ('open', 'waiting', 'approved', 'declined', 'applied')),
  decided_by bigint,
  decided_at timestamptz,
  write_id   uuid,
  results    jsonb,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at   timestamptz,
  primary key (company_id, id),
  check ((ended_at is not null) = (state in ('declined', 'applied'))),
  check ((write_id is not null) = (state = 'applied'))
);

create index previews_open on previews (company_id, expires_at) where ended_at is null;
create index previews_made on previews (company_id, created_at);
create index previews_told on previews (company_id, expires_at, id) where plan is not null;

-- Down Migration

drop table previews;
