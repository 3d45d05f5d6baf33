-- Up Migration

-- What a refused call was refused for: the fields, or the right or the add-on that it lacks. The index has refused
-- calls alone: those that fail are grouped, and those of a token that is gone are looked for with every visit.
alter table calls add column about text[];
create index calls_refused on calls (company_id, code, at) where code is not null;

-- What a call said and was answered, for some days and not of every call. Decisions, Call log. A state says what
-- there is of a body: the whole of it, the whole but for what is masked, its beginning, or nothing.
create table call_details (
  company_id      bigint not null,
  request_id      text not null,
  at              timestamptz not null,
  method          text not null,
  path            text not null,
  query           text not null,
  request_headers json not null,
  request_body    text,
  request_bytes   integer not null,
  request_state   text not null check (request_state in ('whole', 'masked', 'cut', 'left_out')),
  answer_headers  json not null,
  answer_body     text,
  answer_bytes    integer not null,
  answer_state    text not null check (answer_state in ('whole', 'masked', 'cut', 'left_out')),
  primary key (company_id, request_id),
  check ((request_body is null) = (request_state = 'left_out')),
  check ((answer_body is null) = (answer_state = 'left_out'))
);

create index call_details_at on call_details (at);

-- The company's own switch for them.
alter table companies add column keeps_call_details boolean not null default true;

-- What was done in Settings, newest first, among all the changes of records.
create index history_settings on history (company_id, at, id)
  where records in ('tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies');

-- Down Migration

drop index history_settings;
alter table companies drop column keeps_call_details;
drop table call_details;
drop index calls_refused;
alter table calls drop column about;
