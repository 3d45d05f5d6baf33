-- Up Migration

-- The history becomes a log that can be read in the order of commits. Decisions, Changes.

-- A log begins anew where transaction ids start again or are used twice: after a dump was restored, after a return to an
-- earlier moment, where a replica took over. `identity` is what tells one log from another.
create table log_epochs (
  epoch    integer not null primary key check (epoch > 0),
  identity text not null,
  began_at timestamptz not null default now()
);

-- Places of the log before which it is complete, with the time at which that was so. The last mark of an epoch that is
-- closed is its end: what came after may be lost.
create table log_marks (
  epoch integer not null,
  pos   xid8 not null,
  at    timestamptz not null default now(),
  primary key (epoch, pos)
);

create index log_marks_at on log_marks (at);

-- The first connection that serves says whose the first epoch is.
insert into log_epochs (epoch, identity) values (1, '');

-- What was noted before comes first, in the order of its ids.
alter table history
  add column epoch integer not null default 1,
  add column pos xid8 not null default '0',
  add column version bigint,
  add column write_id uuid,
  add column request_id text,
  add column idempotency_key text,
  add column removal_id bigint,
  add column held json;

-- For processes of before, which do not name it.
create function log_epoch() returns integer
  language sql stable
  begin atomic
    select max(epoch) from log_epochs;
  end;
alter table history alter column epoch set default log_epoch();
-- Never before a change of the same record that is committed: whoever could see that change has a snapshot that ends
-- after its position. A transaction's own id alone is assigned before it holds the record.
alter table history alter column pos set default greatest(pg_current_xact_id(), pg_snapshot_xmax(pg_current_snapshot()));

-- Every change of a record has had a row here since its creation, which has made it one version newer.
update history h set
  version = numbered.version,
  held = case when h.action = 'erased' then h.changes end,
  changes = case when h.action <> 'erased' then h.changes end
from (
  select company_id, id, case when first_value(action) over changes_of = 'created' then row_number() over changes_of end as version
  from history
  where records not in ('accounts', 'companies', 'tokens')
  window changes_of as (partition by company_id, records, record_id order by id)
) numbered
where h.company_id = numbered.company_id and h.id = numbered.id;

-- For a replay, which names the write of the first answer.
alter table answers add column write_id uuid;

create index history_log on history (company_id, epoch, pos, id);

-- Down Migration

drop index history_log;
alter table answers drop column write_id;
update history set changes = held where action = 'erased';
alter table history
  drop column epoch, drop column pos, drop column version, drop column write_id, drop column request_id,
  drop column idempotency_key, drop column removal_id, drop column held;
drop function log_epoch();
drop table log_marks, log_epochs;
