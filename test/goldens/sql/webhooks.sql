-- webhooks.first-since
select h.epoch, h.pos::text as pos, h.id from (
      select epoch, pos from log_marks where at <= $1 order by at desc limit 1
    ) mark right join (select) one on true cross join lateral (
      select * from history
      where company_id = $2 and (epoch, pos) >= (coalesce(mark.epoch, 0), coalesce(mark.pos, '0'::xid8))
        and at >= $3
      order by company_id, epoch, pos, id limit 1
    ) h
-- ["1970-01-01T00:00:00.000Z",7,"1970-01-01T00:00:00.000Z"]

-- (unnamed)
select pg_advisory_xact_lock(hashtext('webhooks'), $1::int)
-- [7]

-- webhooks.list
select company_id, id, name, url, events, payload, ordered, previous_until, cursor_epoch,
  cursor_pos::text as cursor_pos, cursor_id, log_epoch, log_line, resync_since, pending, paused_until, next_attempt_at, failing_since, disabled_at, disabled_because, disabled_detail, account_id, created_at,
  attempts_from, coalesce((cursor_epoch, cursor_pos, cursor_id) < (replay_epoch, replay_pos, replay_id), false) as is_replaying from (
      select * from webhook_endpoints where company_id = $1 order by id offset 0
    ) w where deleted_at is null order by id
-- [7]

-- webhooks.find
select company_id, id, name, url, events, payload, ordered, previous_until, cursor_epoch,
  cursor_pos::text as cursor_pos, cursor_id, log_epoch, log_line, resync_since, pending, paused_until, next_attempt_at, failing_since, disabled_at, disabled_because, disabled_detail, account_id, created_at,
  attempts_from, coalesce((cursor_epoch, cursor_pos, cursor_id) < (replay_epoch, replay_pos, replay_id), false) as is_replaying from (select ctid, * from webhook_endpoints where company_id = $1 and id = $2  offset 0) w where deleted_at is null
-- [7,3]

-- webhooks.hold
select company_id, id, name, url, events, payload, ordered, previous_until, cursor_epoch,
  cursor_pos::text as cursor_pos, cursor_id, log_epoch, log_line, resync_since, pending, paused_until, next_attempt_at, failing_since, disabled_at, disabled_because, disabled_detail, account_id, created_at,
  attempts_from, coalesce((cursor_epoch, cursor_pos, cursor_id) < (replay_epoch, replay_pos, replay_id), false) as is_replaying from (select ctid, * from webhook_endpoints where company_id = $1 and id = $2 for no key update offset 0) w where deleted_at is null
-- [7,3]

-- (unnamed)
select nextval(pg_get_serial_sequence('webhook_endpoints', 'id')) as id
-- []

-- (unnamed)
insert into webhook_endpoints as w (company_id, id, name, url, events, payload, ordered, account_id, sealed,
      cursor_epoch, cursor_pos, cursor_id, log_epoch, log_line, pending)
    select c.id, $1::bigint, $2, $3, $4::text[], $5, $6::boolean, $7::bigint, $8::bytea, $9::int,
      $10::text::xid8, $11::bigint, (select epoch from log_epochs order by epoch desc limit 1), (select line from log_epochs order by epoch desc limit 1), (
        select coalesce(json_object_agg('evt_' || h.epoch || '_' || h.id, 'arrived'), '{}') from (
          select epoch, id from history where company_id = $12 and (epoch, pos) >= ($13::int, $14::text::xid8)
            and records = any ($15::text[])
          order by company_id, epoch, pos, id limit 1000
        ) h
      ) from companies c where c.id = $16
    returning company_id, id, name, url, events, payload, ordered, previous_until, cursor_epoch,
  cursor_pos::text as cursor_pos, cursor_id, log_epoch, log_line, resync_since, pending, paused_until, next_attempt_at, failing_since, disabled_at, disabled_because, disabled_detail, account_id, created_at,
  attempts_from, coalesce((cursor_epoch, cursor_pos, cursor_id) < (replay_epoch, replay_pos, replay_id), false) as is_replaying
-- [3,"W","https://erp.example.com",["projects.created"],"full",true,5,{"type":"Buffer","data":[0]},1,"800",4711,7,1,"800",["clients"],7]

-- (unnamed)
update webhook_endpoints set name = $1, url = $2, events = $3, payload = $4,
      ordered = $5, account_id = $6, paused_until = null, next_attempt_at = null, claim = null, claimed_until = null,
      pending = (
        select coalesce(json_object_agg(key, value), '{}') from json_each(pending) where value::text = '"arrived"'
      )
    where ctid = any (array(select w.ctid from (select ctid, * from webhook_endpoints where company_id = $7 and id = $8  offset 0) w where w.deleted_at is null)) returning company_id, id, name, url, events, payload, ordered, previous_until, cursor_epoch,
  cursor_pos::text as cursor_pos, cursor_id, log_epoch, log_line, resync_since, pending, paused_until, next_attempt_at, failing_since, disabled_at, disabled_because, disabled_detail, account_id, created_at,
  attempts_from, coalesce((cursor_epoch, cursor_pos, cursor_id) < (replay_epoch, replay_pos, replay_id), false) as is_replaying
