import { withComputed } from '#derive/input.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { prefetchForUpdate } from '#sql/records/prefetch.ts'
import { updateHeld } from '#sql/records/update.ts'
import type { WriteContext } from './actor.ts'
import { foundOf } from './check.ts'
import { LockRequest, lockWhatIsSeen } from './locks.ts'
import { foundIn } from './look-up.ts'
import { differences, noneLate, prefetchRows, shortSet } from './write-set.ts'

/**
 * Works the fixed fields of records out as of now, where they have none. For records that an earlier version of the program
 * has written. A record without a value keeps the version that it has.
 */
export async function fixRecords(context: WriteContext, definition: Definition, ids: readonly number[]): Promise<void> {
  const { transaction, actor } = context
  await lockWhatIsSeen(context, async () => {
    const request = new LockRequest()
    for (const id of ids) request.wantWritten(definition, id, 'for no key update')
    return request
  })
  const rows = ids.map((id) => ({ id, body: {} }))
  const set = shortSet(transaction, actor, noneLate())
  const seen = foundIn(definition, await prefetchRows(set, definition, rows, prefetchForUpdate))
  const names = Object.keys(definition.computed?.fixed?.values ?? {})
  const updates = rows.flatMap((_, place) => {
    const held = seen.held(place)
    if (!held) return []
    const before = JSON.parse(held.json) as JsonObject
    if (names.some((name) => before[name] !== null)) return []
    const values = withComputed(definition, before, { found: foundOf(definition, before, seen.at(place, held.id)) })
    const { changed, changes } = differences(definition, before, values)
    return changed.length > 0 ? [{ id: held.id, version: held.version, by: actor, values, changes }] : []
  })
  if (updates.length === 0) return
  for (const one of updateHeld({ author: actor, definition, updates, names, isShown: false })) transaction.send(one)
}
