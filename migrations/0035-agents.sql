-- Up Migration

-- Whether programs that act for a language model may reach the company at /mcp, and what they need a person for.
-- Null: they may not.
alter table companies add column agents jsonb;

-- Down Migration

alter table companies drop column agents;
