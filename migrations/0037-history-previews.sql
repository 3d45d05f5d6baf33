-- Up Migration

-- The preview by which an agent wrote it, and nobody by any other way.
alter table history add column preview_id uuid;

-- Down Migration

alter table history drop column preview_id;
