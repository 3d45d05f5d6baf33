import { byKey, companyRow, exactly, inOrderOf } from '../access.ts'
import type { Author } from '../author.ts'
import { type Statement, sql, statement } from '../statement.ts'

export type RightsRow = { permissions: string[]; add_ons: string[] }

/** What an account may do, by a token no more than that carries; and what the company has switched on. */
export const rightsOfAuthor = ({ companyId, accountId, tokenId }: Author): Statement =>
  statement(
    sql`select c.add_ons, array(
        select held from unnest(a.permissions) held
        where ${tokenId}::bigint is null or held = any (t.scopes)
      ) as permissions
    from ${byKey('accounts', companyId, sql`${accountId}::bigint`)} a cross join ${companyRow(companyId)} c
    left join lateral (
      select scopes from tokens where company_id = ${companyId} and ${exactly(sql`id`, sql`${tokenId}::bigint`)} ${inOrderOf(sql`id`)}
    ) t on true`,
    'rights',
  )