-- ["W","https://erp.example.com",["projects.created"],"full",true,5,7,3]

-- (unnamed)
update webhook_endpoints set sealed = $1, previous_sealed = $2,
      previous_until = $3, claim = null, claimed_until = null
    where ctid = any (array(select w.ctid from (select ctid, * from webhook_endpoints where company_id = $4 and id = $5  offset 0) w where w.deleted_at is null)) returning company_id, id, name, url, events, payload, ordered, previous_until, cursor_epoch,
  cursor_pos::text as cursor_pos, cursor_id, log_epoch, log_line, resync_since, pending, paused_until, next_attempt_at, failing_since, disabled_at, disabled_because, disabled_detail, account_id, created_at,
  attempts_from, coalesce((cursor_epoch, cursor_pos, cursor_id) < (replay_epoch, replay_pos, replay_id), false) as is_replaying
-- [{"type":"Buffer","data":[0]},{"type":"Buffer","data":[0]},"1970-01-01T00:00:00.000Z",7,3]

-- webhooks.secrets
select sealed, case when previous_until > $1 then previous_sealed end as previous_sealed
    from (select ctid, * from webhook_endpoints where company_id = $2 and id = $3  offset 0) w where deleted_at is null
-- ["1970-01-01T00:00:00.000Z",7,3]

-- (unnamed)
update webhook_endpoints set disabled_at = $1, disabled_because = $2, disabled_detail = $3,
      claim = null, claimed_until = null
    where ctid = any (array(select w.ctid from (select ctid, * from webhook_endpoints where company_id = $4 and id = $5  offset 0) w where w.deleted_at is null)) returning company_id, id, name, url, events, payload, ordered, previous_until, cursor_epoch,
  cursor_pos::text as cursor_pos, cursor_id, log_epoch, log_line, resync_since, pending, paused_until, next_attempt_at, failing_since, disabled_at, disabled_because, disabled_detail, account_id, created_at,
  attempts_from, coalesce((cursor_epoch, cursor_pos, cursor_id) < (replay_epoch, replay_pos, replay_id), false) as is_replaying
-- ["1970-01-01T00:00:00.000Z","by_hand",null,7,3]

-- (unnamed)
update webhook_endpoints set replay_epoch = cursor_epoch, replay_pos = cursor_pos, replay_id = cursor_id
    where ctid = any (array(select w.ctid from (select ctid, * from webhook_endpoints where company_id = $1 and id = $2  offset 0) w where w.deleted_at is null)) and not coalesce((cursor_epoch, cursor_pos, cursor_id) < (replay_epoch, replay_pos, replay_id), false)
-- [7,3]

-- (unnamed)
update webhook_endpoints set cursor_epoch = $1, cursor_pos = $2::text::xid8, cursor_id = $3, pending = '{}', paused_until = null,
      next_attempt_at = null, failing_since = null, disabled_at = null, disabled_because = null, disabled_detail = null, account_id = $4,
      log_epoch = (select epoch from log_epochs order by epoch desc limit 1), log_line = (select line from log_epochs order by epoch desc limit 1), resync_since = null, claim = null, claimed_until = null
    where ctid = any (array(select w.ctid from (select ctid, * from webhook_endpoints where company_id = $5 and id = $6  offset 0) w where w.deleted_at is null)) returning company_id, id, name, url, events, payload, ordered, previous_until, cursor_epoch,
  cursor_pos::text as cursor_pos, cursor_id, log_epoch, log_line, resync_since, pending, paused_until, next_attempt_at, failing_since, disabled_at, disabled_because, disabled_detail, account_id, created_at,
  attempts_from, coalesce((cursor_epoch, cursor_pos, cursor_id) < (replay_epoch, replay_pos, replay_id), false) as is_replaying
-- [1,"800",4711,5,7,3]

-- (unnamed)
update webhook_endpoints set deleted_at = now(), sealed = null, previous_sealed = null, claim = null,
      claimed_until = null
    where ctid = any (array(select w.ctid from (select ctid, * from webhook_endpoints where company_id = $1 and id = $2  offset 0) w where w.deleted_at is null)) returning id
-- [7,3]

-- webhooks.failing
select id, name, failing_since, disabled_because, disabled_detail, resync_since,
      account_id is null and disabled_at is null as is_unanswered from (
      select * from webhook_endpoints where company_id = $1 order by id offset 0
    ) w where deleted_at is null and (
      failing_since is not null or disabled_because <> 'by_hand' or resync_since is not null
      or account_id is null and disabled_at is null
    ) order by id
-- [7]

-- webhooks.figures
select count(*) filter (where disabled_at is null and failing_since is null) as well,
      count(*) filter (where disabled_at is null and failing_since is not null) as failing,
      count(*) filter (where disabled_because <> 'by_hand') as given_up,
      count(*) filter (where disabled_because = 'by_hand') as disabled,
      count(resync_since) as resync,
      count(*) filter (where disabled_at is null and account_id is null) as unanswered,
      coalesce(greatest(extract(epoch from clock_timestamp() - min(failing_since) filter (where disabled_at is null)), 0), 0)::float8
        as failing_seconds
    from (select * from webhook_endpoints order by company_id,id offset 0) w where deleted_at is null
