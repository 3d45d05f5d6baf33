import type { JsonObject } from '#registry/json.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { UnlinkedEntry } from '#sql/records/history.ts'
import type { HeldRemoval } from '#sql/records/restore.ts'
import type { UndoRow } from '#sql/records/written-changes.ts'

/** Finds the steps that take a write back, from its log entries alone. */

/** `from` is the oldest change that a step takes back, `records` the number of its records. */
export type Step = { from: number; records: number } & (
  | { does: 'change'; row: UndoRow }
  | { does: 'remove'; row: UndoRow; version: number }
  | { does: 'void'; row: UndoRow; version: number; body: JsonObject }
  | { does: 'restore'; removal: HeldRemoval; erased: UndoRow | undefined }
  | { does: 'remove again'; removal: HeldRemoval; members: readonly UndoRow[]; linked: readonly UndoRow[] }
)

/**
 * Returns the steps, newest first. A record that the write created is deleted, whatever else the write did to it, or takes the step
 * that stands for its deletion. A
 * deletion is taken back as a whole, with the references that it emptied, and so is a restore.
 */
export function stepsOf(rows: readonly UndoRow[], removals: ReadonlyMap<number, HeldRemoval>): Step[] {
  const born = new Set(rows.filter(({ action }) => action === 'created').map(placeOf))
  const last = new Map<string, UndoRow>()
  for (const row of rows) if (!last.has(placeOf(row))) last.set(placeOf(row), row)
  const ofRemoval = Map.groupBy(
    rows.filter(({ removal_id }) => removal_id !== null),
    ({ removal_id }) => removal_id as number,
  )
  const undoneAt = new Map<string, number>()
  const linksOf = new Map<number, UndoRow[]>()
  // A deletion empties references before it hides the records, a restore fills them in afterwards.
  for (const [id, members] of ofRemoval) {
    const isRestore = members.some(({ action }) => action === 'restored')
    const wanted = new Set(emptiedBy(removals.get(id)?.unlinked ?? []))
    const edge = isRestore ? (members[0] as UndoRow).id : (members.at(-1) as UndoRow).id
    const beside = isRestore ? rows.filter((row) => row.id > edge).toReversed() : rows.filter((row) => row.id < edge)
    const links = beside.filter((row) => wanted.delete(`${placeOf(row)} ${onlyField(row)}`))
    linksOf.set(id, links)
    for (const row of links) undoneAt.set(String(row.id), id)
  }

  const done = new Set<number>()
  return rows.flatMap((row): Step[] => {
    const removalId = row.removal_id ?? undoneAt.get(String(row.id))
    if (removalId !== undefined) {
      const removal = removals.get(removalId)
      const members = ofRemoval.get(removalId) ?? []
      if (done.has(removalId) || !removal || members.every((member) => born.has(placeOf(member)))) return []
      done.add(removalId)
      const linked = linksOf.get(removalId) ?? []
      const all = [...members, ...linked]
      const common = { from: Math.min(...all.map(({ id }) => id)), records: new Set(all.map(placeOf)).size, removal }
      if (members.some(({ action }) => action === 'restored'))
        return [{ ...common, does: 'remove again', members, linked }]
      return [{ ...common, does: 'restore', erased: members.find(({ action }) => action === 'erased') }]
    }
    const place = placeOf(row)
    const common = { from: row.id, records: 1, row }
    if (row.action === 'changed') return born.has(place) ? [] : [{ ...common, does: 'change' }]
    const end = last.get(place) as UndoRow
    if (end.action === 'deleted' || end.action === 'erased') return []
    const body = definitionOf(registry, row.records)?.removal.undone
    const made = { ...common, version: end.version }
    return [body ? { ...made, does: 'void', body } : { ...made, does: 'remove' }]
  })
}

export const placeOf = ({ records, record_id }: Pick<UndoRow, 'records' | 'record_id'>): string =>
  `${records} ${record_id}`

/** Returns the field of a change of one field, as an emptied or refilled reference is logged. */
function onlyField({ action, changes }: UndoRow): string | undefined {
  const names = Object.keys(changes ?? {})
  return action === 'changed' && names.length === 1 ? names[0] : undefined
}

const emptiedBy = (notes: readonly UnlinkedEntry[]): string[] =>
  notes.flatMap(({ records, by, ids, settled }) => [
    ...ids.map((id) => `${records} ${id} ${by}`),
    ...(settled?.ids.map((id) => `${records} ${id} ${settled.column}`) ?? []),
  ])

/** Returns the fields of a change as they were. */
export const oldFieldsOf = ({ changes }: UndoRow): JsonObject =>
  Object.fromEntries(Object.entries(changes ?? {}).map(([name, [old]]) => [name, old]))
