import { raw, type Sql } from 'sql-template-tag'
import type { JsonObject } from '#registry/json.ts'
import { byKeys } from '../access.ts'
import { doorOf, type LogAuthor, type Origin } from '../author.ts'
import { drawIds, epochOf, inEpoch, lineOf, ofRecords, withIds } from '../citus/log.ts'
import { eitherSql, prepared, type Statement, type Steps, sql, statement } from '../statement.ts'

/** The log of changes: its writes, and its identity. Decisions, Changes. */

/** `isAudit`: the rows have the origin of the request. Changes of records have none. */
type LoggedWrite = { records: string; action: string; removalId?: number | undefined; isAudit?: boolean }

/**
 * Inserts a row of the log for each row of `of` (record_id, version, changes, held). The statement began after the
 * record was locked, and it reads the epoch itself: both keep the log in the order of commits. Where companies are
 * distributed (`isThere`) the ids come first in `of`, and the company's own row is joined, so that the position is one
 * of the company's server.
 */
function insertLog(author: LogAuthor, logged: LoggedWrite, of: Sql, isThere = false): Sql {
  const { companyId, writeId, requestId = null, idempotencyKey = null, from } = author
  const { records, action, removalId, isAudit = false } = logged
  const columns = isAudit ? sql`, peer, forwarded_for, device` : sql``
  const values = isAudit
    ? sql`, ${from?.peer ?? null}::text, ${from?.forwardedFor ?? null}::text, ${from?.device ?? null}::text`
    : sql``
  const [own, type] = isThere ? [sql`c.id`, raw('::text')] : [sql`${companyId}::bigint`, sql``]
  const [names, place] = isThere ? [sql`pos, id, `, sql`log_position(c.id), `] : [sql``, sql``]
  const source = sql`(${of}) logged`
  return sql`insert into history as h (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      ${names}record_id, version, changes, held, write_id, request_id, idempotency_key${columns})
    select ${own}, ${author.accountId}::bigint, ${author.tokenId}::bigint, ${doorOf(author)}${type},
      ${author.previewId ?? null}::uuid,
      ${records}${type}, ${action}${type}, ${removalId ?? null}::bigint, ${isThere ? epochOf(companyId) : newestEpoch}, ${place}logged.*, ${writeId}::uuid, ${requestId}::text, ${idempotencyKey}::text${values}
    from ${isThere ? sql`companies c cross join ${source} where c.id = ${companyId}` : source}`
}

/** Records `r` to log: all of these ids, or those that meet `only`. `name` is set if the text is always the same. */
type RecordsLogged = {
  table: string
  ids: readonly number[]
  what: { version: Sql; changes?: Sql; held?: Sql }
  only?: Sql
  name?: string
}

/**
 * Appends a row for each record as it is when the statement begins, in the order of the ids. Returns the changes if `what`
 * has any. On one server the statement draws the ids of its rows; where companies are distributed they are drawn before it.
 */
export function appendRecords(
  author: LogAuthor,
  logging: Omit<LoggedWrite, 'records'>,
  { table, ids, what: { version, changes, held = sql`null::json` }, only = sql`true`, name }: RecordsLogged,
): Statement {
  const { companyId } = author
  const noted = { ...logging, records: table }
  const columns = sql`${version}, ${changes ?? sql`null::json`}, ${held}`
  const returning = changes ? sql` returning h.record_id as id, h.changes` : sql``
  const of = sql`select r.id, ${columns} from ${byKeys(table, companyId, ids)} where ${only}`
  return statement(sql`${insertLog(author, noted, of)}${returning}`, name, async (run) => {
    const there = ofRecords({ companyId, table, written: await withIds(run, ids), columns, only })
    return { rows: inEpoch(run, companyId, statement(sql`${insertLog(author, noted, there, true)}${returning}`)) }
  })
}

/** A change of a record that this transaction has locked, the new version, and the call. */
type LoggedChange = { by: Origin; record_id: number; version: number; changes?: JsonObject }

/**
 * Appends the rows of the log for changes, in their order, as a statement of its own. On one server it draws their ids;
 * where companies are distributed they are drawn before it.
 */
