/** The days of the demo count from today, so that its work is always under way and its documents always about to lapse. */
export type Calendar = {
  /** The day that many days from today; before it where negative. */
  day(offset: number): string
  /** The same, or the last working day before it. */
  workday(offset: number): string
  year: number
}

const dayMilliseconds = 86_400_000

export function calendarFrom(today: Date): Calendar {
  const at = (offset: number): Date => new Date(today.getTime() + offset * dayMilliseconds)
  const day = (offset: number): string => at(offset).toISOString().slice(0, 10)
  const isWorkday = (offset: number): boolean => ![0, 6].includes(at(offset).getUTCDay())
  const workday = (offset: number): string => (isWorkday(offset) ? day(offset) : workday(offset - 1))
  return { day, workday, year: today.getUTCFullYear() }
}
