import type { Sql } from 'sql-template-tag'
import { query, type Steps, statement } from '../statement.ts'
import { byCompany } from './system.ts'

/** Notes the removal before it, so that the endpoints never claim more attempts than there are. */
export const freeThere =
  (companyId: number, excess: Sql): Steps =>
  async (run) => {
    const found = await run<{ id: number; endpoint_id: number; at: Date }>(statement(excess, 'webhook-attempts.excess'))
    for (const [endpointId, rows] of Map.groupBy(found, ({ endpoint_id }) => endpoint_id)) {
      const newest = new Date(Math.max(...rows.map(({ at }) => at.getTime())))
      await run(
        query('webhook-attempts.note-freed')`
          update webhook_endpoints set attempts_from = greatest(attempts_from, ${newest})
          where company_id = ${companyId} and id = ${endpointId}`,
      )
    }
    if (found.length === 0) return []
    return run(
      query('webhook-attempts.free-company')`delete from webhook_attempts where company_id = ${companyId}
          and id = any (${found.map(({ id }) => id)}::bigint[]) returning 1 as swept`,
    )
  }

/** Empties attempts of any company, found by a look-up over all. */
export const emptyThere =
  (emptied: Sql, most: number): Steps =>
  async (run) => {
    const found = await run<{ company_id: number; id: number }>(
      query('webhook-attempts.older')`
        select company_id, id from webhook_attempts where bytes is null order by company_id, id limit ${most}`,
    )
    for (const [companyId, rows] of byCompany(found))
      await run(
        query('webhook-attempts.empty-company')`update webhook_attempts set ${emptied} where company_id = ${companyId}
            and id = any (${rows.map(({ id }) => id)}::bigint[])`,
      )
    return found
  }
