import type { Json, JsonObject } from '#registry/json.ts'
import { isLines, type LineRegion, lineRegions, mergedLines } from './race-lines.ts'

/** The changes of two people to one record. */
export type Race = {
  /** Fields that only the other changed. */
  theirs: string[]
  /** Fields that both changed, to different values. */
  both: string[]
  /** The regions of each list of lines in `both`. */
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

/** Returns the name of a region of lines, which stands beside names of fields in the choices kept. */
export const stretch = (name: string, region: number): string => `${name}#${region}`

/** Merges the typed values into the stored ones, except those in `kept`. Merges lists of lines line by line. */
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
