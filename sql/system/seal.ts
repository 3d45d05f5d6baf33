import { equalsIndexed, inOrderOf } from '../access.ts'
import { eitherSql, identifier, type Statement, sql, statement } from '../statement.ts'

/** What is sealed with a key that the database does not have, and how keys are changed under it. */

/** Anyone who seals or opens holds the keys until its transaction ends; the end of a change waits for them. */
export const holdKeys = (): Statement => statement(sql`select pg_advisory_xact_lock_shared(hashtext('sealing keys'))`)

/** Waits for the one who sealed with a former key, and lets nobody seal meanwhile. */
export const fenceKeys = (): Statement => statement(sql`select pg_advisory_xact_lock(hashtext('sealing keys'))`)

/** One change of keys at a time; false where there is another one. */
export const lockRotation = (): Statement =>
  statement(sql`select pg_try_advisory_xact_lock(hashtext('key rotation')) as locked`)

export type SealedRow = { company_id: number; id: number; sealed: Buffer }
type SealPlace = { table: string; id: string; column: string }

/** The next sealed rows after a place, in the order of their key. */
export const sealedRows = (
  { table, id, column }: SealPlace,
  after: { companyId: number; id: number },
  most: number,
): Statement =>
  statement(sql`select company_id, ${identifier(id)} as id, ${identifier(column)} as sealed from ${identifier(table)}
    where (company_id, ${identifier(id)}) > (${after.companyId}, ${after.id}) and ${identifier(column)} is not null
    order by company_id, ${identifier(id)} limit ${most}`)

/** Only while the row still holds what was read: what was sealed anew meanwhile stays. */
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
