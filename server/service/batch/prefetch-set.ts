import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { uniqueFields } from '#sql/records/columns.ts'
import { type Sent, takenColumn } from '#sql/records/prefetch.ts'
import { type HolderRow, holdersOf, referredTo } from '#sql/records/sets.ts'
import { referencesOf } from '../check-record.ts'
import type { Prefetched } from '../command.ts'
import type { Run } from './run.ts'

/** What a set of writes has to see, each as `prefetchForCreate` and `prefetchForUpdate` show it of one. */
export type PrefetchedSet = {
  /** What the write at a place sees, where nothing of the set were done. */
  prefetched(index: number, self: number | null): Prefetched & JsonObject
  /** Its unique values, each by a text that is the same for values which count as one. */
  values(index: number): readonly { field: string; key: string; holder: number | null }[]
}

/** `sent` is what each write says of references and unique values; null where there is nothing to look up. */
export async function prefetchSet(
  { transaction, actor }: Run,
  definition: Definition,
  sent: readonly Sent[],
): Promise<PrefetchedSet> {
  const { companyId } = actor
  const referring = referencesOf(definition)
  const unique = uniqueFields(definition)
  const [records, holders] = await Promise.all([
    Promise.all(
      referring.map(async (name): Promise<Map<Json, JsonObject>> => {
        const ids = [...new Set(sent.flatMap((each) => (typeof each[name] === 'number' ? [each[name]] : [])))]
        const rows =
          ids.length > 0 ? await transaction.run<JsonObject>(referredTo(companyId, definition, name, ids)) : []
        return new Map(rows.map((row) => [row.id as Json, row]))
      }),
    ),
    Promise.all(
      unique.map(async (name): Promise<Map<number, HolderRow>> => {
        const given = sent.map((each) => (typeof each[name] === 'string' ? each[name] : null))
        if (given.every((value) => value === null)) return new Map()
        const rows = await transaction.run<HolderRow>(holdersOf(companyId, definition, name, given))
        return new Map(rows.map((row) => [row.place - 1, row]))
      }),
    ),
  ])
  const values: PrefetchedSet['values'] = (index) =>
    unique.flatMap((field, at) => {
      const found = holders[at]?.get(index)
      return found ? [{ field, key: `${field} ${found.key}`, holder: found.holder }] : []
    })
  return {
    values,
    prefetched: (index, self) => ({
      ...Object.fromEntries(
        referring.map((name, at) => [name, records[at]?.get((sent[index] as Sent)[name] as Json) ?? null]),
      ),
      ...Object.fromEntries(
        values(index).map(({ field, holder }) => [takenColumn(field), holder !== null && holder !== self]),
      ),
    }),
  }
}
