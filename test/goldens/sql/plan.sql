-- plan.hold
select plan from companies where id = $1 for share
-- [7]
