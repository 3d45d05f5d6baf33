/** How much of the API and of the plan is used. */
export type Usage = {
  days: Day[]
  plan: { records: string; used: number; limit: number | null }[]
}

export type Day = {
  day: string
  counted: number
  by_resource: { [resource: string]: number }
  by_outcome: { [outcome: string]: number }
}

export type By = 'by_resource' | 'by_outcome'

/** What occurs in the days, each once. */
export const seriesOf = (days: readonly Day[], by: By): string[] =>
  [...new Set(days.flatMap((day) => Object.keys(day[by]).filter((name) => (day[by][name] ?? 0) > 0)))].toSorted()

export const totalOf = (days: readonly Day[], by: By, name?: string): number =>
  days.reduce(
    (sum, day) =>
      sum + (name === undefined ? Object.values(day[by]).reduce((one, other) => one + other, 0) : (day[by][name] ?? 0)),
    0,
  )
