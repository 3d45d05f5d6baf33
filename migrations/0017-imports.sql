-- Up Migration

-- An import is one write in many batches: its id is the id of that write. The row says how far it has come, moved in the
-- transaction of each batch, so that one that broke off goes on where it stopped and does nothing twice; and how the file was read, for
-- the next file of its sort.
create table imports (
  company_id  bigint not null references companies (id),
  write_id    uuid not null,
  account_id  bigint,
  records     text not null,
  file_name   text not null,
  fingerprint text not null,
  settings    jsonb not null,
  rows        integer not null check (rows > 0),
  done        integer not null default 0 check (done between 0 and rows),
  created     integer not null default 0,
  changed     integer not null default 0,
  at          timestamptz not null default now(),
  primary key (company_id, write_id),
  foreign key (company_id, account_id) references accounts (company_id, id)
);

-- Down Migration

drop table imports;
