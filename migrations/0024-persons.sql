-- Up Migration

-- When a person of the company was last erased. What a process still holds in memory of calls from before is not written.
-- Decisions, Persons.
alter table companies add column persons_erased_at timestamptz;

-- Down Migration

alter table companies drop column persons_erased_at;
