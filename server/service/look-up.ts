import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import type { Plan } from '#registry/plans.ts'
import { uniqueFields } from '#sql/records/columns.ts'
import { type Sent, takenColumn } from '#sql/records/prefetch.ts'
import { type HolderRow, holdersOf, referredTo } from '#sql/records/sets.ts'
import { referencesOf } from './check-record.ts'
import type { Prefetched } from './command.ts'
import type { WriteSet } from './write-set.ts'

/** What the rows of a set see before any of them is written. */
export type Found = {
  /** What references lead to, and which values are taken by another record than `self`. */
  at(place: number, self: number | null): JsonObject
  /** The unique values of a row. Values that count as equal have equal keys. */
  values(place: number): readonly { field: string; key: string; holder: number | null }[]
  /** The company's plan, where it was looked up. */
  plan?: Plan
}

/** Returns what a single write prefetched, as the look-ups of a set of one row. */
export const foundOf = (prefetched: Prefetched): Found => ({
  at: () => ({ ...prefetched }),
  values: () => [],
  ...(prefetched?.plan === undefined ? {} : { plan: prefetched.plan as Plan }),
})

/** Looks up the references and unique values that each row sends; null where there is nothing to look up. */
export async function lookUpSet(
  { transaction, actor: { companyId } }: WriteSet,
  definition: Definition,
  sent: readonly Sent[],
): Promise<Found> {
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
  const values: Found['values'] = (place) =>
    unique.flatMap((field, at) => {
      const found = holders[at]?.get(place)
      return found ? [{ field, key: `${field} ${found.key}`, holder: found.holder }] : []
    })
  return {
    values,
    at: (place, self) => ({
      ...Object.fromEntries(
        referring.map((name, at) => [name, records[at]?.get((sent[place] as Sent)[name] as Json) ?? null]),
      ),
      ...Object.fromEntries(
        values(place).map(({ field, holder }) => [takenColumn(field), holder !== null && holder !== self]),
      ),
    }),
  }
}
