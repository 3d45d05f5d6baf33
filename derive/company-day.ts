/**
 * Returns the day on which a moment is in a time zone: `YYYY-MM-DD`. The zone is a name of the IANA database that `Intl` knows;
 * any other throws a RangeError. Decisions, Values.
 */
export function dayIn(timeZone: string, moment: Date): string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]))
  return `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
}
