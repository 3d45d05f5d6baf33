import { raw } from 'sql-template-tag'
import { byKey } from '../access.ts'
import { identifier, query, type Statement } from '../statement.ts'

/** Locks the tree of a reference for one writer. Two concurrent moves could close a circle that neither sees. */
export const lockTree = (companyId: number, table: string, field: string): Statement =>
  query('tree.lock')`select pg_advisory_xact_lock(hashtext(${`${table}.${field}`}), ${companyId % 2 ** 31}::int)`

/** Returns whether following `field` from the record `from` leads to the record `to`. */
export const leadsTo = (companyId: number, table: string, field: string, from: number, to: number): Statement =>
  query(`${table}.${field}.leads`)`with recursive chain as (
      select id, ${identifier(field)} as next from ${byKey(table, companyId, from)} r
      union
      select r.id, r.${identifier(field)} from chain cross join lateral ${byKey(table, companyId, raw('chain.next'))} r
    ) select exists (select from chain where id = ${to}) as leads`
