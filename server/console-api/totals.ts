import type { DueSum, RecordTotals } from '#derive/console/responses.ts'
import { ages, type DaysLate, dueSpans, isWithin, lateSteps } from '#derive/due.ts'
import { exactOrNull } from '#derive/sums.ts'
import { visibleDefinition } from '#derive/visible.ts'
import { Refusal } from '#registry/refusals.ts'
import { totalsOf } from '#sql/records/read.ts'
import type { TotalsRow } from '#sql/records/totals.ts'
import type { Handlers } from './operation-request.ts'
import { readConsoleListing } from './read-parameters.ts'

/** Counts and adds up all records of a list, and those that are due. */
export const totals: Handlers['records.totals'] = ({ list: like }) => {
  const { definition } = like
  const route = { ...like, path: `${like.path}/totals` }
  return async ({ app, query, session, today }) => {
    const { actor } = session()
    const { list } = visibleDefinition(definition, actor.lacksRights)
    const listing = readConsoleListing(query, route, actor, ['limit', 'offset', 'after_id', 'sort', 'fields'])
    if (!list?.totals && !list?.due) throw new Refusal('not_found')
    const { totals = [], due } = list
    const late = { today: today(), steps: lateSteps }
    const rows = await app.database.read<TotalsRow>(totalsOf(actor, definition, listing, list, late))
    const [whole] = rows.filter(({ is_whole }) => is_whole)
    const sums = totals.map((name, place) => [name, exact(whole?.sums[place])])
    const data: RecordTotals = { count: whole?.count ?? 0, sums: Object.fromEntries(sums) }
    if (!due) return { data }
    const within = (span: DaysLate): DueSum => {
      const some = rows.filter(({ step }) => step !== null && isWithin(span, step))
      const minor = some.reduce((sum, row) => sum + BigInt(row.sums.at(-1) ?? 0), 0n)
      return { count: some.reduce((count, row) => count + row.count, 0), minor: exact(String(minor)) }
    }
    const spans = {
      overdue: within(dueSpans.overdue),
      due_today: within(dueSpans.due_today),
      next_7: within(dueSpans.next_7),
    }
    return {
      data: { ...data, due: { today: late.today, ...spans, ages: ages.map((span) => ({ ...span, ...within(span) })) } },
    }
  }
}

/** Returns the number in a text that PostgreSQL wrote, or null if it is too large to be exact. */
const exact = (text = '0'): number | null => exactOrNull(Number(text))
