import type { Json } from '#registry/json.ts'
import type { PlannedChange, Preview } from '#registry/refusals.ts'
import { registry } from '#registry/resources/index.ts'
import { needOf } from '../batch-operation.ts'

/** The records that a previewed change deletes: those that it names, and those that go along with them. */
export type GoingRecords = {
  named: PlannedChange[]
  /** As many as the preview shows. */
  along: PlannedChange[]
  /** All of them, those along included. */
  count: number
}

export const isRemoval = ({ action }: Pick<PlannedChange, 'action'>): boolean =>
  action === 'deleted' || action === 'erased'

const isDeletionOf =
  (records: string) =>
  ({ definition, action }: NonNullable<ReturnType<typeof needOf>>): boolean =>
    definition.name === records && action === 'DELETE'

/**
 * Splits the deletions of a preview. It shows those that are named first. A batch names as many as it has operations;
 * for an undo they are the ones that go along with no other.
 */
export function listGoing(
  { changes, would_delete }: Pick<Preview, 'changes' | 'would_delete'>,
  operations: Json | null,
): GoingRecords {
  const removals = changes.filter(isRemoval)
  const alongOf = (records: string): number =>
    would_delete.reduce((sum, group) => sum + (group.records === records ? group.count : 0), 0)
  const namedOf = (records: string, shown: readonly PlannedChange[]): number =>
    Array.isArray(operations)
      ? operations.flatMap((one) => needOf(one, registry) ?? []).filter(isDeletionOf(records)).length
      : shown.length - alongOf(records)
  const groups = [...Map.groupBy(removals, ({ records }) => records)].map(([records, shown]) => {
    const count = Math.max(0, namedOf(records, shown))
    return { named: shown.slice(0, count), along: shown.slice(count) }
  })
  const named = groups.flatMap((group) => group.named)
  const along = groups.flatMap((group) => group.along)
  const allAlong = would_delete.reduce((sum, { count }) => sum + count, 0)
  return { named, along, count: named.length + Math.max(along.length, allAlong) }
}
