-- end
insert into calls (company_id, token_id, request_id, at, route, record_id, rows, status, code, about, ms, peer, dry_run, replayed, counted) values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15)
-- [7,9,"r","2026-01-01T00:00:00Z","projects.create",4711,null,201,null,null,1.5,null,false,false,true]

-- end-keyed
with kept as (insert into answers (company_id, key, fingerprint, status, body, location, etag, request_id, write_id)
    values ($1, $2, $3, $4, $5, $6,
      $7, $8, $9)
    on conflict (company_id, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
      body = excluded.body, location = excluded.location, etag = excluded.etag, request_id = excluded.request_id, write_id = excluded.write_id,
      completed_at = clock_timestamp()
    ) insert into calls (company_id, token_id, request_id, at, route, record_id, rows, status, code, about, ms, peer, dry_run, replayed, counted) values ($10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,$23,$24)
-- [7,"key",{"type":"Buffer","data":[0]},201,"{}",null,null,null,null,7,9,"r","2026-01-01T00:00:00Z","projects.create",4711,null,201,null,null,1.5,null,false,false,true]
