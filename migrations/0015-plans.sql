-- Up Migration

-- All that one write changed, found by its id. The ids of writes are in the order of time, so that new ones meet in the
-- last pages of the index.
create index history_write on history (company_id, write_id, id) where write_id is not null;

-- How far a write has been taken back: what the log has of it from `undone_from` on. Newest first, so a write with very many
-- records is taken back in parts.
create table undos (
  company_id  bigint not null references companies (id),
  write_id    uuid not null,
  undone_from bigint not null,
  at          timestamptz not null default now(),
  primary key (company_id, write_id)
);

-- Down Migration

drop table undos;
drop index history_write;
