-- Up Migration

-- The accounts that the demo made and nobody has taken over by a password of his own. `sealed` is the drawn password,
-- encrypted with a key that the database does not have, so that a start can show it again; `password_hash` is the hash
-- that it belongs to, so that a password which was changed since is seen to be somebody's own. `closed_at` is set where
-- PLUMBLINE_DEMO=off disabled the account.
create table demo_accounts (
  company_id    bigint not null references companies (id),
  account_id    bigint not null,
  sealed        bytea,
  password_hash text,
  closed_at     timestamptz,
  primary key (company_id, account_id),
  foreign key (company_id, account_id) references accounts (company_id, id)
);

-- Companies of earlier demos, whose passwords were published. Each was made with its accounts in one transaction.
insert into demo_accounts (company_id, account_id)
select a.company_id, a.id
from accounts a join companies c on c.id = a.company_id
where c.is_demo and a.created_at = c.created_at;

-- When the demo was removed: nothing adds it again unasked.
create table demo_removals (
  removed_at timestamptz not null default now()
);

-- Down Migration

drop table demo_removals, demo_accounts;
