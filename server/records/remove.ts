import type { ExpectedVersion } from '#derive/expected-version.ts'
import { deleteBlocked } from '#derive/refusals.ts'
import { type Definition, isIn, isProtected, type Relation } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { listedIdsMax } from '#registry/limits.ts'
import { permission } from '#registry/permissions.ts'
import type { RecordsSummary } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { SubscriptionPlan } from '#registry/subscription.ts'
import type { UnlinkedEntry } from '#sql/records/history.ts'
import type { RemovalEffect } from '#sql/records/lock-order.ts'
import { prefetchForDelete, settlingReferences, wasColumn } from '#sql/records/prefetch.ts'
import {
  type ColumnChange,
  type ColumnChangeRow,
  erase,
  insertRemoval,
  nextRemovalId,
  setColumns,
  softDelete,
} from '#sql/records/remove.ts'
import { conflict } from '#sql/statement.ts'
import type { WriteContext } from './actor.ts'
import { requireHeldRecord } from './expected.ts'
import { holdRecords } from './locks.ts'
import type { PrefetchedRow } from './look-up.ts'
import { releaseQuotaSlots } from './quota.ts'
import { settle } from './settle.ts'
import type { Command } from './write-record.ts'

/** Records of one resource on which a deletion has one effect. */
export type Group = { records: string; ids: readonly number[]; effect?: 'kept' | 'unlinked' }

export type RemovalResult = { id: number; mode: 'soft' | 'hard'; cascaded: Group[]; kept: Group[] }

/**
 * Deletes a record unless protected history refers to it. Records that belong to it alone are deleted along. Others
 * stay, and their references to it are emptied. A preview does the same, and its caller rolls back. Spec, Request and
 * response rules 3 and 4.
 */
export const createRemoval = (
  companyId: number,
  definition: Definition,
  { id, expected }: { id: number; expected: ExpectedVersion },
): Command<RemovalResult> => ({
  prefetch: prefetchForDelete(companyId, definition, id),
  async execute(transaction, actor, prefetched) {
    const context = { transaction, actor }
    const { json } = requireHeldRecord(prefetched, expected)
    const record = JSON.parse(json) as JsonObject
    for (const name of settlingReferences(definition))
      if (prefetched?.[wasColumn(name)] !== record[name]) throw conflict()
    const [[drawn], plan] = await Promise.all([
      transaction.run<{ id: number }>(nextRemovalId()),
      planRemoval(context, { definition, id, family: familyOf(prefetched) }),
    ])
    const removalId = drawn?.id as number
    for (const records of plan.cascades.keys()) actor.mayDo?.(permission(records, 'DELETE'))
    refuseIfBlocked(definition, record, plan)

    const mode = definition.removal.hardWhen && isIn(record, definition.removal.hardWhen) ? 'hard' : 'soft'
    const unlinked = await unlink(context, plan)
    const title = String(record[definition.title])
    const cascaded = Object.fromEntries([...plan.cascades].map(([records, ids]) => [records, [...ids]]))
    const going = new Map(plan.cascades)
    addTo(going, definition.name, [id])
    const statements = [
      insertRemoval(actor, removalId, { records: definition.name, recordId: id, mode, title, cascaded, unlinked }),
      ...(mode === 'hard' ? erase(actor, definition, { id, held: json, removalId }) : []),
      ...[...(mode === 'hard' ? plan.cascades : going)].flatMap(([records, ids]) =>
        softDelete(actor, resourceNamed(records), [...ids], removalId),
      ),
    ]
    for (const statement of statements) transaction.send(statement)
    await settle(context, definition, [{ by: actor, records: [record] }])
    releaseQuotaSlots(
      context,
      prefetched?.plan as SubscriptionPlan,
      new Map([...going].map(([records, ids]) => [records, ids.size])),
    )
    return { id, mode, cascaded: listsOf(plan.cascades), kept: listKept(plan) }
  },
})

/** The effects of a removal, found before anything is written. */
export type Removal = {
  /** Ids that are deleted along, by resource, without the record itself. */
  cascades: Map<string, Set<number>>
  /** Ids that stay, by reference. */
  stays: { relation: Relation; effect: 'kept' | 'unlinked'; ids: number[] }[]
  restricts: { records: string; ids: number[] }[]
}

/**
 * Follows every relation of the record, and of records deleted along, until no more are found. Locks all of them in the
 * lock order. `family` are the ids of the same resource that are locked already.
 */
