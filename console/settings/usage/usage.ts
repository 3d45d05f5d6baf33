import type { UsageDay } from '#derive/console/answers.ts'

export type By = 'by_resource' | 'by_outcome'

/** What occurs in the days, each once. */
export const seriesOf = (days: readonly UsageDay[], by: By): string[] =>
  [...new Set(days.flatMap((day) => Object.keys(day[by]).filter((name) => (day[by][name] ?? 0) > 0)))].toSorted()

export const totalOf = (days: readonly UsageDay[], by: By, name?: string): number =>
  days.reduce(
    (sum, day) =>
      sum + (name === undefined ? Object.values(day[by]).reduce((one, other) => one + other, 0) : (day[by][name] ?? 0)),
    0,
  )
