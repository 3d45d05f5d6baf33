import { withComputed } from '#derive/input.ts'
import { sumsOfComputed } from '#derive/sums.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { Origin } from '#sql/author.ts'
import { referencesOf } from '#sql/records/columns.ts'
import { type StoredSumsRow, sumsOfRecords } from '#sql/records/sums.ts'
import { updateHeld } from '#sql/records/update.ts'
import type { WriteContext } from './actor.ts'
import { isIssued, papersOf } from './papers.ts'
import { differences } from './write-set.ts'

/** What a write did to a record of a resource that settles others: its call, and the record before and after. */
export type SettlingWrite = { by: Origin; records: readonly JsonObject[] }

/**
 * Works out anew the calculated fields of the records to which written ones refer by a settling reference, and writes
 * those that differ. The write has locked them in their place. Decisions, Sums.
 */
export async function settle(
  { transaction, actor }: WriteContext,
  definition: Definition,
  writes: readonly SettlingWrite[],
): Promise<void> {
  for (const [field, { to, settles }] of referencesOf(definition)) {
    if (!settles) continue
    const callOf = new Map<number, Origin>()
    for (const { by, records } of writes)
      for (const { [field]: id } of records) if (typeof id === 'number' && !callOf.has(id)) callOf.set(id, by)
    if (callOf.size === 0) continue
    const settled = definitionOf(registry, to) as Definition
    const statement = sumsOfRecords(actor.companyId, settled, sumsOfComputed(settled), [...callOf.keys()])
    const updates = (await transaction.run<StoredSumsRow>(statement)).flatMap(({ id, version, json, sums }) => {
      const before = JSON.parse(json) as JsonObject
      const values = withComputed(settled, before, { before, sent: {}, sums })
      const { changed, changes } = differences(settled, before, values)
      const update = { id, version, by: callOf.get(id) ?? actor, values, changes }
      return changed.length > 0 ? [{ ...update, isIssued: isIssued(settled, before, values) }] : []
    })
    const names = [...new Set(updates.flatMap(({ changes }) => Object.keys(changes)))]
    if (updates.length === 0) continue
    const issued = updates.filter((one) => one.isIssued)
    for (const one of [
      ...updateHeld({ author: actor, definition: settled, updates, names, isShown: false }),
      ...papersOf(actor, settled, issued),
    ])
      transaction.send(one)
  }
}
