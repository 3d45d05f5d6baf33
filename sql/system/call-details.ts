import { raw } from 'sql-template-tag'
import { companyRow, equalsIndexed, inOrderOf } from '../access.ts'
import { byCompany } from '../citus/system.ts'
import { query, type Statement, type Steps, sql, statement } from '../statement.ts'
import { isAfterErasure, shareCompany } from './companies.ts'
import { sweepOlder, sweepStatement } from './sweep.ts'

/** The details of requests and responses of calls. Decisions, Call log. */

/** The stored part of a body: all of it, all with masks, its beginning, or nothing. */
export type BodyState = 'whole' | 'masked' | 'cut' | 'left_out'

export type CallDetails = {
  method: string
  path: string
  /** Without the question mark. */
  query: string
  request_headers: { readonly [name: string]: string }
  request_body: string | null
  request_bytes: number
  request_state: BodyState
  answer_headers: { readonly [name: string]: string }
  answer_body: string | null
  answer_bytes: number
  answer_state: BodyState
}

export type DetailsRow = CallDetails & { company_id: number; request_id: string; at: string }

const columns: { [column in keyof DetailsRow]: string } = {
  company_id: 'bigint',
  request_id: 'text',
  at: 'timestamptz',
  method: 'text',
  path: 'text',
  query: 'text',
  request_headers: 'json',
  request_body: 'text',
  request_bytes: 'integer',
  request_state: 'text',
  answer_headers: 'json',
  answer_body: 'text',
  answer_bytes: 'integer',
  answer_state: 'text',
}
const listed = Object.keys(columns).join(', ')
const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`)

/**
 * Inserts details of any number of companies in one statement. Details from before the erasure of a person are not
 * written: a process may have buffered them. The lock lets an erasure find all earlier ones, and waits for an erasure
 * that is under way.
 */
export const insertDetails = (rows: readonly DetailsRow[]): Statement => {
  const companies = [...new Set(rows.map(({ company_id }) => company_id))]
  return statement(
    sql`with company as materialized (
      select c.id, c.persons_erased_at from unnest(${companies}::bigint[]) wanted (id)
      cross join lateral (
        select id, persons_erased_at from companies where id = wanted.id for key share offset 0
      ) c
    )
    insert into call_details (${raw(listed)}) select ${raw(listed)}
    from json_to_recordset(${JSON.stringify(rows)}::json) as call (${raw(typed.join(', '))})
    join company on company.id = call.company_id
    where ${isAfterErasure(sql`call.at`, sql`company.persons_erased_at`)}
    on conflict do nothing`,
    'call-details.insert',
    insertDetailsThere(rows),
  )
}

/** Inserts one company after the other, each on its server. */
const insertDetailsThere =
  (rows: readonly DetailsRow[]): Steps =>
  async (run) => {
    for (const [companyId, own] of byCompany(rows)) {
      const inserted = query('call-details.insert-there')`
        insert into call_details (${raw(listed)}) select c.id, ${raw(listed.replace('company_id, ', ''))}
        from companies c
        cross join json_to_recordset(${JSON.stringify(own)}::json) as call (${raw(typed.join(', '))})
        where c.id = ${companyId} and ${isAfterErasure(sql`call.at`, sql`c.persons_erased_at`)}
        on conflict do nothing`
      await Promise.all([run(shareCompany(companyId)), run(inserted)])
    }
    return []
  }

/** Reads the details of a call, while its company stores details. */
export const findDetails = (companyId: number, requestId: string): Statement =>
  query('call-details.find')`
    select d.method, d.path, d.query, d.request_headers, d.request_body, d.request_bytes, d.request_state,
      d.answer_headers, d.answer_body, d.answer_bytes, d.answer_state
    from (
      select * from call_details where company_id = ${companyId} and ${equalsIndexed(sql`request_id`, requestId)}
      ${inOrderOf(sql`request_id`)}
    ) d
    cross join ${companyRow(companyId)} c where c.keeps_call_details`

export const keepsDetails = (companyId: number): Statement =>
  query('call-details.switch')`select keeps_call_details as keeps from ${companyRow(companyId)} c`

/** Sets whether the company stores details. Returns a row if that is a change. */
export const switchDetails = (companyId: number, keeps: boolean): Statement =>
  query('call-details.set-switch')`update companies set keeps_call_details = ${keeps}
    where id = ${companyId} and keeps_call_details <> ${keeps} returning 1 as switched`

export const sweepDetails = (keptDays: number, most: number): Statement =>
  sweepOlder({ name: 'call-details.sweep', table: 'call_details', key: 'request_id', type: 'text', most, keptDays })

/** Reads the next companies, by their ids, that store no details and have some. */
export const companiesWithUnwanted = (after: number, most: number): Statement =>
  query('call-details.unwanted-companies')`select id from companies where id > ${after} and not keeps_call_details
      and exists (select from call_details where company_id = companies.id ${inOrderOf(sql`request_id`)})
    order by id limit ${most}`

/** Removes up to `most` details of a company. Returns a row for each. */
export const sweepDetailsOf = (companyId: number, most: number): Statement =>
  sweepStatement({
    name: 'call-details.sweep-company',
    ...{ table: 'call_details', key: 'request_id', type: 'text', most },
    where: sql`where company_id = ${companyId} order by request_id`,
  })
