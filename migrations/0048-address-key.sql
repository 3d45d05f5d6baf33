-- Up Migration

-- Two addresses are equal if a reader sees them as equal: invisible characters (controls, direction marks, what Unicode
-- lets a reader ignore, the blank pattern of Braille) do not count, nor does the form of a final sigma. Forms of
-- compatibility and capitals did not count before. Older processes call the same function.
-- It is one block, because a Citus cluster does not take several such statements as one text.
do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  lock table accounts in share row exclusive mode;
  drop index accounts_email;
  drop index accounts_sign_in;

  create or replace function email_key(email text) returns text
    language sql immutable strict parallel safe
    return replace(lower(normalize(regexp_replace(email,
      '[\u0001-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
      '', 'g'), NFKC)), 'ς', 'σ');

  -- Accounts whose addresses are equal now keep them, as those of 0006 did: the first of them has 0.
  update accounts a set email_ordinal = twins.ordinal
  from (
    select company_id, id,
      row_number() over (partition by company_id, email_key(email) order by email_ordinal, id) - 1 as ordinal
    from accounts where not is_service
  ) twins
  where a.company_id = twins.company_id and a.id = twins.id and a.email_ordinal <> twins.ordinal;

  create unique index accounts_email on accounts (company_id, email_key(email), email_ordinal) where not is_service;
  create index accounts_sign_in on accounts (email_key(email), id) where not is_service;

  -- The addresses that every server of a distributed database has.
  if to_regclass('logins') is not null then
    delete from logins;
    insert into logins (company_id, account_id, email_key) select company_id, id, email_key(email) from accounts where not is_service;
  end if;
end $$;

-- Down Migration

do $$ begin
  set local citus.multi_shard_modify_mode = 'sequential';
  lock table accounts in share row exclusive mode;
  drop index accounts_email;
  drop index accounts_sign_in;

  create or replace function email_key(email text) returns text
    language sql immutable strict parallel safe
    return lower(normalize(email, NFKC));

  create unique index accounts_email on accounts (company_id, email_key(email), email_ordinal) where not is_service;
  create index accounts_sign_in on accounts (email_key(email), id) where not is_service;
  if to_regclass('logins') is not null then
    delete from logins;
    insert into logins (company_id, account_id, email_key) select company_id, id, email_key(email) from accounts where not is_service;
  end if;
end $$;
