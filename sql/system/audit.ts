import { join, raw, type Sql } from 'sql-template-tag'
import type { PageCut } from '#registry/listing.ts'
import { byKey, equalsIndexed, inOrderOf, rowsOf } from '../access.ts'
import { instant, query, type Statement, sql, statement } from '../statement.ts'
import { nextCompanies } from './sweep.ts'

/** The audit log: the part of the history without records. Decisions, Audit. */

/** Kinds of settings, whose history stays. */
export const settingsKinds = ['tokens', 'calls', 'webhook_endpoints', 'accounts', 'companies', 'agents'] as const
export type SettingsKind = (typeof settingsKinds)[number]

/** Kinds whose rows are kept for a time. The record of a session is its account; of the others, the company. */
const passingKinds = ['sessions', 'exports', 'imports'] as const

/** All kinds. The index of the audit log names them too. */
export const auditKinds = [...settingsKinds, ...passingKinds] as const
export type AuditKind = (typeof auditKinds)[number]

const kindList = (kinds: readonly string[]): Sql => raw(kinds.map((kind) => `'${kind}'`).join(', '))

/** Returns the condition of the index. */
export const isAudited = (companyId: number | Sql): Sql =>
  sql`company_id = ${companyId} and records in (${kindList(auditKinds)})`

/** Returns the name of the setting of the row `h` of the history. */
export const titleOfSetting = (companyId: number): Sql => sql`case h.records
        when 'tokens' then (
          select label from tokens where company_id = ${companyId} and ${equalsIndexed(sql`id`, raw('h.record_id'))} ${inOrderOf(sql`id`)}
        )
        when 'webhook_endpoints' then (select name from ${byKey('webhook_endpoints', companyId, raw('h.record_id'))} r)
        when 'accounts' then (select name from ${byKey('accounts', companyId, raw('h.record_id'))} r)
        when 'sessions' then (select name from ${byKey('accounts', companyId, raw('h.record_id'))} r)
      end`

export type AuditFilter = {
  actorId?: number | undefined
  action?: string | undefined
  records?: AuditKind | undefined
  /** Moments; `from` is included, `before` is not. */
  from?: string | undefined
  before?: string | undefined
}

export type AuditRow = {
  id: number
  at: string
  action: string
  records: AuditKind
  record_id: number
  /** The name of the setting; null if it is deleted or has none. */
  title: string | null
  account_id: number | null
  account_name: string | null
  door: string
  /** The TCP peer of the request. It and the following members are null for actions outside of the interface. */
  peer: string | null
  /** The forwarded address and the client that the request claims. Neither is verified. */
  forwarded_for: string | null
  device: string | null
  request_id: string | null
  changes: { [name: string]: [unknown, unknown] } | null
  /** The moment as it is stored, for the cursor of the next page. */
  place: string
}

const conditions = (companyId: number, { actorId, action, records, from, before }: AuditFilter): Sql =>
  join(
    [
      isAudited(companyId),
      ...(actorId === undefined ? [] : [sql`account_id = ${actorId}`]),
      ...(action === undefined ? [] : [sql`action = ${action}`]),
      ...(records === undefined ? [] : [sql`records = ${records}`]),
      ...(from === undefined ? [] : [sql`at >= ${from}::timestamptz`]),
      ...(before === undefined ? [] : [sql`at < ${before}::timestamptz`]),
    ],
    ' and ',
  )

const auditColumns = (companyId: number): Sql => sql`h.id, ${instant('h.at')} as at, h.action, h.records, h.record_id,
      ${titleOfSetting(companyId)} as title, h.account_id,
      (select name from ${byKey('accounts', companyId, raw('h.account_id'))} account) as account_name, h.door,
      h.peer, h.forwarded_for, h.device, h.request_id, h.changes, h.at::text as place`

const page = (companyId: number, where: Sql, rest: Sql): Statement =>
  statement(sql`select ${auditColumns(companyId)} from (
      select * from history where ${where} order by at desc, id desc ${rest}
    ) h order by h.at desc, h.id desc`)

/** Reads a page, newest first. */
export const listAudit = (companyId: number, filter: AuditFilter, { limit, offset }: PageCut): Statement =>
  page(companyId, conditions(companyId, filter), sql`limit ${limit} offset ${offset}`)

/** Reads the rows that are older than one of them, newest first. */
export const auditBefore = (
  companyId: number,
  filter: AuditFilter,
  { place, id }: Pick<AuditRow, 'place' | 'id'>,
  limit: number,
): Statement =>
  page(
    companyId,
    sql`${conditions(companyId, filter)} and (at, id) < (${place}::timestamptz, ${id}::bigint)`,
    sql`limit ${limit}`,
  )

export const countAudit = (companyId: number, filter: AuditFilter): Statement =>
  statement(
    sql`select count(*) as total from (
      select from history where ${conditions(companyId, filter)} ${inOrderOf(sql`at`, sql`id`)}
    ) counted`,
  )

const isOver = (companyId: number | Sql, keptDays: number): Sql =>
  sql`${isAudited(companyId)} and records in (${kindList(passingKinds)})
        and at < now() - make_interval(days => ${keptDays}::int)`

/** Reads the next companies, by their ids, with rows that are older than `keptDays`. */
export const companiesWithOldAudit = (keptDays: number, after: number, most: number): Statement => {
  const old = sql`history where ${isOver(raw('companies.id'), keptDays)} ${inOrderOf(sql`at`, sql`id`)}`
  return statement(nextCompanies(old, after, most), 'audit.old-companies')
}

/** Removes up to `most` of a company's rows that are that old. Returns a row for each. */
export const sweepAudit = (companyId: number, keptDays: number, most: number): Statement =>
  query('audit.sweep')`delete from history
    where ${rowsOf('history', companyId, 'id', sql`${isOver(companyId, keptDays)} order by at, id limit ${most}`)}
    returning 1 as swept`

/** Returns the condition of rows by an account, and of attempts to sign in to it. */
const ofAccount = (companyId: number, accountId: number): Sql =>
  sql`${isAudited(companyId)} and (account_id = ${accountId} or (records = 'sessions' and record_id = ${accountId}))`

export type PersonAuditRow = Omit<AuditRow, 'id' | 'title' | 'account_id' | 'account_name' | 'changes' | 'place'>

/** Reads all rows of an account, oldest first. */
export const auditOfPerson = (companyId: number, accountId: number): Statement =>
  query('audit.of-person')`
    select ${instant('at')} as at, action, records, record_id, door, peer, forwarded_for, device, request_id from (
      select * from history where ${ofAccount(companyId, accountId)} ${inOrderOf(sql`at`, sql`id`)}
    ) h order by h.at, h.id`

/** Removes the origin of requests from the rows of an account. */
export const eraseAuditOf = (companyId: number, accountId: number): Statement =>
  query('audit.erase')`update history set peer = null, forwarded_for = null, device = null
    where ${rowsOf(
      'history',
      companyId,
      'id',
      sql`${ofAccount(companyId, accountId)} and (peer is not null or forwarded_for is not null or device is not null)
        ${inOrderOf(sql`at`, sql`id`)}`,
    )}`
