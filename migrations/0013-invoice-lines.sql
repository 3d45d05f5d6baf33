-- Up Migration

-- An invoice has priced lines like an estimate, and its total follows from them. What there was so far becomes one line
-- of its total; where nothing was said of a total there is no line.
alter table invoices
  add column lines json not null default '[]',
  add column discount_pct numeric(5,2) check (discount_pct >= 0 and discount_pct <= 100),
  add column tax_pct numeric(5,2) check (tax_pct >= 0 and tax_pct <= 100),
  add column subtotal_minor bigint not null default 0 check (subtotal_minor between 0 and 9000000000000000),
  add column discount_minor bigint not null default 0 check (discount_minor between 0 and 9000000000000000),
  add column tax_minor bigint not null default 0 check (tax_minor between 0 and 9000000000000000);

-- The same for what a process of before writes, which knows of no lines: its sums do not add up.
create function invoice_of_one_line() returns trigger language plpgsql as $$
begin
  new.total_minor := coalesce(new.total_minor, 0);
  if new.total_minor <> new.subtotal_minor - new.discount_minor + new.tax_minor then
    new.lines := case when new.total_minor = 0 then '[]'::json else json_build_array(json_build_object(
      'description', 'Total', 'quantity', 1, 'unit', null, 'unit_price_minor', new.total_minor)) end;
    new.subtotal_minor := new.total_minor;
    new.discount_pct := null;
    new.discount_minor := 0;
    new.tax_pct := null;
    new.tax_minor := 0;
  end if;
  return new;
end $$;
create trigger invoice_of_one_line before insert or update of total_minor on invoices
  for each row execute function invoice_of_one_line();

update invoices set total_minor = coalesce(total_minor, 0) where total_minor is distinct from 0;
alter table invoices alter column total_minor set not null, alter column total_minor set default 0;

-- Down Migration

drop trigger invoice_of_one_line on invoices;
drop function invoice_of_one_line();
alter table invoices
  alter column total_minor drop not null, alter column total_minor drop default,
  drop column lines, drop column discount_pct, drop column tax_pct,
  drop column subtotal_minor, drop column discount_minor, drop column tax_minor;
