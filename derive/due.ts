import type { DueWords, Match } from '#registry/definition.ts'
import { addDays } from '#registry/fields/day.ts'

/** A span of days late, both ends included and null without a bound. Days before the day have a minus sign. */
export type DaysLate = { from: number | null; to: number | null }

export const dueSpans = {
  overdue: { from: 1, to: null },
  due_today: { from: 0, to: 0 },
  next_7: { from: -7, to: -1 },
} as const satisfies { readonly [name: string]: DaysLate }

/** The ages of what is open, which together have all of it. */
export const ages: readonly DaysLate[] = [
  { from: null, to: 0 },
  { from: 1, to: 30 },
  { from: 31, to: 60 },
  { from: 61, to: 90 },
  { from: 91, to: null },
]

/** The days late at which a span begins, in their order: between two of them all records count for the same spans. */
export const lateSteps: readonly number[] = [
  ...new Set(
    [...Object.values(dueSpans), ...ages].flatMap(({ from, to }) => [
      ...(from === null ? [] : [from]),
      ...(to === null ? [] : [to + 1]),
    ]),
  ),
].toSorted((one, other) => one - other)

/** Returns whether a span has the days between two steps; `step` is the place of the later one in `lateSteps`. */
export function isWithin({ from, to }: DaysLate, step: number): boolean {
  const least = lateSteps[step - 1] ?? Number.NEGATIVE_INFINITY
  return least >= (from ?? Number.NEGATIVE_INFINITY) && least <= (to ?? Number.POSITIVE_INFINITY)
}

/** Returns the filter of a list that has the records of a match. */
export const matchFilter = (match: Match): { [parameter: string]: string } =>
  Object.fromEntries(Object.entries(match).map(([column, values]) => [column, values.join(',')]))

/** Returns the filter of a list that has the records of a span. `today` is a day, `YYYY-MM-DD`. */
export function spanFilter({ on }: DueWords, today: string, { from, to }: DaysLate) {
  const day = (daysLate: number): string => addDays(today, -daysLate)
  return { ...(to !== null && { [`${on}_from`]: day(to) }), ...(from !== null && { [`${on}_to`]: day(from) }) }
}
