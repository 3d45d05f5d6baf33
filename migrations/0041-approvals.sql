-- Up Migration

-- To approve hours, and to take an approval back, has a right of its own. Who could do it goes on doing it.
update accounts set permissions = permissions || '{TIME_ENTRIES_APPROVE}'::text[]
where 'TIME_ENTRIES_EDIT' = any (permissions) and 'TIME_ENTRIES_APPROVE' <> all (permissions);

-- Down Migration

update accounts set permissions = array_remove(permissions, 'TIME_ENTRIES_APPROVE');
