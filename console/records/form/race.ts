import type { Json, JsonObject } from '#registry/json.ts'
import { isLines, type LineRegion, lineRegions, mergedLines } from './race-lines.ts'

/** Two people changed one record; who changed what. */
export type Race = {
  /** Fields that only the other changed. */
  theirs: string[]
  /** Fields that both changed, to different values. */
  both: string[]
  /** Of these the lists of lines, stretch by stretch. */
  lines: { [name: string]: LineRegion[] }
}

export function raceOf(before: JsonObject, stored: JsonObject, typed: JsonObject): Race {
  const changed = Object.keys(typed).filter((name) => !isSameJson(before[name], stored[name]))
  const both = changed.filter(
    (name) => !isSameJson(before[name], typed[name]) && !isSameJson(stored[name], typed[name]),
  )
  return {
    theirs: changed.filter((name) => isSameJson(before[name], typed[name])),
    both,
    lines: Object.fromEntries(
      both.flatMap((name) => {
        const [was, theirs, mine] = [before[name], stored[name], typed[name]]
        return isLines(was) && isLines(theirs) && isLines(mine) ? [[name, lineRegions(was, theirs, mine)]] : []
      }),
    ),
  }
}

/** What is kept of the other's, by its name: a field, or a stretch of a list of lines. */
export const stretch = (name: string, region: number): string => `${name}#${region}`

/** Both put together: what is stored, then what was typed, but for what is kept of the other's; lists of lines by their lines. */
export function mergeRace(
  before: JsonObject,
  stored: JsonObject,
  typed: JsonObject,
  kept: ReadonlySet<string>,
): JsonObject {
  const mine = Object.entries(typed).filter(([name, value]) => !isSameJson(before[name], value) && !kept.has(name))
  const lines = Object.entries(raceOf(before, stored, typed).lines).map(([name, regions]): [string, Json] => [
    name,
    mergedLines(regions, (region) => kept.has(stretch(name, region))),
  ])
  return { ...stored, ...Object.fromEntries([...mine, ...lines]) }
}

const isSameJson = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
