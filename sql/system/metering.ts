import { join, raw, type Sql } from 'sql-template-tag'
import { type Statement, sql, statement } from '../statement.ts'

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

const columns: { [column in keyof CallRow]: string } = {
  company_id: 'bigint',
  token_id: 'bigint',
  request_id: 'text',
  at: 'timestamptz',
  route: 'text',
  record_id: 'bigint',
  status: 'smallint',
  code: 'text',
  ms: 'real',
  peer: 'inet',
  dry_run: 'boolean',
  replayed: 'boolean',
  counted: 'boolean',
}
const names = Object.keys(columns) as (keyof CallRow)[]
const listed = raw(names.join(', '))

export const insertCall = (call: CallRow): Sql =>
  sql`insert into calls (${listed}) values (${join(names.map((name) => call[name]))})`

/** Calls of any number of companies in one statement. */
export const insertCalls = (calls: readonly CallRow[]): Statement =>
  statement(
    sql`insert into calls (${listed}) select ${listed}
    from json_to_recordset(${JSON.stringify(calls)}::json) as call (${raw(names.map((name) => `${name} ${columns[name]}`).join(', '))})`,
    'calls.insert',
  )

/** Takes so many places of the plan, or none where fewer are left, and then returns no row. */
export const takePlaces = (companyId: number, records: string, limit: number, places: number): Sql =>
  sql`update plan_usage set used = used + ${places}
    where company_id = ${companyId} and records = ${records} and used + ${places} <= ${limit} returning used`

export const givePlaceBack = (companyId: number, records: string, places: number): Statement =>
  statement(
    sql`update plan_usage set used = used - ${places} where company_id = ${companyId} and records = ${records}`,
    'plan.give-back',
  )

export const placesUsed = (companyId: number, records: string): Statement =>
  statement(sql`select used from plan_usage where company_id = ${companyId} and records = ${records}`, 'plan.used')
