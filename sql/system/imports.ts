import { raw } from 'sql-template-tag'
import type { JsonObject } from '#registry/json.ts'
import { byKey, equalsIndexed, inOrderOf, rowsOf } from '../access.ts'
import type { Author } from '../author.ts'
import { query, type Statement, sql } from '../statement.ts'

/** Imports: writes in many batches, their progress, and the settings by which their files are parsed. */

export type ImportRow = {
  write_id: string
  account_id: number | null
  /** Null if the operator began it by the command. */
  account_name: string | null
  records: string
  file_name: string
  /** A hash that identifies the file. */
  fingerprint: string
  /** True if it has the fingerprint that was asked about. */
  same_file: boolean
  settings: JsonObject
  rows: number
  /** The number of rows of the file that are settled. */
  done: number
  created: number
  changed: number
  at: string
  undone: 'nothing' | 'a part' | 'all'
}

export type NewImport = Pick<ImportRow, 'records' | 'file_name' | 'fingerprint' | 'settings' | 'rows'>

export const insertImport = (
  { companyId, accountId, writeId }: Author,
  { records, file_name, fingerprint, settings, rows }: NewImport,
): Statement =>
  query('imports.insert')`
    insert into imports (company_id, write_id, account_id, records, file_name, fingerprint, settings, rows)
    values (${companyId}, ${writeId}, ${accountId}, ${records}, ${file_name}, ${fingerprint}, ${JSON.stringify(settings)}::jsonb, ${rows})`

/**
 * Reads the newest imports of a resource, and as many of one file. The ids of writes are in the order of time, and
 * imports are few.
 */
export const latestImports = (
  companyId: number,
  records: string,
  fingerprint: string | null,
  limit: number,
): Statement =>
  query('imports.latest')`
    select i.write_id, i.account_id, (select name from ${byKey('accounts', companyId, raw('i.account_id'))} account) as account_name,
      i.records, i.file_name, i.fingerprint, i.fingerprint is not distinct from ${fingerprint} as same_file, i.settings, i.rows,
      i.done, i.created, i.changed, i.at,
      case when u.undone_from is null then 'nothing' when u.undone_from > first.id then 'a part' else 'all' end as undone
    from (
      select * from imports where company_id = ${companyId} and records = ${records} and (
        fingerprint = ${fingerprint} or write_id >= coalesce((
          select write_id from imports where company_id = ${companyId} and records = ${records}
          order by company_id desc, write_id desc offset ${limit - 1} limit 1
        ), '00000000-0000-0000-0000-000000000000'))
      order by company_id desc, write_id desc limit ${2 * limit}
    ) i
    left join lateral (select undone_from from undos where company_id = ${companyId} and write_id = i.write_id offset 0) u on true
    left join lateral (
      select id from history where company_id = ${companyId} and ${equalsIndexed(sql`write_id`, sql`i.write_id`)} order by write_id, id limit 1
    ) first on true`

/** An import that its author continues, locked: its batches run one after the other. */
export type HeldImport = { records: string; rows: number; done: number; undone: boolean }

export const holdImport = ({ companyId, accountId }: Author, writeId: string): Statement =>
  query('imports.hold')`select i.records, i.rows, i.done,
      exists (select from undos where company_id = ${companyId} and write_id = i.write_id) as undone
    from (select * from imports where company_id = ${companyId} and write_id = ${writeId} for update offset 0) i
    where i.account_id is not distinct from ${accountId}::bigint`

/** Replaces the settings of an import and the count of its rows. */
export const extendImport = (
  companyId: number,
  writeId: string,
  { settings, rows }: Pick<ImportRow, 'settings' | 'rows'>,
): Statement =>
  query('imports.extend')`
    update imports set settings = ${JSON.stringify(settings)}::jsonb, rows = ${rows}
    where company_id = ${companyId} and write_id = ${writeId}`

/** Removes the texts of people from the settings of all imports. One that has not ended shows those cells as refused again. */
export const forgetMended = (companyId: number): Statement =>
  query('imports.forget-mended')`
    update imports set settings = settings - 'mended' - 'words'
    where ${rowsOf(
      'imports',
      companyId,
      'write_id',
      sql`company_id = ${companyId} and (settings ? 'mended' or settings ? 'words') ${inOrderOf(sql`write_id`)}`,
    )}`

/** Moves an import on. The texts that stood in place of cells go when its last row is settled. */
export const moveImport = (
  companyId: number,
  writeId: string,
  { done, created, changed }: Pick<ImportRow, 'done' | 'created' | 'changed'>,
): Statement =>
  query('imports.move')`
    update imports set done = ${done}, created = created + ${created}, changed = changed + ${changed},
      settings = case when ${done}::int < rows then settings else settings - 'mended' - 'words' end
    where company_id = ${companyId} and write_id = ${writeId}`

/** Reads the newest change of a write, after which its next batch writes; nothing if it has none. */
export const lastOfWrite = (companyId: number, writeId: string): Statement =>
  query('history.last-of-write')`select id from history
    where company_id = ${companyId} and ${equalsIndexed(sql`write_id`, sql`${writeId}::uuid`)}
    order by write_id desc, id desc limit 1`
