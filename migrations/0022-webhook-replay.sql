-- Up Migration

-- A replay is under way until the cursor has come to where it was before the replay began. Of attempts before
-- `attempts_from` some were removed, because the company had too many.
alter table webhook_endpoints
  add column replay_epoch integer,
  add column replay_pos xid8,
  add column replay_id bigint,
  add column attempts_from timestamptz;

-- Down Migration

alter table webhook_endpoints
  drop column attempts_from, drop column replay_id, drop column replay_pos, drop column replay_epoch;
