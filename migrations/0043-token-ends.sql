-- Up Migration

-- When a token ends by itself; null: it does not. Past it the token is refused by the clock of the database.
alter table tokens add column expires_at timestamptz;

-- Down Migration

alter table tokens drop column expires_at;
