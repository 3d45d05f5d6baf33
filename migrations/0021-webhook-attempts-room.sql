-- Up Migration

-- Of a request its form and the hash of its body: headers and body are made again from the log when they are shown.
-- `bytes` is the room that the attempt takes, which the budget of its company is kept by; a process of an earlier
-- version leaves it null. request_headers, request_body and the answer of a success stay for such a process, empty;
-- request_body has the body of a test.
alter table webhook_attempts
  add column payload text check (payload in ('thin', 'full')),
  add column request_sha256 bytea,
  add column bytes integer;

-- In the order in which attempts go where a company has too many: successes first, the oldest first.
create index webhook_attempts_room on webhook_attempts
  (company_id, (coalesce(status between 200 and 299, false)) desc, id) include (status, bytes);

-- Those of a process of an earlier version, which are still to be emptied.
create index webhook_attempts_older on webhook_attempts (company_id, id) where bytes is null;

-- Down Migration

drop index webhook_attempts_older, webhook_attempts_room;
alter table webhook_attempts drop column bytes, drop column request_sha256, drop column payload;
