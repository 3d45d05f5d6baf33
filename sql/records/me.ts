import { join, raw } from 'sql-template-tag'
import { memoize } from '#registry/memoize.ts'
import { byKey, companyRow } from '../access.ts'
import { batchMaxOf, createBatchableRead } from '../batchable.ts'
import { instant, sql } from '../statement.ts'
import { type CallerAsk, callerTypes, ofToken } from '../system/caller.ts'
import { rowCount } from '../system/row-counts.ts'
import { withCaller } from './read.ts'

/** The data that a caller reads about itself. */
export type MeRow = {
  company_name: string
  plan: string
  label: string
  expires_at: string | null
  /** Scopes of the token that its account also holds. */
  scopes: string[]
  add_ons: string[]
  /** The number of live records of each of `resources`. */
  used: number[]
}

/** `resources` are those whose records are counted. */
export const meWithCaller = memoize((resources: readonly string[]) =>
  createBatchableRead<CallerAsk>({
    name: 'me',
    types: callerTypes,
    batchMax: batchMaxOf.records,
    query: (asked) => {
      const { companyId, tokenHash } = asked
      return withCaller(
        asked,
        sql`
    select c.name as company_name, c.plan, t.label, ${instant('t.expires_at')} as expires_at, c.add_ons,
      array(select scope from unnest(t.scopes) with ordinality as on_token (scope, place)
        where scope = any (a.permissions) order by place) as scopes,
      json_build_array(${join(resources.map((records) => rowCount(companyId, records)))}) as used
    from (select * from tokens ${ofToken(companyId, tokenHash)}) t
    cross join ${byKey('accounts', companyId, raw('caller.account_id'))} a
    cross join ${companyRow(companyId)} c`,
      )
    },
  }),
)
