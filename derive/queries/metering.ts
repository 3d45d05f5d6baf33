import { type Statement, sql, statement } from './statement.ts'

/** One call, as the log and the metering keep it. */
export type CallRow = {
  company_id: number
  token_id: number
  request_id: string
  at: string
  route: string
  record_id: number | null
  status: number
  code: string | null
  ms: number
  peer: string | null
  dry_run: boolean
  replayed: boolean
  counted: boolean
}

/** Calls of any number of companies in one statement. */
export const insertCalls = (calls: readonly CallRow[]): Statement =>
  statement(
    sql`insert into calls (company_id, token_id, request_id, at, route, record_id, status, code, ms, peer, dry_run, replayed, counted)
    select company_id, token_id, request_id, at, route, record_id, status, code, ms, peer, dry_run, replayed, counted
    from json_to_recordset(${JSON.stringify(calls)}::json) as call (
      company_id bigint, token_id bigint, request_id text, at timestamptz, route text, record_id bigint,
      status smallint, code text, ms real, peer inet, dry_run boolean, replayed boolean, counted boolean
    )`,
    'calls.insert',
  )

/** Takes a place of the plan; no row means that none is left. `used` afterwards. */
export const takePlace = (companyId: number, records: string, limit: number): Statement =>
  statement(
    sql`update plan_usage set used = used + 1
    where company_id = ${companyId} and records = ${records} and used < ${limit} returning used`,
    'plan.take',
  )

export const givePlaceBack = (companyId: number, records: string, places: number): Statement =>
  statement(
    sql`update plan_usage set used = used - ${places} where company_id = ${companyId} and records = ${records}`,
    'plan.give-back',
  )

export const placesUsed = (companyId: number, records: string): Statement =>
  statement(sql`select used from plan_usage where company_id = ${companyId} and records = ${records}`, 'plan.used')

/** The plan, held so that it cannot change before the transaction ends. */
export const holdPlan = (companyId: number): Statement =>
  statement(sql`select plan from companies where id = ${companyId} for share`, 'plan.hold')
