import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { uniqueFields } from '#sql/records/columns.ts'
import { type Sent, takenColumn } from '#sql/records/look.ts'
import { type HolderRow, holdersOf, referredTo } from '#sql/records/sets.ts'
import type { Seen } from '../work.ts'
import { referencesOf } from '../write-record.ts'
import type { Run } from './run.ts'

/** What a set of writes has to see, each as `lookForCreate` and `lookForUpdate` show it of one. */
export type LookedAt = {
  /** What the write at a place sees, where nothing of the set were done. */
  seen(index: number, self: number | null): Seen & JsonObject
  /** Its unique values, each by a text that is the same for values which count as one. */
  values(index: number): readonly { field: string; key: string; holder: number | null }[]
}

/** `sent` is what each write says of references and unique values; null where there is nothing to look up. */
export async function lookAtSet(
  { transaction, actor }: Run,
  definition: Definition,
  sent: readonly Sent[],
): Promise<LookedAt> {
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
  const values: LookedAt['values'] = (index) =>
    unique.flatMap((field, at) => {
      const found = holders[at]?.get(index)
      return found ? [{ field, key: `${field} ${found.key}`, holder: found.holder }] : []
    })
  return {
    values,
    seen: (index, self) => ({
      ...Object.fromEntries(
        referring.map((name, at) => [name, records[at]?.get((sent[index] as Sent)[name] as Json) ?? null]),
      ),
      ...Object.fromEntries(
        values(index).map(({ field, holder }) => [takenColumn(field), holder !== null && holder !== self]),
      ),
    }),
  }
}
