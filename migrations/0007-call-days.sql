-- Up Migration

-- What remains of calls that are no longer kept: how many there were a day, by resource and outcome, as Settings shows
-- them. Rows leave `calls` and are added here in one statement, so that the sum of both is exact in every snapshot.
-- Like `calls` it has no foreign key: companies are never deleted.
create table call_days (
  company_id bigint not null,
  day        date not null,
  resource   text not null,
  outcome    text not null check (outcome in ('ok', 'refused', 'replayed', 'dry_run')),
  calls      bigint not null,
  counted    bigint not null,
  primary key (company_id, day, resource, outcome)
);

-- Down Migration

drop table call_days;
