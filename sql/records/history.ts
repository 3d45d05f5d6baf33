import { join, raw, type Sql } from 'sql-template-tag'
import type { Definition } from '#registry/definition.ts'
import type { PageCut } from '#registry/listing.ts'
import { byKey, byKeys, equalsIndexed, inOrderOf } from '../access.ts'
import { identifier, instant, query, type Statement, sql, statement } from '../statement.ts'
import { isAudited, type SettingsKind, titleOfSetting } from '../system/audit.ts'

/** The history of records and settings, as the console shows it. */

/** A change of a record: its author, its record, its time. */
type LogEntry = {
  id: number
  at: string
  account_id: number | null
  account_name: string | null
  door: string
  token_label: string | null
  /** The account that issued that token; null for the operator. */
  issuer_id: number | null
  issuer_name: string | null
  records: string
  record_id: number
}

export type HistoryRow = LogEntry & { action: string; changes: unknown; write_id: string | null }

const nameOf = (companyId: number, id: string) =>
  sql`(select name from ${byKey('accounts', companyId, raw(id))} account)`

const authorColumns = (
  companyId: number,
) => sql`h.account_id, ${nameOf(companyId, 'h.account_id')} as account_name, h.door, t.label as token_label,
  t.issued_by as issuer_id, ${nameOf(companyId, 't.issued_by')} as issuer_name`

/** Joins the token of a change, if it has one. */
const token = (companyId: number) => sql`
  left join lateral (
    select label, issued_by from tokens
    where company_id = ${companyId} and ${equalsIndexed(sql`id`, raw('h.token_id'))} ${inOrderOf(sql`id`)}
  ) t on true`

const line = (companyId: number) =>
  sql`h.id, ${instant('h.at')} as at, ${authorColumns(companyId)}, h.records, h.record_id, h.action, h.changes, h.write_id`

/** Reads the history of one record, newest first, live or not. */
export const historyOfRecord = (
  companyId: number,
  records: string,
  recordId: number,
  { limit, offset }: PageCut,
): Statement =>
  query('history.record')`
    select ${line(companyId)} from history h ${token(companyId)} where ${ofRecord(companyId, records, recordId)}
    order by h.record_id desc, h.id desc limit ${limit} offset ${offset}`

/** The newest changes of a record that are looked through, and most of those that are shown. */
const [lookedThrough, shownRecent] = [100, 10]

/** The changes of records by one token, but for one write. */
type RecentAsk = { records: string; ids: readonly number[]; tokenId: number; besides: string | null }

/** Reads the changes of these records within the last day by one token, of each record the newest first. */
export const recentByToken = (companyId: number, { records, ids, tokenId, besides }: RecentAsk): Statement =>
  query('history.recent-by-token')`
    select ${line(companyId)} from unnest(${ids}::bigint[]) wanted (id) cross join lateral (
      select * from (
        select * from history h where ${ofRecord(companyId, records, raw('wanted.id'))}
        order by h.record_id desc, h.id desc limit ${lookedThrough}
      ) newest
      where token_id = ${tokenId} and at > now() - interval '1 day' and write_id is distinct from ${besides}::uuid
      order by id desc limit ${shownRecent}
    ) h ${token(companyId)} order by h.record_id, h.id desc`

export type TitleRow = { id: number; title: string | null }

/** Reads the titles of records, live or not. */
export const titlesOf = (companyId: number, { name, title }: Definition, ids: readonly number[]): Statement =>
  query(`${name}.titles`)`select r.id, r.${identifier(title)}::text as title from ${byKeys(name, companyId, ids)}`

const ofRecord = (companyId: number, records: string, recordId: number | Sql) =>
  sql`h.company_id = ${companyId} and h.records = ${records} and ${equalsIndexed(sql`h.record_id`, recordId)}`

export const countHistory = (companyId: number, records: string, recordId: number): Statement =>
  statement(countOfHistory(companyId, records, recordId), 'history.count')

export const countOfHistory = (
  companyId: number,
  records: string,
  recordId: number,
) => sql`select count(*) as total from (
      select from history h where ${ofRecord(companyId, records, recordId)} ${inOrderOf(sql`h.record_id`, sql`h.id`)}
    ) h`

/** Reads the last changes of records of these resources, with the titles of the records. */
export function recentHistory(companyId: number, definitions: readonly Definition[], limit: number): Statement {
  const names = definitions.map(({ name }) => name)
  const titles = definitions.map(
    ({ name, title }) => sql`when ${name} then (
      select r.${identifier(title)}::text from ${byKey(name, companyId, raw('h.record_id'))} r
    )`,
  )
  return statement(sql`select ${line(companyId)}, case h.records ${join(titles, ' ')} end as title
    from (
      select * from history where company_id = ${companyId} and records = any (${names}::text[])
      order by id desc limit ${limit}
    ) h ${token(companyId)} order by h.id desc`)
}

export type SettingsRow = HistoryRow & { title: string | null }

const ofSettings = (companyId: number, resources: readonly SettingsKind[]) =>
  sql`${isAudited(companyId)} and records = any (${resources}::text[])`

/** Reads the changes of settings of these kinds, newest first, with their names. */
export const historyOfSettings = (
  companyId: number,
  resources: readonly SettingsKind[],
  { limit, offset }: PageCut,
): Statement =>
  query('history.settings')`select ${line(companyId)}, ${titleOfSetting(companyId)} as title
    from (
      select * from history where ${ofSettings(companyId, resources)} order by at desc, id desc limit ${limit} offset ${offset}
    ) h ${token(companyId)} order by h.at desc, h.id desc`

export const countSettingsHistory = (companyId: number, resources: readonly SettingsKind[]): Statement =>
  query('history.settings-count')`select count(*) as total from (
      select from history where ${ofSettings(companyId, resources)} ${inOrderOf(sql`at`, sql`id`)}
    ) counted`

export type RemovalRow = LogEntry & {
  title: string
  mode: 'soft' | 'hard'
  went: { [records: string]: number[] }
  unlinked: UnlinkedEntry[]
  restored_at: string | null
}

/**
 * The records whose references were emptied. `of` are the records they referred to, one by one; `settled` is another
 * column that was set on some.
 */
export type UnlinkedEntry = {
  records: string
  by: string
  ids: number[]
  of?: number[]
  settled?: { column: string; from: string; to: string; ids: number[] }
}

/** Reads deletions of records of these resources, newest first. */
export const removalsOf = (companyId: number, resources: readonly string[], { limit, offset }: PageCut): Statement =>
  query('removals.list')`
    select h.id, ${instant('h.at')} as at, ${authorColumns(companyId)}, h.records, h.record_id, h.title, h.mode, h.went, h.unlinked,
      ${instant('h.restored_at')} as restored_at
    from removals h ${token(companyId)}
    where h.company_id = ${companyId} and h.records = any (${resources}::text[])
    order by h.id desc limit ${limit} offset ${offset}`

export const countRemovals = (companyId: number, resources: readonly string[]): Statement =>
  query('removals.count')`select count(*) as total from (
      select from removals where company_id = ${companyId} and records = any (${resources}::text[]) ${inOrderOf(sql`id`)}
    ) counted`
