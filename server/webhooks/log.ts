import { type LackedRights, visibleChanges } from '#derive/visible.ts'
import { servedResources } from '#registry/resources/index.ts'
import { recordsOfEvent } from '#registry/webhooks.ts'
import { type ChangesRow, changesAfter } from '#sql/records/changes.ts'
import type { Cursor, Position } from '#sql/system/log.ts'
import { type Change, isGone } from '../service/changes.ts'
import type { Database } from '../store/database.ts'

/** A change, and its position in the log. */
export type Event = { change: Change; before: Position; cursor: Cursor }

/**
 * Reads the changes of a company after a position that the database itself stores. Such a position is never too old and
 * survives a new epoch. Leaves out the fields of the permissions that the receiver `lacks`. `next` is the position after
 * the last change that was read, wanted or not. `isGone`: changes after the cursor may be missing, and the feed refuses
 * such a cursor.
 */
export async function readEvents(
  database: Database,
  ask: { companyId: number; after: Cursor; records: readonly string[]; limit: number; lacks: LackedRights },
) {
  // An endpoint gets every change that it missed, however long it was disabled.
  const [row] = await database.read<ChangesRow>(changesAfter(servedResources, { ...ask, keptDays: null }))
  const { json, places, next_epoch, next_pos, next_id, more, epoch, line } = row as ChangesRow
  const changes = JSON.parse(`[${visibleChanges(ask.lacks, json)}]`) as Change[]
  const cursors = places.map(([epoch, pos, id]) => ({ epoch, pos, id, line }))
  const events = changes.map((change, index): Event => {
    const cursor = cursors[index] as Cursor
    return { change, cursor, before: { ...cursor, id: cursor.id - 1 } }
  })
  const next: Cursor =
    next_pos === null
      ? { ...ask.after, line }
      : { epoch: next_epoch as number, pos: next_pos, id: next_id as number, line }
  return { events, next, more, epoch, isGone: isGone(row as ChangesRow) }
}

/** Finds the event that follows a position. Returns undefined if the log has no event with this id there. */
export async function findEvent(
  database: Database,
  ask: { companyId: number; after: Position; event: string; id: string; lacks: LackedRights },
): Promise<Event | undefined> {
  const { companyId, after, event, id, lacks } = ask
  const first = { companyId, after: { ...after, line: null }, records: [recordsOfEvent(event)], limit: 1, lacks }
  const { events } = await readEvents(database, first)
  return events.find(({ change }) => change.id === id)
}
