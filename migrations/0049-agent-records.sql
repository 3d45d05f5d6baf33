-- Up Migration

-- The records that a preview changed without a person, by which the bound of an hour is kept. Null: nothing was applied, or
-- a person approved it, or a process of an older version applied it.
alter table previews add column records_alone int;

create index previews_alone on previews (company_id, ended_at) where records_alone is not null;

-- Down Migration

drop index previews_alone;
alter table previews drop column records_alone;
