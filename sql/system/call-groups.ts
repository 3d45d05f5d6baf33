import { raw, type Sql } from 'sql-template-tag'
import { equalsIndexed, inOrderOf } from '../access.ts'
import { instant, query, type Statement, sql } from '../statement.ts'
import { endedAt } from './tokens.ts'

/** Summaries of calls: repeated failures, callers, and callers with a token that no longer works. */

/** Failures of one sort: their number, and the last of them. */
export type FailureRow = {
  code: string
  route: string
  /** A field, a right or an add-on; null if the refusal has none. */
  about: string | null
  count: number
  since: string
  last_at: string
  last_id: number
}

/** Selects the last calls of each code, up to a number. */
const refusedCalls = (companyId: number, codes: readonly string[], days: number, most: number): Sql => sql`
      unnest(${codes}::text[]) as codes (one) cross join lateral (
        select * from calls where company_id = ${companyId} and code is not null
          and ${equalsIndexed(sql`code`, raw('codes.one'))} and at > now() - make_interval(days => ${days}::int)
        order by code desc, at desc limit ${most}
      ) c`

/** Reads refusals of the last days by their reason, the most frequent first. */
export const failuresOf = (
  companyId: number,
  { codes, days, most, groups }: { codes: readonly string[]; days: number; most: number; groups: number },
): Statement =>
  query('calls.failures')`
    select c.code, c.route, named.what as about, count(*) as count, ${instant('min(c.at)')} as since, ${instant('max(c.at)')} as last_at,
      (array_agg(c.id order by c.at desc, c.id desc))[1] as last_id
    from ${refusedCalls(companyId, codes, days, most)} left join lateral unnest(c.about) as named (what) on true
    group by c.code, c.route, named.what order by count(*) desc, max(c.at) desc limit ${groups}`

/** A caller whose token is refused as such, and whether a call from the same address has succeeded since. */
export type DeadRow = {
  token_id: number
  token_label: string
  /** Null if the token is the active one and its account is disabled. */
  token_ended_at: string | null
  peer: string | null
  count: number
  last_at: string
  user_agent: string | null
  cured: boolean
}

/** Selects the user agent of the last call of a group. */
const userAgentOf = (companyId: number, requestId: string): Sql => sql`(
      select d.request_headers->>'user-agent' from (
        select * from call_details where company_id = ${companyId} and ${equalsIndexed(sql`request_id`, raw(requestId))}
        ${inOrderOf(sql`request_id`)}
      ) d cross join companies co where co.id = ${companyId} and co.keeps_call_details
    )`

/** Reads refusals of tokens in the last hours, by token and address, the latest first. */
export const deadIntegrations = (
  companyId: number,
  { hours, most, groups }: { hours: number; most: number; groups: number },
): Statement =>
  query('calls.dead')`
    select g.token_id, t.label as token_label, ${instant(endedAt)} as token_ended_at, host(g.peer) as peer, g.count,
      ${instant('g.last_at')} as last_at, ${userAgentOf(companyId, 'g.request_id')} as user_agent,
      exists (
        select from (
          select * from calls where company_id = ${companyId} and at > g.last_at order by at desc limit ${most} offset 0
        ) c where c.code is distinct from 'unauthorized' and c.peer is not distinct from g.peer
      ) as cured
    from (
      select token_id, peer, count(*) as count, max(at) as last_at, (array_agg(request_id order by at desc, id desc))[1] as request_id
      from (
        select * from calls where company_id = ${companyId} and code is not null and ${equalsIndexed(sql`code`, 'unauthorized')}
          and at > now() - make_interval(hours => ${hours}::int)
        order by code desc, at desc limit ${most}
      ) c
      group by token_id, peer order by max(at) desc limit ${groups}
    ) g
    cross join lateral (
      select * from tokens where company_id = ${companyId} and ${equalsIndexed(sql`id`, raw('g.token_id'))} ${inOrderOf(sql`id`)}
    ) t
    order by g.last_at desc`

/** A caller: its address, its user agent, the number of its calls, and the last. */
export type CallerSummary = { peer: string | null; count: number; last_at: string; user_agent: string | null }

/** Reads callers with a token in the last hours, by address, latest first, among a number of last calls. */
export const callersOf = (
  companyId: number,
  tokenId: number,
  { hours, most, groups }: { hours: number; most: number; groups: number },
): Statement =>
  query('calls.callers')`select host(g.peer) as peer, g.count, ${instant('g.last_at')} as last_at,
      ${userAgentOf(companyId, 'g.request_id')} as user_agent
    from (
      select peer, count(*) as count, max(at) as last_at, (array_agg(request_id order by at desc, id desc))[1] as request_id
      from (
        select * from calls where company_id = ${companyId} and at > now() - make_interval(hours => ${hours}::int)
        order by at desc limit ${most}
      ) c
      where token_id = ${tokenId} group by peer order by max(at) desc limit ${groups}
    ) g
    order by g.last_at desc`
