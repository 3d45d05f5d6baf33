-- Up Migration

-- What came of each operation of a batch whose operations stand by themselves. The batch has its row in `answers`, which
-- binds the key and ends all of them together; an operation that has no row here is still to be done.
create table batch_answers (
  company_id bigint not null,
  key        text not null,
  n          integer not null check (n >= 0),
  body       text not null,
  primary key (company_id, key, n),
  foreign key (company_id, key) references answers (company_id, key) on delete cascade
);

-- How many operations a call had, if it was a batch.
alter table calls add column rows integer;

-- Down Migration

alter table calls drop column rows;
drop table batch_answers;
