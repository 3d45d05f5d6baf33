-- Up Migration

-- Each statement names the one index that serves it, so that its plan is right before the first statistics. Where two
-- indexes could serve one, there is now one, or they are told apart.

-- A search finds live records by their lack of a removal; all other indexes of live records by their lack of a time.
drop index projects_search;
create index projects_search on projects using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index projects_search alter column 1 set statistics 0;
drop index workers_search;
create index workers_search on workers using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index workers_search alter column 1 set statistics 0;
drop index clients_search;
create index clients_search on clients using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index clients_search alter column 1 set statistics 0;
drop index estimates_search;
create index estimates_search on estimates using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index estimates_search alter column 1 set statistics 0;
drop index subcontractors_search;
create index subcontractors_search on subcontractors using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index subcontractors_search alter column 1 set statistics 0;
drop index equipment_search;
create index equipment_search on equipment using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index equipment_search alter column 1 set statistics 0;
drop index trades_search;
create index trades_search on trades using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index trades_search alter column 1 set statistics 0;
drop index categories_search;
create index categories_search on categories using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index categories_search alter column 1 set statistics 0;
drop index tasks_search;
create index tasks_search on tasks using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index tasks_search alter column 1 set statistics 0;
drop index contacts_search;
create index contacts_search on contacts using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index contacts_search alter column 1 set statistics 0;
drop index invoices_search;
create index invoices_search on invoices using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index invoices_search alter column 1 set statistics 0;
drop index contracts_search;
create index contracts_search on contracts using gin (search_keys(company_id, search)) with (fastupdate = off) where removal_id is null;
alter index contracts_search alter column 1 set statistics 0;

-- The changes of a total are found by their key.
drop index tally_changes_records;
alter table tally_changes drop constraint tally_changes_pkey;
alter table tally_changes add primary key (company_id, records, id) include (change);

-- Deletions are listed in the order of their key.
drop index removals_at;

-- Down Migration

create index removals_at on removals (company_id, at);
alter table tally_changes drop constraint tally_changes_pkey;
alter table tally_changes add primary key (company_id, id);
create index tally_changes_records on tally_changes (company_id, records) include (change);
drop index projects_search;
create index projects_search on projects using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index projects_search alter column 1 set statistics 0;
drop index workers_search;
create index workers_search on workers using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index workers_search alter column 1 set statistics 0;
drop index clients_search;
create index clients_search on clients using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index clients_search alter column 1 set statistics 0;
drop index estimates_search;
create index estimates_search on estimates using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index estimates_search alter column 1 set statistics 0;
drop index subcontractors_search;
create index subcontractors_search on subcontractors using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index subcontractors_search alter column 1 set statistics 0;
drop index equipment_search;
create index equipment_search on equipment using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index equipment_search alter column 1 set statistics 0;
drop index trades_search;
create index trades_search on trades using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index trades_search alter column 1 set statistics 0;
drop index categories_search;
create index categories_search on categories using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index categories_search alter column 1 set statistics 0;
drop index tasks_search;
create index tasks_search on tasks using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index tasks_search alter column 1 set statistics 0;
drop index contacts_search;
create index contacts_search on contacts using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index contacts_search alter column 1 set statistics 0;
drop index invoices_search;
create index invoices_search on invoices using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index invoices_search alter column 1 set statistics 0;
drop index contracts_search;
create index contracts_search on contracts using gin (search_keys(company_id, search)) with (fastupdate = off) where deleted_at is null;
alter index contracts_search alter column 1 set statistics 0;
