-- Up Migration

-- Drawn when an epoch begins. Two restores of one backup give their epochs the same number, and cursors tell them apart
-- by this. The default is for processes of before, which do not name it.
alter table log_epochs add column line bigint not null default ('x' || right(gen_random_uuid()::text, 8))::bit(32)::bigint;

-- Down Migration

alter table log_epochs drop column line;
