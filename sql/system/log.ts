import { raw, type Sql } from 'sql-template-tag'
import type { JsonObject } from '#registry/json.ts'
import { byKeys } from '../access.ts'
import { doorOf, type LogAuthor, type Origin } from '../author.ts'
import { drawIds, epochOf, inEpoch, lineOf, ofRecords, withIds } from '../citus/log.ts'
import {
  type Expressions,
  eitherSql,
  expressionsOf,
  prepareStatement,
  type Statement,
  type Steps,
  sql,
  statement,
} from '../statement.ts'

/** The log of changes: its writes, and its identity. Decisions, Changes. */

/** `isAudit`: the rows have the origin of the request. Changes of records have none. */
type LoggedWrite = { records: string; action: string; removalId?: number | undefined }

/** The values of a log row that come from its author and its write. */
const logValues = (author: LogAuthor, { records, action, removalId }: LoggedWrite) => ({
  companyId: author.companyId,
  accountId: author.accountId,
  tokenId: author.tokenId,
  door: doorOf(author),
  previewId: author.previewId ?? null,
  records,
  action,
  removalId: removalId ?? null,
  writeId: author.writeId,
  requestId: author.requestId ?? null,
  idempotencyKey: author.idempotencyKey ?? null,
  peer: author.from?.peer ?? null,
  forwardedFor: author.from?.forwardedFor ?? null,
  device: author.from?.device ?? null,
})
type LogValues = ReturnType<typeof logValues>

/**
 * Inserts a row of the log for each row of `of` (record_id, version, changes, held). The statement began after the
 * record was locked, and it reads the epoch itself: both keep the log in the order of commits. Where companies are
 * distributed (`isThere`) the ids come first in `of`, and the company's own row is joined, so that the position is one
 * of the company's server.
 */
function insertLog(given: Expressions<LogValues>, of: Sql, { isThere = false, isAudit = false } = {}): Sql {
  const { companyId, writeId, requestId, idempotencyKey, records, action } = given
  const columns = isAudit ? sql`, peer, forwarded_for, device` : sql``
  const values = isAudit ? sql`, ${given.peer}::text, ${given.forwardedFor}::text, ${given.device}::text` : sql``
  const [own, type] = isThere ? [sql`c.id`, raw('::text')] : [sql`${companyId}::bigint`, sql``]
  const [names, place] = isThere ? [sql`pos, id, `, sql`log_position(c.id), `] : [sql``, sql``]
  const source = sql`(${of}) logged`
  return sql`insert into history as h (company_id, account_id, token_id, door, preview_id, records, action, removal_id, epoch,
      ${names}record_id, version, changes, held, write_id, request_id, idempotency_key${columns})
    select ${own}, ${given.accountId}::bigint, ${given.tokenId}::bigint, ${given.door}${type},
      ${given.previewId}::uuid,
      ${records}${type}, ${action}${type}, ${given.removalId}::bigint, ${isThere ? epochOf(companyId) : newestEpoch}, ${place}logged.*, ${writeId}::uuid, ${requestId}::text, ${idempotencyKey}::text${values}
    from ${isThere ? sql`companies c cross join ${source} where c.id = ${companyId}` : source}`
}

/**
 * Records `r` to log: all of these ids, or those that meet `only`. `name` is set if the text is always the same, and `of` if it
 * is made of a definition. `heldJson` is a value of `what`.
 */
type RecordsLogged = {
  table: string
  ids: readonly number[]
  what(given: Expressions<{ companyId: number; heldJson: string }>): { version: Sql; changes?: Sql; held?: Sql }
  heldJson?: string
  only?: Sql
  name?: string
  of?: object | null
}

/**
 * Appends a row for each record as it is when the statement begins, in the order of the ids. Returns the changes if `what`
 * has any. On one server the statement draws the ids of its rows; where companies are distributed they are drawn before it.
 */
export function appendRecords(
  author: LogAuthor,
  logging: Omit<LoggedWrite, 'records'>,
  { table, ids, what, heldJson = '', only = sql`true`, name, of = null }: RecordsLogged,
): Statement {
  const { companyId } = author
  const values = { ...logValues(author, { ...logging, records: table }), ids, heldJson }
  const log = (given: Expressions<typeof values>, from: (columns: Sql) => Sql, isThere = false): Sql => {
    const { version, changes, held = sql`null::json` } = what(given)
    const returning = changes ? sql` returning h.record_id as id, h.changes` : sql``
    const rows = from(sql`${version}, ${changes ?? sql`null::json`}, ${held}`)
    return sql`${insertLog(given, rows, { isThere })}${returning}`
  }
  const append = prepareStatement(of, name, values, (given) =>
    log(
      given,
      (columns) => sql`select r.id, ${columns} from ${byKeys(table, given.companyId, given.ids)} where ${only}`,
    ),
  )
  const steps: Steps = async (run) => {
    const written = await withIds(run, ids)
    const there = (columns: Sql) => ofRecords({ companyId, table, written, columns, only })
    return { rows: inEpoch(run, companyId, statement(log(expressionsOf(values), there, true))) }
  }
  return { ...append, distributed: steps }
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
  const { companyId } = author
  const append = (ids?: readonly number[]): Statement => {
    const [columns, drawn] = ids ? [sql`id, pos, `, sql`given.id, log_position(c.id), `] : [sql``, sql``]
    const logged = ids ? rows.map((row, index) => ({ ...row, id: ids[index] })) : rows
    const values = { ...logValues(author, what), rows: JSON.stringify(logged) }
    return prepareStatement(
      null,
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

export function appendAudit(
  by: LogAuthor,
  { records, recordId, action, changes }: { records: string; recordId: number; action: string; changes: unknown },
): Statement {
  const author = { ...by, requestId: by.from?.requestId ?? by.requestId }
  const row = sql`${recordId}::bigint, null::bigint, ${JSON.stringify(changes)}::json, null::json`
  const values = expressionsOf(logValues(author, { records, action }))
  return statement(insertLog(values, sql`select ${row}`, { isAudit: true }), undefined, async (run) => {
    const [id] = await drawIds(run, 1)
    const there = insertLog(values, sql`select ${id}::bigint, ${row}`, { isAudit: true, isThere: true })
    return inEpoch(run, author.companyId, statement(there))
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

/** Begins a new epoch, unless another process has. Writers are locked out. The first log takes the existing one. */
export const advanceEpoch = (): Statement =>
  statement(sql`with newest as (
      select epoch, identity from log_epochs order by epoch desc limit 1
    ), named as (
      update log_epochs set identity = ${identity} where identity = '' and epoch = (select epoch from newest)
    )
    insert into log_epochs (epoch, identity)
    select epoch + 1, ${identity} from newest where identity not in ('', ${identity})`)
