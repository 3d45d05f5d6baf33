import type { Definition } from '#registry/definition.ts'
import { equalKey } from '#registry/equal.ts'
import { numberingOf } from '#registry/fields/index.ts'
import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { type HolderRow, holdersOf, nextNumbers } from '#sql/records/sets.ts'
import type { WriteSet } from './write-set.ts'

/** Returns the fields that get a running number, and its prefix. */
export const numberedFields = memoize(({ fields }: Definition) =>
  Object.entries(fields).flatMap(([name, field]) => {
    const prefix = numberingOf(field)
    return prefix === undefined ? [] : [{ name, prefix }]
  }),
)

/** Gives running numbers to the records of a set that have none. Returns the fields that got one. */
export type Numbers = (record: JsonObject, place: number, taken: Set<string>) => Promise<string[]>

/** Draws numbers at once for the rest of the set. Skips numbers that somebody set by hand. */
export function numbersOf(
  { transaction, actor: { companyId } }: WriteSet,
  definition: Definition,
  bodies: readonly Json[],
): Numbers {
  const free = new Map<string, string[]>()
  const draw = async (name: string, prefix: string, count: number): Promise<string[]> => {
    const [row] = await transaction.run<{ last: number }>(nextNumbers(companyId, definition.name, count))
    const first = (row?.last as number) - count + 1
    const drawn = Array.from({ length: count }, (_, index) => prefix + String(first + index).padStart(6, '0'))
    const rows = await transaction.run<HolderRow>(holdersOf(companyId, definition, name, drawn))
    const held = new Set(rows.filter(({ holder }) => holder !== null).map(({ place }) => place - 1))
    return drawn.filter((_, index) => !held.has(index))
  }
  return async (record, place, taken) => {
    const without = numberedFields(definition).filter(({ name }) => record[name] === null)
    for (const { name, prefix } of without) {
      while (record[name] === null) {
        const number = free.get(name)?.shift()
        if (number === undefined) {
          const rest = free.has(name) ? 1 : bodies.slice(place).filter((body) => isMissing(body, name)).length
          free.set(name, await draw(name, prefix, Math.max(1, rest)))
        } else if (!taken.has(`${name} ${equalKey(number)}`)) {
          taken.add(`${name} ${equalKey(number)}`)
          record[name] = number
        }
      }
    }
    return without.map(({ name }) => name)
  }
}

const isMissing = (body: Json, name: string): boolean => isObject(body) && (body[name] ?? null) === null
