-- Up Migration

-- ETags are hashes that a key of the company goes into, so that nobody can guess a text by trying. The default gives a key
-- to a company that an older process makes, too: 976 random bits, hashed to two keys of 256. Decisions, Conditional requests.
--
-- Tags without a key go: in what calls said, and in the results of previews. This comes first, because the last statement
-- stops every call until the commit.
delete from call_details;
update previews
  set results = regexp_replace(results::text, '"etag": "\\"[0-9]{1,10}-[A-Za-z0-9_-]{22}\\"", ', '', 'g')::jsonb
  where results is not null;

alter table companies add column tag_key text not null default encode(sha512((
    gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text
    || gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text
  )::bytea), 'hex');

-- Down Migration

alter table companies drop column tag_key;
