import { servedResources } from '#registry/resources/index.ts'
import { type ChangesRow, changesAfter } from '#sql/records/changes.ts'
import type { Position } from '#sql/system/log.ts'
import type { Change } from '../service/changes.ts'
import type { Database } from '../store/database.ts'

/** A change, and its position in the log. */
export type Event = { change: Change; before: Position; cursor: Position }

export type EventsPage = {
  events: Event[]
  /** The position after all that was looked at. */
  next: Position
  more: boolean
  /** The epoch of the log. */
  epoch: number
}

/**
 * Changes of a company after a position that the database itself keeps: however far back it lies, and wherever the log has
 * begun anew, it is a position of this very log.
 */
export async function readEvents(
  database: Database,
  ask: { companyId: number; after: Position; records: readonly string[]; limit: number },
): Promise<EventsPage> {
  // However long an endpoint was disabled, nothing that it missed is left out.
  const [row] = await database.read<ChangesRow>(changesAfter(servedResources, { ...ask, keptDays: null }))
  const { json, places, next_epoch, next_pos, next_id, more, epoch } = row as ChangesRow
  const changes = JSON.parse(`[${json}]`) as Change[]
  const cursors = places.map(([epoch, pos, id]) => ({ epoch, pos, id }))
  const events = changes.map((change, index) => {
    const cursor = cursors[index] as Position
    return { change, cursor, before: { ...cursor, id: cursor.id - 1 } }
  })
  const next = next_pos === null ? ask.after : { epoch: next_epoch as number, pos: next_pos, id: next_id as number }
  return { events, next, more, epoch }
}
