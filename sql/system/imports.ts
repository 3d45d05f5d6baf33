import type { JsonObject } from '#registry/json.ts'
import { exactly } from '../access.ts'
import { type Statement, sql, statement } from '../statement.ts'
import type { Author } from './log.ts'

/** Imports: writes in many batches, how far each has come, and how its file was read. */

export type ImportRow = {
  write_id: string
  account_id: number | null
  records: string
  file_name: string
  /** Tells the file from another. */
  fingerprint: string
  settings: JsonObject
  rows: number
  /** So many rows of the file are settled. */
  done: number
  created: number
  changed: number
  at: string
  /** Some of it, or all, was taken back. */
  undone: boolean
}

export type NewImport = Pick<ImportRow, 'records' | 'file_name' | 'fingerprint' | 'settings' | 'rows'>

export const insertImport = (
  { companyId, accountId, writeId }: Author,
  { records, file_name, fingerprint, settings, rows }: NewImport,
): Statement =>
  statement(
    sql`insert into imports (company_id, write_id, account_id, records, file_name, fingerprint, settings, rows)
    values (${companyId}, ${writeId}, ${accountId}, ${records}, ${file_name}, ${fingerprint}, ${JSON.stringify(settings)}::json, ${rows})`,
    'imports.insert',
  )

/** The newest imports of a resource; the ids of writes are in the order of time, and imports are few. */
export const latestImports = (companyId: number, records: string, limit: number): Statement =>
  statement(
    sql`select i.write_id, i.account_id, i.records, i.file_name, i.fingerprint, i.settings, i.rows, i.done, i.created,
      i.changed, i.at, ${undone(companyId)} as undone
    from (
      select * from imports where company_id = ${companyId} and records = ${records}
      order by company_id desc, write_id desc limit ${limit}
    ) i`,
    'imports.latest',
  )

/** An import of the one who goes on with it, held: its batches come one after the other. */
export type HeldImport = { records: string; rows: number; done: number; undone: boolean }

export const holdImport = ({ companyId, accountId }: Author, writeId: string): Statement =>
  statement(
    sql`select i.records, i.rows, i.done, ${undone(companyId)} as undone
    from (select * from imports where company_id = ${companyId} and write_id = ${writeId} for update offset 0) i
    where i.account_id is not distinct from ${accountId}::bigint`,
    'imports.hold',
  )

export const moveImport = (
  companyId: number,
  writeId: string,
  { done, created, changed }: Pick<ImportRow, 'done' | 'created' | 'changed'>,
): Statement =>
  statement(
    sql`update imports set done = ${done}, created = created + ${created}, changed = changed + ${changed}
    where company_id = ${companyId} and write_id = ${writeId}`,
    'imports.move',
  )

/** The newest change of a write, behind which its next batch writes; nothing where it has none. */
export const lastOfWrite = (companyId: number, writeId: string): Statement =>
  statement(
    sql`select id from history
    where company_id = ${companyId} and ${exactly(sql`write_id`, sql`${writeId}::uuid`)}
    order by write_id desc, id desc limit 1`,
    'history.last-of-write',
  )

const undone = (companyId: number) =>
  sql`exists (select from undos where company_id = ${companyId} and write_id = i.write_id)`
