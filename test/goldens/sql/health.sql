-- (unnamed)
select
    current_setting('server_version') as version,
    current_setting('server_version_num')::int as version_number,
    current_setting('server_encoding') as encoding,
    current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    current_setting('synchronous_commit') as synchronous_commit,
    current_schema()::text as schema,
    coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
    pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as read_only,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
    array(select name::text from pg_available_extensions where name = any ($1)) as extensions,
    current_setting('data_checksums')::boolean as checksums,
    (select coalesce(sum(checksum_failures), 0) from pg_stat_database)::int as damaged,
    (select max(checksum_last_failure) from pg_stat_database) as damaged_at
-- [["unaccent"]]

-- (unnamed)
select company_id, id, sealed from tokens where revoked_at is null order by created_at desc limit 1
-- []
