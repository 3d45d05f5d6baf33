-- Up Migration

-- The same for the epochs of each company, which a distributed database has. An epoch that a process of before begins has
-- no line. The function is called immutable so that it is evaluated on the company's server, once for each row.
do $$ begin
  if to_regclass('company_epochs') is not null then
    alter table company_epochs add column line bigint;
    create function log_line(company bigint) returns bigint language plpgsql immutable as $f$
    begin
      return ('x' || right(gen_random_uuid()::text, 8))::bit(32)::bigint;
    end $f$;
    update company_epochs set line = log_line(company_id);
  end if;
end $$;

-- Down Migration

do $$ begin
  if to_regclass('company_epochs') is not null then
    drop function log_line(bigint);
    alter table company_epochs drop column line;
  end if;
end $$;
