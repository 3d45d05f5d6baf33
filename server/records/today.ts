import { dayIn } from '#derive/company-day.ts'
import { selectTimeZone } from '#sql/system/companies.ts'
import type { WriteContext } from './actor.ts'

/** Returns a function that returns the company's day, which few rules read. */
export async function readToday(context: WriteContext): Promise<() => string> {
  if (context.actor.today) return context.actor.today
  const today = await todayOf(context)
  return () => today
}

/**
 * Returns the company's day at a write. The look-up of a caller has read the time zone; for the operator and the service it is
 * read here, and their clock is the machine's.
 */
export async function todayOf({ transaction, actor }: WriteContext): Promise<string> {
  if (actor.today) return actor.today()
  const [row] = await transaction.run<{ time_zone: string }>(selectTimeZone(actor.companyId))
  if (!row) throw new Error(`there is no company ${actor.companyId}`)
  return dayIn(row.time_zone, new Date())
}