-- []

-- webhooks.due
select w.company_id, w.id, c.add_ons from webhook_endpoints w cross join lateral (select * from companies where id = w.company_id offset 0) c
    where w.company_id > $1 and w.disabled_at is null and w.deleted_at is null and (w.claimed_until is null or w.claimed_until < now()) and 'api' = any (c.add_ons)
      and (w.paused_until is null or w.paused_until <= $2)
      and (w.next_attempt_at <= $3 or w.next_attempt_at is null and exists (select from (
        select id from history where company_id = w.company_id
          and (epoch, pos, id) > (w.cursor_epoch, w.cursor_pos, w.cursor_id)
          and (epoch, pos) < ((select epoch from log_epochs order by epoch desc limit 1), pg_snapshot_xmin(pg_current_snapshot()))
        order by company_id, epoch, pos, id limit 1
      ) news))
    order by w.company_id, w.id limit $4
-- [7,"1970-01-01T00:00:00.000Z","1970-01-01T00:00:00.000Z",9]

-- webhooks.claim
update webhook_endpoints set claim = $1::uuid, claimed_until = now() + make_interval(secs => $2) where ctid = any (array(
      select w.ctid from unnest($3::bigint[], $4::bigint[]) wanted (company_id, id)
        cross join lateral (
          select ctid, * from webhook_endpoints
          where company_id = wanted.company_id and id = wanted.id for update skip locked offset 0
        ) w
      where w.disabled_at is null and w.deleted_at is null and (w.claimed_until is null or w.claimed_until < now())
    )) returning company_id, id, name, url, events, payload, ordered, previous_until, cursor_epoch,
  cursor_pos::text as cursor_pos, cursor_id, log_epoch, log_line, resync_since, pending, paused_until, next_attempt_at, failing_since, disabled_at, disabled_because, disabled_detail, account_id, created_at,
  attempts_from, coalesce((cursor_epoch, cursor_pos, cursor_id) < (replay_epoch, replay_pos, replay_id), false) as is_replaying
-- ["00000000-0000-4000-8000-000000000000",45,[7],[3]]

-- webhooks.settle
update webhook_endpoints set cursor_epoch = $1, cursor_pos = $2::text::xid8, cursor_id = $3, log_line = $4, pending = $5::json,
      paused_until = $6, next_attempt_at = $7, failing_since = $8,
      claimed_until = now() + make_interval(secs => $9)
    where ctid = any (array(
    select w.ctid from (select ctid, * from webhook_endpoints where company_id = $10 and id = $11  offset 0) w where w.claim = $12::uuid
  )) returning id
-- [1,"800",4711,3141592653,"{}",null,null,null,45,7,3,"00000000-0000-4000-8000-000000000000"]

-- webhooks.mark-resync
update webhook_endpoints set log_epoch = $1, resync_since = $2 where ctid = any (array(
    select w.ctid from (select ctid, * from webhook_endpoints where company_id = $3 and id = $4  offset 0) w where w.claim = $5::uuid
  )) returning id
-- [2,"1970-01-01T00:00:00.000Z",7,3,"00000000-0000-4000-8000-000000000000"]

-- webhooks.release
update webhook_endpoints set claim = null, claimed_until = null where ctid = any (array(
    select w.ctid from (select ctid, * from webhook_endpoints where company_id = $1 and id = $2  offset 0) w where w.claim = $3::uuid
  )) returning id
-- [7,3,"00000000-0000-4000-8000-000000000000"]

-- webhooks.release-outlived
update webhook_endpoints set claim = null, claimed_until = null, failing_since = coalesce(failing_since, $1)
    where ctid = any (array(
    select w.ctid from (select ctid, * from webhook_endpoints where company_id = $2 and id = $3  offset 0) w where w.claim = $4::uuid
  )) returning id
-- ["1970-01-01T00:00:00.000Z",7,3,"00000000-0000-4000-8000-000000000000"]

-- webhooks.claims
select count(*) as in_force, count(*) filter (where silent_seconds > $1) as silent,
      coalesce(max(silent_seconds) filter (where silent_seconds > $2), 0) as silent_seconds
    from (
      select $3::float8 - extract(epoch from claimed_until - now())::float8 as silent_seconds from (
        select * from webhook_endpoints order by company_id,id offset 0
      ) w where deleted_at is null and claimed_until > now()
    ) claims
-- [30,30,45]

-- webhooks.give-up
update webhook_endpoints set disabled_at = $1, disabled_because = $2, disabled_detail = $3
    where ctid = any (array(
    select w.ctid from (select ctid, * from webhook_endpoints where company_id = $4 and id = $5  offset 0) w where w.claim = $6::uuid
  )) returning id
-- ["1970-01-01T00:00:00.000Z","gone",null,7,3,"00000000-0000-4000-8000-000000000000"]
