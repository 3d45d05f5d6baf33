-- Up Migration

-- What calls said is kept by a list of what may stay. What was kept before may have values under names that nobody knew.
truncate call_details;

-- Down Migration

-- What was kept by the newer version is no more than the older one would have kept.
