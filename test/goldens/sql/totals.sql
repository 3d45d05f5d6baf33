-- (unnamed)
select grouping(step) = 1 as is_whole, step, count(*) as count, array[coalesce(sum(hours), 0)::text]::text[] as sums
    from (select null::int as step, r.hours from time_entries r where r.company_id = $1 and r.deleted_at is null order by r.id offset 0) r
    group by grouping sets ((), (step))
-- [7]

-- (unnamed)
select grouping(step) = 1 as is_whole, step, count(*) as count, array[coalesce(sum(total_minor), 0)::text,coalesce(sum(open_minor), 0)::text,coalesce(sum(open_minor), 0)::text]::text[] as sums
    from (select case when r.status in ('ISSUED')
        then width_bucket($1::date - r.due_on, $2::int[]) end as step, r.total_minor, r.open_minor from invoices r where r.company_id = $3 and r.status between $4 and $5 and r.deleted_at is null order by r.status,r.id offset 0) r
    group by grouping sets ((), (step))
-- ["2026-01-01",[0,1],7,"ISSUED","ISSUED"]