export async function planRemoval(
  context: WriteContext,
  { definition, id, family }: { definition: Definition; id: number; family: readonly number[] | undefined },
): Promise<Removal> {
  const referring = await holdRecords(context, new Map([[definition.name, new Set([id])]]))
  const plan: Removal = { cascades: new Map(), stays: [], restricts: [] }
  const waiting: [Definition, number[]][] = [[definition, [id]]]
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [resource, group] = next
    for (const relation of resource.removal.relations) {
      const rows = (referring.get(relation) ?? []).filter(({ to }) => group.includes(to))
      const idsOf = (effect: RemovalEffect) => rows.filter((row) => row.effect === effect).map((row) => row.id)
      // It began to refer to the record after that was locked, so its lock was taken out of order.
      if (relation.records === definition.name && rows.some((row) => !family?.includes(row.id))) throw conflict()
      const going = idsOf('cascade')
      if (going.length > 0)
        waiting.push([resourceNamed(relation.records), addTo(plan.cascades, relation.records, going)])
      const blocking = idsOf('restrict')
      if (blocking.length > 0) plan.restricts.push({ records: relation.records, ids: blocking })
      for (const effect of ['unlinked', 'kept'] as const) {
        const staying = idsOf(effect)
        if (staying.length > 0) plan.stays.push({ relation, effect, ids: staying })
      }
    }
  }
  // A record that is deleted by one reference does not stay by another.
  plan.stays = plan.stays
    .map((stay) => ({ ...stay, ids: stay.ids.filter((id) => !plan.cascades.get(stay.relation.records)?.has(id)) }))
    .filter(({ ids }) => ids.length > 0)
  return plan
}

/** Returns the ids that were locked together with a record to remove. */
export const familyOf = (prefetched: PrefetchedRow): number[] | undefined =>
  (prefetched?.family ?? undefined) as number[] | undefined

function refuseIfBlocked(definition: Definition, record: JsonObject, { restricts }: Removal): void {
  const itself = isProtected(definition, record) ? [{ records: definition.name, ids: [record.id as number] }] : []
  const blockedBy = mergeGroups([...itself, ...restricts]).map(({ records, ids }) => summarizeRecords(records, ids))
  if (blockedBy.length > 0) throw deleteBlocked(definition, blockedBy)
}

/**
 * Empties the references of records that stay, in one write of each record. Returns the old values, so that a restore can
 * fill them in again.
 */
async function unlink({ transaction, actor }: WriteContext, { stays }: Removal): Promise<UnlinkedEntry[]> {
  const unlinked = stays.filter(({ effect }) => effect === 'unlinked')
  const changesOf = ({ relation: { by, resets }, ids }: Removal['stays'][number]): ColumnChange[] => [
    ...(resets ? [{ column: resets.column, ids, from: { is: resets.from }, to: resets.to }] : []),
    { column: by, ids, from: 'any', to: null },
  ]
  const changed = await Promise.all(
    [...Map.groupBy(unlinked, ({ relation: { records } }) => records)].map(async ([records, alike]) => {
      const statements = setColumns(actor, resourceNamed(records), alike.flatMap(changesOf))
      const rows = await Promise.all(statements.map((one) => transaction.run<ColumnChangeRow>(one)))
      return alike.map((stay) => [stay, rows.splice(0, changesOf(stay).length)] as const)
    }),
  )
  const rowsOf = new Map(changed.flat())
  return unlinked.map((stay) => {
    const { records, by, resets } = stay.relation
    const rows = rowsOf.get(stay) ?? []
    const [settled = [], freed = []] = resets ? rows : [[], ...rows]
    return {
      records,
      by,
      ids: freed.map(({ id }) => id),
      of: freed.map(({ changes }) => Number(changes[by]?.[0])),
      ...(resets && settled.length > 0 ? { settled: { ...resets, ids: settled.map(({ id }) => id) } } : {}),
    }
  })
}

function listKept({ stays }: Removal): Group[] {
  const groups = stays.map(({ relation: { records }, effect, ids }) => ({ records, effect, ids }))
  const of = (wanted: Group['effect']) => mergeGroups(groups.filter(({ effect }) => effect === wanted))
  return [...of('unlinked'), ...of('kept')]
}

export const summarizeRecords = (records: string, ids: readonly number[]): RecordsSummary => ({
  records,
  count: ids.length,
  ids: ids.toSorted((one, other) => one - other).slice(0, listedIdsMax),
})

/** Returns a group as responses show it. */
export const listedGroup = ({ records, ids, effect }: Group): RecordsSummary => ({
  ...summarizeRecords(records, ids),
  ...(effect ? { effect } : {}),
})

/** Merges groups of the same resource and effect, each id once. */
export const mergeGroups = (groups: readonly Group[]): Group[] =>
  [...Map.groupBy(groups, ({ records, effect }) => `${records} ${effect}`).values()].map((alike) => ({
    ...(alike[0] as Group),
    ids: [...new Set(alike.flatMap(({ ids }) => ids))],
  }))

export const listsOf = (groups: Map<string, Set<number>>): { records: string; ids: number[] }[] =>
  [...groups].map(([records, ids]) => ({ records, ids: [...ids] }))

/** Adds ids to a resource. Returns those that are new there. */
function addTo(groups: Map<string, Set<number>>, records: string, ids: readonly number[]): number[] {
  const known = groups.get(records) ?? new Set()
  const added = ids.filter((id) => !known.has(id))
  groups.set(records, new Set([...known, ...added]))
  return added
}

export function resourceNamed(records: string): Definition {
  const definition = definitionOf(registry, records)
  if (!definition) throw new Error(`the registry has no ${records}`)
  return definition
}
