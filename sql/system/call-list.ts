import { join, raw } from 'sql-template-tag'
import type { PageCut } from '#registry/listing.ts'
import { equalsIndexed, inOrderOf } from '../access.ts'
import { instant, query, type Statement, sql, statement } from '../statement.ts'
import { type CallRow, day, type Outcome, outcome, resource } from './calls.ts'
import { endedAt } from './tokens.ts'

/** The log of calls, as Settings shows it. */

export type CallListRow = Omit<CallRow, 'company_id'> & {
  id: number
  outcome: Outcome
  token_label: string
  token_active: boolean
  token_ended_at: string | null
}

export type CallFilter = {
  status?: number
  code?: string
  /** A route, or a resource for all of its routes. */
  route?: string
  outcome?: Outcome
  about?: string
  peer?: string
  tokenId?: number
  /** Moments; `from` is included, `before` is not. */
  from?: string
  before?: string
}

const shown = sql`c.id, ${instant('c.at')} as at, c.request_id, c.route, c.record_id, c.rows, c.status, c.code, c.about, c.ms::float8 as ms,
  host(c.peer) as peer, c.dry_run, c.replayed, c.counted, c.client, ${outcome} as outcome, c.token_id, t.label as token_label,
  ${raw(endedAt)} is null as token_active, ${instant(endedAt)} as token_ended_at`

const conditions = (companyId: number, filter: CallFilter) => {
  const { status, code, route, outcome: wanted, about, peer, tokenId, from, before } = filter
  return join(
    [
      sql`c.company_id = ${companyId}`,
      ...(status === undefined ? [] : [sql`c.status = ${status}`]),
      ...(code === undefined ? [] : [sql`c.code = ${code}`]),
      ...(route === undefined ? [] : [sql`(c.route = ${route} or split_part(c.route, '.', 1) = ${route})`]),
      ...(wanted === undefined ? [] : [sql`${outcome} = ${wanted}`]),
      ...(about === undefined ? [] : [sql`${about} = any (c.about)`]),
      ...(peer === undefined ? [] : [sql`host(c.peer) = ${peer}`]),
      ...(tokenId === undefined ? [] : [sql`c.token_id = ${tokenId}`]),
      ...(from === undefined ? [] : [sql`c.at >= ${from}::timestamptz`]),
      ...(before === undefined ? [] : [sql`c.at < ${before}::timestamptz`]),
    ],
    ' and ',
  )
}

/** Joins the token of a call, for its name. */
const joinToken = (companyId: number) => sql`cross join lateral (
      select * from tokens where company_id = ${companyId} and ${equalsIndexed(sql`id`, raw('c.token_id'))} ${inOrderOf(sql`id`)}
    ) t`

export const listCalls = (companyId: number, filter: CallFilter, { limit, offset }: PageCut): Statement =>
  statement(
    sql`select ${shown} from (
      select * from calls c where ${conditions(companyId, filter)} order by c.at desc, c.id desc
      limit ${limit} offset ${offset}
    ) c ${joinToken(companyId)} order by c.at desc, c.id desc`,
  )

export const countCalls = (companyId: number, filter: CallFilter): Statement =>
  statement(
    sql`select count(*) as total from (
      select from calls c where ${conditions(companyId, filter)} ${inOrderOf(sql`c.at`)}
    ) counted`,
  )

export const findCall = (companyId: number, id: number): Statement =>
  query('calls.find')`select ${shown} from (
      select * from calls where company_id = ${companyId} and ${equalsIndexed(sql`id`, id)} ${inOrderOf(sql`id`)}
    ) c ${joinToken(companyId)}`

export type UseRow = { day: string; resource: string; outcome: Outcome; calls: number; counted: number }

/** Counts calls a day by resource and outcome, up to today: stored calls, and the sums of the others. */
export const useByDay = (companyId: number, days: number): Statement =>
  query('calls.by-day')`
    select to_char(day, 'YYYY-MM-DD') as day, resource, outcome, sum(calls)::bigint as calls, sum(counted)::bigint as counted
    from (
      select ${day} as day, ${resource} as resource, ${outcome} as outcome,
        count(*) as calls, count(*) filter (where c.counted) as counted
      from (
        select * from calls c where c.company_id = ${companyId} and c.at >= current_date - ${days - 1}::int
        ${inOrderOf(sql`c.at`)}
      ) c
      group by 1, 2, 3
      union all
      select day, resource, outcome, calls, counted from call_days
      where company_id = ${companyId} and day >= current_date - ${days - 1}::int
    ) used
    group by 1, 2, 3`
