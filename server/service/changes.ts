import { hash } from 'node:crypto'
import type { JsonObject } from '#registry/json.ts'
import { Refusal } from '#registry/refusals.ts'
import { servedResources } from '#registry/resources/index.ts'
import { type ChangesRow, changesAfter } from '#sql/records/changes.ts'
import type { Run } from '#sql/statement.ts'
import { type HorizonRow, horizonNow, markFor } from '#sql/system/changes.ts'
import type { Cursor } from '#sql/system/log.ts'
import type { Database } from '../store/database.ts'
import { isBefore } from './change-watch.ts'

/** A change as it is sent. `changes` has the old and the new value of each field that an update changed. */
export type Change = {
  event: string
  id: string
  at: string
  records: string
  record_id: number
  /** Null in entries from before versions. */
  version: number | null
  action: 'created' | 'updated' | 'deleted' | 'erased' | 'restored'
  changes: JsonObject | null
  /** The current state of the record; of a deleted one the last. */
  record: JsonObject | null
  by: {
    channel: 'api' | 'console' | 'command'
    account_id: number | null
    token_id: number | null
    request_id: string | null
    idempotency_key: string | null
    preview_id: string | null
  }
  /** The id of the write, which may have more changes; null in entries from before writes had ids. */
  write_id: string | null
  removal_id: number | null
}

export type ReadChanges = {
  companyId: number
  /** A cursor. `now` returns no changes, and the current cursor. Null starts at the oldest change that is kept. */
  after: string | null
  /** The resources whose changes are returned; by default all served ones. */
  records?: readonly string[]
  limit: number
  /** Null is no limit. */
  keptDays: number | null
}

/**
 * Reads the changes of a company after a cursor, in the order of their commits. `next` is the cursor after all examined
 * changes. `more`: there may be more now; a page can be empty and have more after it. Decisions, Changes.
 */
export async function readChanges(
  database: Database,
  { companyId, after, records = servedResources.map(({ name }) => name), limit, keptDays }: ReadChanges,
): Promise<{ changes: Change[]; next: string; more: boolean }> {
  if (after === 'now')
    return { changes: [], next: cursorOf(companyId, await endOfLog(database.read, companyId)), more: false }
  const from = after === null ? null : readCursor(companyId, after)
  const [row] = await database.read<ChangesRow>(
    changesAfter(servedResources, { companyId, after: from, records, limit, keptDays }),
  )
  const { json, next, more } = checkPage(companyId, row as ChangesRow)
  return { changes: JSON.parse(`[${json}]`) as Change[], next, more }
}

/** Returns a page that was read. Throws if changes after the requested position may be missing. */
export function checkPage(companyId: number, row: ChangesRow): { json: string; next: string; more: boolean } {
  if (isGone(row)) throw new Refusal('cursor_gone')
  const { json, next_epoch, next_pos, next_id, start_epoch, start_pos, start_id, line, more } = row
  const next =
    next_epoch === null || next_pos === null || next_id === null
      ? { epoch: start_epoch, pos: start_pos, id: start_id, line }
      : { epoch: next_epoch, pos: next_pos, id: next_id, line }
  return { json, next: cursorOf(companyId, next), more }
}

/**
 * Returns whether changes after the cursor may be missing. That is so if another log issued it, if it lies behind the
 * cut end of its epoch, or if the first change after it is no longer kept. A cursor issued after its epoch had ended
 * was read from the rest of that epoch, so the end does not matter to it.
 */
export function isGone({ start_epoch, start_pos, start_id, start_line, issued_epoch, ...row }: ChangesRow): boolean {
  if (start_line !== null && issued_epoch === null) return true
  if (isBefore({ epoch: row.epoch, pos: row.horizon }, { epoch: start_epoch, pos: start_pos })) return true
  const isIssuedLater = issued_epoch !== null && issued_epoch > start_epoch
  if (row.closed_at !== null && !isIssuedLater) {
    const [pos, end] = [BigInt(start_pos), BigInt(row.closed_at)]
    if (pos > end || (pos === end && start_id > 0)) return true
  }
  const { first_epoch, first_pos, kept_epoch, kept_pos } = row
  if (first_epoch === null || first_pos === null || kept_epoch === null || kept_pos === null) return false
  return isBefore({ epoch: first_epoch, pos: first_pos }, { epoch: kept_epoch, pos: kept_pos })
}

/** Marks and returns the position after which all invisible changes follow. A mark survives a crash. */
export async function endOfLog(run: Run, companyId: number): Promise<Cursor> {
  const [mark] = await run<Omit<Cursor, 'id'>>(markFor(companyId))
  return { ...(mark as Omit<Cursor, 'id'>), id: 0 }
}

/** Reads how far the log can be read, and the session that holds it there. */
export async function horizon(database: Database): Promise<HorizonRow> {
  const [row] = await database.read<HorizonRow>(horizonNow())
  return row as HorizonRow
}

/** Returns the opaque text of a cursor. Its check binds it to the company and detects cut or invented ones. */
export function cursorOf(companyId: number, { epoch, pos, id, line }: Cursor): string {
  const parts = line === null ? `${epoch}.${pos}.${id}` : `${epoch}.${pos}.${id}.${line}`
  return Buffer.from(`${parts}.${checkOf(companyId, parts)}`).toString('base64url')
}

/** Cursors from before lines have no fourth part. */
export function readCursor(companyId: number, cursor: string): Cursor {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, parts, epoch, pos, id, line, check] = form.exec(text) ?? []
  if (parts === undefined || check !== checkOf(companyId, parts)) throw notOurs()
  return { epoch: Number(epoch), pos: pos as string, id: Number(id), line: line === undefined ? null : Number(line) }
}

const form = /^((\d{1,9})\.(\d{1,19})\.(\d{1,16})(?:\.(\d{1,10}))?)\.([\w-]{12})$/

const checkOf = (companyId: number, parts: string): string =>
  hash('sha256', `changes of ${companyId} after ${parts}`, 'base64url').slice(0, 12)

const notOurs = (): Refusal =>
  new Refusal('invalid_parameter', {
    detail:
      'after is no cursor of this feed; send meta.next of an answer to the same company as it is, "now", or leave it out to begin with the oldest change.',
  })
