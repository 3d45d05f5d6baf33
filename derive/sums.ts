import type { Computed, Definition, Rule, Sum } from '#registry/definition.ts'
import { choiceOf, type Field } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { matchFilter } from './due.ts'
import { isUnseen, type LackedRights, listNeededRights } from './visible.ts'

/** The sums of a resource by those who read them: rules, doubts and calculations name theirs, and a write reads no other. */

const namesIn = (judges: readonly (Rule | Computed | undefined)[]): string[] => [
  ...new Set(judges.flatMap((judge) => judge?.sums ?? [])),
]

/** Returns the sums that a reader may see: those of records that he may see, of fields that he may see. */
export const visibleSums = ({ sums = {} }: Definition, lacks: LackedRights): string[] =>
  Object.keys(sums).filter((name) => {
    const { of, add, less = [] } = sums[name] as Sum
    const other = definitionOf(registry, of) as Definition
    return (
      !isUnseen(other, lacks) && !listNeededRights(other, [...add, ...less]).some((right) => lacks?.includes(right))
    )
  })

/**
 * Returns the margin of a record: the sums that count as income less those that count as cost. Undefined if none counts, or
 * one is not among the values; null beyond the whole numbers that are exact.
 */
export function marginOf({ sums = {} }: Definition, values: SumsOfRecord): number | null | undefined {
  const counted = Object.entries(sums).flatMap(([name, { counts }]) => (counts ? [{ name, counts }] : []))
  if (counted.length === 0 || counted.some(({ name }) => values[name] === undefined)) return undefined
  if (counted.some(({ name }) => values[name] === null)) return null
  const margin = counted.reduce(
    (total, { name, counts }) => total + BigInt(values[name] ?? 0) * (counts === 'in' ? 1n : -1n),
    0n,
  )
  return exactOrNull(Number(margin))
}

/**
 * Returns whether a reader may see what a record loses: all that counts in its margin, and its budget. False where no sum
 * counts.
 */
export function seesMargin(definition: Definition, lacks: LackedRights): boolean {
  const { sums = {}, budget } = definition
  const counted = Object.keys(sums).filter((name) => sums[name]?.counts)
  const visible = visibleSums(definition, lacks)
  const rights = budget === undefined ? [] : listNeededRights(definition, [budget])
  return (
    counted.length > 0 &&
    counted.every((name) => visible.includes(name)) &&
    !rights.some((right) => lacks?.includes(right))
  )
}

/** Returns whether a sum adds amounts of the company's currency. */
export const isAmount = ({ of, add }: Sum): boolean =>
  definitionOf(registry, of)?.fields[add[0] ?? '']?.kind === 'money'

/** Returns the filter of the list that has the records of a sum of a record. */
export function filterOfSum(
  { of, by, when = {}, except = {} }: Sum,
  record: JsonObject,
): { [parameter: string]: Json } {
  const { fields } = definitionOf(registry, of) as Definition
  const others = Object.entries(except).map(([column, values]): [string, string[]] => {
    const all = choiceOf(fields[column] as Field)?.values ?? []
    return [column, all.filter((value) => !values.includes(value))]
  })
  return {
    ...Object.fromEntries(Object.entries(by).map(([theirs, ours]): [string, Json] => [theirs, record[ours] ?? null])),
    ...matchFilter({ ...when, ...Object.fromEntries(others) }),
  }
}

/** Sums of a record by their names; null beyond the whole numbers that are exact. */
export type SumsOfRecord = { readonly [name: string]: number | null }

export const exactOrNull = (sum: number): number | null => (Math.abs(sum) <= Number.MAX_SAFE_INTEGER ? sum : null)

/** Returns the sums that a write of a record reads. */
export const sumsOfWrites = memoize(({ rules = [], computed }: Definition): readonly string[] =>
  namesIn([...rules, computed]),
)

/** Returns the sums that doubts read, where a person is asked. */
export const sumsOfDoubts = memoize(({ doubts = [] }: Definition): readonly string[] => namesIn(doubts))

/** Returns the sums that rules read: they are locked before. */
export const sumsOfRules = memoize(({ rules = [] }: Definition): readonly string[] => namesIn(rules))

/** Returns the sums that the calculated fields of a record follow from. */
export const sumsOfComputed = memoize(({ computed }: Definition): readonly string[] => namesIn([computed]))
