-- Up Migration

-- The account that answers for a webhook: what it may not see is not sent. Null: the operator, as for tokens. It has no
-- foreign key, whose making would stop the writes of two tables; accounts are never deleted while their company is there.
-- Where a right is lost the webhook is switched off, and `disabled_detail` says which.
alter table webhook_endpoints
  add column account_id bigint,
  add column disabled_detail text,
  drop constraint webhook_endpoints_disabled_because_check,
  add constraint webhook_endpoints_disabled_because_check
    check (disabled_because in ('by_hand', 'gone', 'failing', 'rights'));

-- Who made it answers for it, if enabled and allowed to see all that it tells of.
update webhook_endpoints w set account_id = a.id
from history h join accounts a on a.company_id = h.company_id and a.id = h.account_id
where h.company_id = w.company_id and h.records = 'webhook_endpoints' and h.record_id = w.id and h.action = 'created'
  and a.disabled_at is null and not exists (
    select from unnest(w.events) as told (event)
    where not upper(split_part(event, '.', 1)) || '_VIEW' = any (a.permissions)
  );

-- Down Migration

update webhook_endpoints set disabled_because = 'by_hand' where disabled_because = 'rights';
alter table webhook_endpoints
  drop constraint webhook_endpoints_disabled_because_check,
  add constraint webhook_endpoints_disabled_because_check check (disabled_because in ('by_hand', 'gone', 'failing')),
  drop column disabled_detail,
  drop column account_id;
