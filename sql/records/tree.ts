import { raw } from 'sql-template-tag'
import { byKey } from '../access.ts'
import { identifier, type Statement, sql, statement } from '../statement.ts'

/** Locks the tree of a reference for one writer. Two concurrent moves could close a circle that neither sees. */
export const lockTree = (companyId: number, table: string, field: string): Statement =>
  statement(
    sql`select pg_advisory_xact_lock(hashtext(${`${table}.${field}`}), ${companyId % 2 ** 31}::int)`,
    'tree.lock',
  )

/** Returns whether following `field` from the record `from` leads to the record `to`. */
export const leadsTo = (companyId: number, table: string, field: string, from: number, to: number): Statement =>
  statement(
    sql`with recursive chain as (
      select id, ${identifier(field)} as next from ${byKey(table, companyId, from)} r
      union
      select r.id, r.${identifier(field)} from chain cross join lateral ${byKey(table, companyId, raw('chain.next'))} r
    ) select exists (select from chain where id = ${to}) as leads`,
    `${table}.${field}.leads`,
  )
