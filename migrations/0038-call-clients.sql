-- Up Migration

-- What the agent that made the call says it is.
alter table calls add column client text;

-- Down Migration

alter table calls drop column client;
