import { raw, type Sql } from 'sql-template-tag'
import { liveOf } from '../access.ts'
import { query, type Statement, sql, statement } from '../statement.ts'

/** The plan of a company, and the number of its quota slots in use. */

/** Selects the plan, locked so that it cannot change before the transaction ends. */
export const planHeld = (companyId: number | Sql, lock = 'for share'): Sql =>
  sql`select plan from companies where id = ${companyId} ${raw(lock)}`

export const holdPlan = (companyId: number): Statement => statement(planHeld(companyId), 'plan.hold')

/** Takes this many quota slots of the plan. Takes none and returns no row if fewer are left. */
export const takeSlots = (companyId: number, records: string, limit: number, slots: number): Statement =>
  query('plan.take')`update plan_usage set used = used + ${slots}
    where company_id = ${companyId} and records = ${records} and used + ${slots} <= ${limit} returning used`

/**
 * Takes this many quota slots in a message that does not wait for the count. If fewer are left it fails: the column
 * accepts no null.
 */
export const takeSlotsOrFail = (companyId: number, records: string, limit: number, slots: number): Statement =>
  query('plan.take-or-fail')`update plan_usage
    set used = case when used + ${slots} <= ${limit} then used + ${slots} end
    where company_id = ${companyId} and records = ${records}`

/** Selects the count without a lock. */
export const usedNow = (companyId: number | Sql, records: string): Sql =>
  sql`select used from plan_usage where company_id = ${companyId} and records = ${raw(`'${records}'`)}`

export const releaseSlots = (companyId: number, records: string, slots: number): Statement =>
  query('plan.give-back')`
    update plan_usage set used = used - ${slots} where company_id = ${companyId} and records = ${records}`

export const slotsUsed = (companyId: number, records: string): Statement =>
  query('plan.used')`select used from plan_usage where company_id = ${companyId} and records = ${records}`

/** Counts the live records. In a statement after `lockCompany` it sees all of them. */
export const countLive = (companyId: number, records: string): Statement =>
  statement(sql`select count(*) as used from ${liveOf(records, companyId)} r`)

export const setSlots = (companyId: number, records: string, used: number): Statement =>
  statement(sql`insert into plan_usage (company_id, records, used) values (${companyId}, ${records}, ${used})
    on conflict (company_id, records) do update set used = excluded.used`)
