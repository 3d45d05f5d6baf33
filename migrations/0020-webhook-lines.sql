-- Up Migration

-- The line of the log under which the cursor was read. Null, as processes of before leave it: that of the cursor's epoch.
alter table webhook_endpoints add column log_line bigint;

-- Down Migration

alter table webhook_endpoints drop column log_line;
