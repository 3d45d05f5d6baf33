import { type LackedRights, visibleChanges } from '#derive/visible.ts'
import { servedResources } from '#registry/resources/index.ts'
import { recordsOfEvent } from '#registry/webhooks.ts'
import { type ChangesRow, changesAfter } from '#sql/records/changes.ts'
import type { Cursor, Position } from '#sql/system/log.ts'
import { type Change, isGone } from '../service/changes.ts'
import type { Database } from '../store/database.ts'

/** A change, and its position in the log. */
export type Event = { change: Change; before: Position; cursor: Cursor }

export type EventsPage = {
  events: Event[]
  /** The position after all that was looked at. */
  next: Cursor
  more: boolean
  /** The epoch of the log. */
  epoch: number
  /** Whether changes after the cursor may be missing, as a reader of the feed would be refused. */
  isGone: boolean
}

/**
 * Changes of a company after a position that the database itself keeps: however far back it lies, and wherever the log has
 * begun anew, it is a position of this very log. What is withheld from whoever `lacks` permissions of fields is left out.
 */
export async function readEvents(
  database: Database,
  ask: { companyId: number; after: Cursor; records: readonly string[]; limit: number; lacks: LackedRights },
): Promise<EventsPage> {
  // However long an endpoint was disabled, nothing that it missed is left out.
  const [row] = await database.read<ChangesRow>(changesAfter(servedResources, { ...ask, keptDays: null }))
  const { json, places, next_epoch, next_pos, next_id, more, epoch, line } = row as ChangesRow
  const changes = JSON.parse(`[${visibleChanges(ask.lacks, json)}]`) as Change[]
  const cursors = places.map(([epoch, pos, id]) => ({ epoch, pos, id, line }))
  const events = changes.map((change, index) => {
    const cursor = cursors[index] as Cursor
    return { change, cursor, before: { ...cursor, id: cursor.id - 1 } }
  })
  const next =
    next_pos === null
      ? { ...ask.after, line }
      : { epoch: next_epoch as number, pos: next_pos, id: next_id as number, line }
  return { events, next, more, epoch, isGone: isGone(row as ChangesRow) }
}

/** The event with an id, behind a position; undefined where the log has no such event there. */
export async function findEvent(
  database: Database,
  {
    companyId,
    after,
    event,
    id,
    lacks,
  }: { companyId: number; after: Position; event: string; id: string; lacks: LackedRights },
): Promise<Event | undefined> {
  const page = await readEvents(database, {
    companyId,
    after: { ...after, line: null },
    records: [recordsOfEvent(event)],
    limit: 1,
    lacks,
  })
  return page.events.find(({ change }) => change.id === id)
}
