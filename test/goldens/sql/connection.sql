-- (unnamed)
select pg_backend_pid() as pid,
    (select backend_start::text from pg_stat_get_activity(pg_backend_pid())) as backend_start,
    coalesce(current_setting('plumbline.session', true), '') = 'on' as is_marked,
    case when $1::int is not null and current_setting('server_version_num')::int >= 170000
      then set_config('transaction_timeout', $2::int::text, false) end as bound
-- [30000,30000]

-- (unnamed)
select case when current_setting('server_version_num')::int >= 170000
    then set_config('transaction_timeout', '0', true) end
-- []

-- (unnamed)
select pid, backend_start::text, case when coalesce(wait_event, '') <> 'SyncRep'
      then pg_terminate_backend(pid) end is null as waits_for_standby
    from pg_stat_activity a
    join unnest($1::int[], $2::timestamptz[])
      given (pid, backend_start) using (pid, backend_start)
    where usename = current_user
-- [[7],["2026-01-01 00:00:00.000001+00"]]