export function appendChanges(author: LogAuthor, what: LoggedWrite, changes: readonly LoggedChange[]): Statement {
  const rows = changes.map(({ by: { writeId, requestId, idempotencyKey }, ...change }) => ({
    ...change,
    ...{ write_id: writeId, request_id: requestId ?? null, idempotency_key: idempotencyKey ?? null },
  }))
  const { companyId, accountId, tokenId, previewId } = author
  const { records, action, removalId } = what
  const append = (ids?: readonly number[]): Statement => {
    const [columns, drawn] = ids ? [sql`id, pos, `, sql`given.id, log_position(c.id), `] : [sql``, sql``]
    const logged = ids ? rows.map((row, index) => ({ ...row, id: ids[index] })) : rows
    const values = {
      companyId,
      accountId,
      tokenId,
      door: doorOf(author),
      previewId: previewId ?? null,
      records,
      action,
      removalId: removalId ?? null,
      rows: JSON.stringify(logged),
    }
    return prepared(
      ids ? 'log.append-there' : 'log.append',
      values,
      (given) => sql`
      insert into history (${columns}company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      record_id, version, changes, write_id, request_id, idempotency_key)
    select ${drawn}c.id, ${given.accountId}::bigint, ${given.tokenId}::bigint, ${given.door}::text, ${given.previewId}::uuid,
      ${given.records}::text, ${given.action}::text, ${given.removalId}::bigint, ${ids ? epochOf(given.companyId) : newestEpoch},
      given.record_id, given.version, given.changes, given.write_id, given.request_id, given.idempotency_key
    from companies c cross join json_to_recordset(${given.rows}::json) as given (id bigint, record_id bigint,
      version integer, changes json, write_id uuid, request_id text, idempotency_key text) where c.id = ${given.companyId}`,
    )
  }
  const steps: Steps = async (run) => {
    const ids = await drawIds(run, rows.length)
    return { rows: inEpoch(run, companyId, append(ids)) }
  }
  return { ...append(), distributed: steps }
}

/** Appends a row for a change of settings, a sign-in, an export or an import. */
export function appendAudit(
  by: LogAuthor,
  { records, recordId, action, changes }: { records: string; recordId: number; action: string; changes: unknown },
): Statement {
  const author = { ...by, requestId: by.from?.requestId ?? by.requestId }
  const row = sql`${recordId}::bigint, null::bigint, ${JSON.stringify(changes)}::json, null::json`
  const noted = { records, action, isAudit: true }
  return statement(insertLog(author, noted, sql`select ${row}`), undefined, async (run) => {
    const [id] = await drawIds(run, 1)
    return inEpoch(run, author.companyId, statement(insertLog(author, noted, sql`select ${id}::bigint, ${row}`, true)))
  })
}

/** A position in the log, up to which the reader has all changes. `pos` is a transaction id of 64 bits, as text. */
export type Position = { epoch: number; pos: string; id: number }

/**
 * A position with the log that issued it: `line` is the line of the newest epoch at that moment. It is null in a cursor
 * from before lines, which counts as issued in the epoch of its position.
 */
export type Cursor = Position & { line: number | null }

/** The id of the event of a change `h`, which stays the same however often it is sent. */
export const eventId = sql`'evt_' || h.epoch || '_' || h.id`

/** Selects the current epoch, in the snapshot of the statement. */
export const newestEpoch = sql`(select epoch from log_epochs order by epoch desc limit 1)`
export const currentEpoch = (companyId: number): Sql => eitherSql(newestEpoch, () => epochOf(companyId))
export const newestLine = sql`(select line from log_epochs order by epoch desc limit 1)`
export const currentLine = (companyId: number): Sql => eitherSql(newestLine, () => lineOf(companyId))

/** The position below which nothing can appear any more. */
export const horizon = raw('pg_snapshot_xmin(pg_current_snapshot())')

/**
 * The identity of this log: the cluster, its timeline, and the table in it. A restored dump has a new table. A return
 * to an earlier moment and a promoted replica have a new timeline.
 */
const identity = sql`(
    select format('%s/%s/%s/%s', (select system_identifier from pg_control_system()),
      left(pg_walfile_name(pg_current_wal_lsn()), 8), (select oid from pg_database where datname = current_database()),
      'log_epochs'::regclass::oid)
  )`

/** Reads whether the newest epoch is of this log. */
export const selectIdentity = (): Statement =>
  statement(sql`select identity = ${identity} as same, to_regclass('company_epochs') is not null as distributed
    from log_epochs order by epoch desc limit 1`)

/**
 * Begins a new epoch, unless another process has. Runs while writers are locked out. The first log takes the existing
 * epoch.
 */
export const advanceEpoch = (): Statement =>
  statement(sql`with newest as (
      select epoch, identity from log_epochs order by epoch desc limit 1
    ), named as (
      update log_epochs set identity = ${identity} where identity = '' and epoch = (select epoch from newest)
    )
    insert into log_epochs (epoch, identity)
    select epoch + 1, ${identity} from newest where identity not in ('', ${identity})`)
