import { checkRules } from '#derive/input.ts'
import type { Definition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import type { UnlinkedEntry } from '#sql/records/history.ts'
import { leadsTo, lockTree } from '#sql/records/lock-order.ts'
import { setColumns } from '#sql/records/remove.ts'
import { holdLive, stillEmpty } from '#sql/records/restore.ts'
import { runInOrder } from '#sql/statement.ts'
import type { WriteContext } from './actor.ts'
import { lookUpFound } from './check.ts'
import { type Group, listsOf, resourceNamed } from './remove.ts'
import { judgedSums } from './sums.ts'
import { readToday } from './today.ts'

/**
 * Fills in again the references that a removal emptied. Only records count that are live, still refer to nothing, and
 * keep their rules with the reference. Other changes since the removal stay.
 */
export async function relink(context: WriteContext, entries: readonly UnlinkedEntry[]): Promise<Group[]> {
  const linked: LinkedIds = new Map()
  // An estimate may fit its client only once its project is the client's again, so it repeats while that helps.
  for (let before = -1; before < size(linked); ) {
    before = size(linked)
    for (const unlinked of entries) await linkThose(context, unlinked, linked)
  }
  return listsOf(linked)
}

type LinkedIds = Map<string, Set<number>>

const size = (linked: LinkedIds): number => [...linked.values()].reduce((sum, ids) => sum + ids.size, 0)

async function linkThose(context: WriteContext, unlinked: UnlinkedEntry, linked: LinkedIds) {
  const { transaction, actor } = context
  const definition = resourceNamed(unlinked.records)
  const rows = await transaction.run<{ id: number; json: string }>(
    stillEmpty(actor.companyId, definition, unlinked.by, unlinked.ids),
  )
  const fitting: Link[] = []
  for (const { id, json } of rows) {
    const to = unlinked.of?.[unlinked.ids.indexOf(id)]
    if (to === undefined) continue
    const link = { id, to, record: JSON.parse(json) as JsonObject }
    if (await isLinkable(context, definition, unlinked, link)) fitting.push(link)
  }
  for (const [to, links] of Map.groupBy(fitting, ({ to }) => to)) {
    const ids = links.map(({ id }) => id)
    await runInOrder(
      transaction.run,
      ...setColumns(actor, definition, [{ column: unlinked.by, ids, from: 'any', to: String(to) }]),
    )
    linked.set(definition.name, new Set([...(linked.get(definition.name) ?? []), ...ids]))
  }
  await undoResets(context, unlinked, fitting)
}

type Link = { id: number; to: number; record: JsonObject }

/** Returns whether the target is live again, and the record would keep its rules. */
async function isLinkable(
  context: WriteContext,
  definition: Definition,
  { by }: UnlinkedEntry,
  { id, to, record }: Link,
): Promise<boolean> {
  const { transaction, actor } = context
  const { companyId } = actor
  const field = referenceOf(definition.fields[by])
  if (!field) return false
  const [target] = await transaction.run<{ live: boolean }>(holdLive(companyId, field.to, [to]))
  if (!target?.live) return false
  if (field.tree) {
    await transaction.run(lockTree(companyId, definition.name, by))
    const [row] = await transaction.run<{ leads: boolean }>(leadsTo(companyId, definition.name, by, to, id))
    if (row?.leads) return false
  }
  const after = { ...record, [by]: to }
  const found = await lookUpFound(context, definition, after)
  const [sums] = await judgedSums(context, definition, [{ body: {} }], () => after)
  return checkRules(definition, after, after, [], { found, sums, today: await readToday(context) }).length === 0
}

/** Sets equipment that was in use on the project to that again, unless somebody has changed it since. */
async function undoResets({ transaction, actor }: WriteContext, { records, settled }: UnlinkedEntry, links: Link[]) {
  if (!settled) return
  const { column, from, to } = settled
  const ids = links.map(({ id }) => id).filter((id) => settled.ids.includes(id))
  if (ids.length === 0) return
  const definition = resourceNamed(records)
  await runInOrder(transaction.run, ...setColumns(actor, definition, [{ column, ids, from: { is: to }, to: from }]))
}
