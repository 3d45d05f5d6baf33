import { join, raw } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import { byKey, inOrderOf } from '../access.ts'
import { identifier, query, type Statement, sql } from '../statement.ts'
import { matchConditions } from './lock-order.ts'

/**
 * Reads the ids of records that are in the state in which fields are fixed and have none of these, though the record that
 * they are made from has all that they need.
 */
export function recordsToFix(
  companyId: number,
  { name, fields, computed }: Definition,
  { most, after }: { most: number; after: number },
): Statement {
  const { match, reference, values } = computed?.fixed ?? { match: {}, reference: '', values: {} }
  const { to, reads = [] } = referenceOf(fields[reference]) ?? { to: name }
  const isEmpty = Object.keys(values).map((field) => raw(`r.${field} is null`))
  const isThere = reads.map((column) => raw(`referred.${column} is not null`))
  return query(`${name}.to-fix`)`
    select r.id from (
      select * from ${identifier(name)}
      where company_id = ${companyId} and id > ${after} and deleted_at is null ${inOrderOf(sql`id`)}
    ) r cross join lateral ${byKey(to, companyId, raw(`r.${reference}`))} referred
    where ${join([matchConditions(match), ...isEmpty, ...isThere], ' and ')}
    order by r.id limit ${most}`
}
