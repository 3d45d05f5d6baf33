import { raw, type Sql } from 'sql-template-tag'
import type { ListWords } from '#registry/definition.ts'
import { inOrderOf } from '../access.ts'
import { sql } from '../statement.ts'
import type { ListingSource } from './listing.ts'
import { matchConditions } from './lock-order.ts'

/**
 * A row for all records, and one for those that are due at each step of days late; null for the rest. The sums are texts of
 * exact numbers, in the order of the totals; the amount that is open comes last.
 */
export type TotalsRow = { is_whole: boolean; step: number | null; count: number; sums: string[] }

/** The company's day, `YYYY-MM-DD`, and the days late at which the next row begins, in their order. */
export type LateSteps = { today: string; steps: readonly number[] }

/** Selects what records add up to by the words of their list. */
export function selectTotals(
  { from, byId }: ListingSource,
  { totals = [], due }: Pick<ListWords, 'totals' | 'due'>,
  { today, steps }: LateSteps,
): Sql {
  const columns = [...totals, ...(due ? [due.open] : [])]
  const step = due
    ? sql`case when ${matchConditions(due.when)}
        then width_bucket(${today}::date - r.${raw(due.on)}, ${[...steps]}::int[]) end`
    : raw('null::int')
  const values = raw([...new Set(columns)].map((column) => `, r.${column}`).join(''))
  const sums = raw(columns.map((column) => `coalesce(sum(${column}), 0)::text`).join())
  return sql`
    select grouping(step) = 1 as is_whole, step, count(*) as count, array[${sums}]::text[] as sums
    from (select ${step} as step${values} from ${from}${byId ? sql` ${inOrderOf(...byId)}` : sql``}) r
    group by grouping sets ((), (step))`
}
