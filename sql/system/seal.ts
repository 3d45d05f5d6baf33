import { equalsIndexed, inOrderOf } from '../access.ts'
import { eitherSql, identifier, type Statement, sql, statement } from '../statement.ts'

/** Secrets that are sealed with a key outside of the database, and the change of that key. */

/** Locks the keys, shared, until the end of a transaction that seals or opens. A change of keys waits for it. */
export const holdKeys = (): Statement => statement(sql`select pg_advisory_xact_lock_shared(hashtext('sealing keys'))`)

/** Waits for transactions that seal with a former key, and blocks new ones. */
export const fenceKeys = (): Statement => statement(sql`select pg_advisory_xact_lock(hashtext('sealing keys'))`)

/** Locks the change of keys; false if another change is running. */
export const lockRotation = (): Statement =>
  statement(sql`select pg_try_advisory_xact_lock(hashtext('key rotation')) as locked`)

export type SealedRow = { company_id: number; id: number; sealed: Buffer }
type SealPlace = { table: string; id: string; column: string }

/** Reads the next sealed rows after a place, in the order of their key. */
export const sealedRows = (
  { table, id, column }: SealPlace,
  after: { companyId: number; id: number },
  most: number,
): Statement =>
  statement(sql`select company_id, ${identifier(id)} as id, ${identifier(column)} as sealed from ${identifier(table)}
    where (company_id, ${identifier(id)}) > (${after.companyId}, ${after.id}) and ${identifier(column)} is not null
    order by company_id, ${identifier(id)} limit ${most}`)

/** Writes the new seal if the row still has the one that was read: a secret sealed anew meanwhile stays. */
export const sealAnew = (
  { table, id, column }: SealPlace,
  { company_id, id: rowId, sealed }: SealedRow,
  anew: Buffer,
): Statement =>
  statement(sql`update ${identifier(table)} set ${identifier(column)} = ${anew}
    where ${identifier(column)} = ${sealed} and ${eitherSql(
      sql`ctid = any (array(
    select ctid from ${identifier(table)} where company_id = ${company_id} and ${equalsIndexed(identifier(id), rowId)}
    ${inOrderOf(identifier(id))} for update
  ))`,
      () => sql`company_id = ${company_id} and ${identifier(id)} = ${rowId}`,
    )}`)
