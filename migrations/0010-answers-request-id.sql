-- Up Migration

-- The call that an answer was given to first, so that a replay can name it. Answers from before have none.
alter table answers add column request_id text;

-- A failed condition is stored no more: whoever follows its advice and sends the new ETag uses the same key.
delete from answers where status = 412;

-- Down Migration

alter table answers drop column request_id;
