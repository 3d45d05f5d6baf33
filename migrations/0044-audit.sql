-- Up Migration

-- Where a request came from that did something in Settings, signed in or took records out: as far as can be known, and what
-- it claims. Null of changes of records, and of what was noted before.
alter table history add column peer text, add column forwarded_for text, add column device text;

-- Whoever manages all of a company may read it.
update accounts set permissions = permissions || '{AUDIT_VIEW}'::text[]
where permissions @> '{API_MANAGE,ACCOUNTS_MANAGE,COMPANY_MANAGE}' and 'AUDIT_VIEW' <> all (permissions);

-- Down Migration

update accounts set permissions = array_remove(permissions, 'AUDIT_VIEW');
delete from history where records in ('sessions', 'exports', 'imports');
alter table history drop column peer, drop column forwarded_for, drop column device;
