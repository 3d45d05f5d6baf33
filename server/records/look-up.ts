import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import type { SubscriptionPlan } from '#registry/subscription.ts'
import { uniqueFields } from '#sql/records/columns.ts'
import type { WrittenRow } from '#sql/records/insert.ts'
import { currencyColumn, holderColumn, keyColumn, newIdColumn } from '#sql/records/prefetch.ts'
import { type Prefetch, prefetchStatement } from '#sql/statement.ts'
import type { Transaction } from '../store/database.ts'
import { takenColumn } from './check.ts'

/** The row that was prefetched; null if there is none. */
export type PrefetchedRow = { readonly [column: string]: Json } | null

export async function readPrefetch(
  transaction: Transaction,
  { prefetch }: { prefetch: Prefetch | null },
): Promise<PrefetchedRow> {
  const [row] = prefetch ? await transaction.run<{ seen: PrefetchedRow }>(prefetchStatement(prefetch)) : []
  return row?.seen ?? null
}

/** The look-ups of a set, from before any of its rows is written. */
export type SetFacts = {
  /** Returns the referenced records, and which values another record than `self` has. */
  at(place: number, self: number | null): JsonObject
  /** Returns the unique values of a row. Values that count as equal have equal keys. */
  values(place: number): readonly { field: string; key: string; holder: number | null }[]
  /** Returns the live record of a row, which is locked. */
  held(place: number): WrittenRow | undefined
  /** Returns the id that was drawn for a row. */
  newId(place: number): number | undefined
  /** The company's plan, if it limits the resource and was not locked otherwise. */
  plan: SubscriptionPlan | null | undefined
  /** The count of live records that the plan limits, not locked; undefined if nothing is known of it. */
  used: number | undefined
  /** The company's currency; empty unless records are created. */
  currency: string
}

/** Returns the look-ups that were prefetched for the rows of a set. */
export function foundIn(definition: Definition, prefetched: PrefetchedRow): SetFacts {
  const rows = new Map(rowsIn(prefetched).map((row) => [row.place as number, row]))
  const first = rows.get(0)
  const values: SetFacts['values'] = (place) =>
    uniqueFields(definition).flatMap((field) => {
      const row = rows.get(place)
      const key = row?.[keyColumn(field)] ?? null
      if (key === null) return []
      return [{ field, key: `${field} ${key}`, holder: (row?.[holderColumn(field)] ?? null) as number | null }]
    })
  return {
    values,
    at(place, self) {
      const taken = values(place).map(({ field, holder }) => [takenColumn(field), holder !== null && holder !== self])
      return { ...rows.get(place), ...Object.fromEntries(taken) }
    },
    held(place) {
      const { id, version, json } = (rows.get(place) ?? {}) as Partial<WrittenRow>
      return id === undefined || version === undefined || json === undefined ? undefined : { id, version, json }
    },
    newId: (place) => (rows.get(place)?.[newIdColumn] ?? undefined) as number | undefined,
    plan: first?.plan as SubscriptionPlan | null | undefined,
    used: (first?.used ?? undefined) as number | undefined,
    currency: (first?.[currencyColumn] ?? '') as string,
  }
}

/** Returns the prefetched row, by itself or of a set of one; null if its record does not exist. */
export const onlyRow = (prefetched: PrefetchedRow): PrefetchedRow =>
  prefetched && 'rows' in prefetched ? (rowsIn(prefetched)[0] ?? null) : prefetched

/** Returns the prefetched rows at some places of a set, which get new places in this order. */
export function rowsAmong(prefetched: PrefetchedRow, places: readonly number[]): PrefetchedRow {
  const rows = new Map(rowsIn(prefetched).map((row) => [row.place as number, row]))
  const among = places.flatMap((place, index) => {
    const row = rows.get(place)
    return row ? [{ ...row, place: index }] : []
  })
  return prefetched && { rows: among }
}

const rowsIn = (prefetched: PrefetchedRow): readonly JsonObject[] =>
  (prefetched?.rows ?? []) as unknown as readonly JsonObject[]
