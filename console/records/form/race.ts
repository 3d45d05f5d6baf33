import type { Json, JsonObject } from '#registry/json.ts'

/** Two people changed one record; who changed what. */
export type Race = {
  /** Fields that only the other changed. */
  theirs: string[]
  /** Fields that both changed, to different values. */
  both: string[]
}

export function raceOf(before: JsonObject, stored: JsonObject, typed: JsonObject): Race {
  const changed = Object.keys(typed).filter((name) => !same(before[name], stored[name]))
  return {
    theirs: changed.filter((name) => same(before[name], typed[name])),
    both: changed.filter((name) => !same(before[name], typed[name]) && !same(stored[name], typed[name])),
  }
}

/** Both put together: what is stored, then what was typed, but for the fields where theirs is kept. */
export function settled(
  before: JsonObject,
  stored: JsonObject,
  typed: JsonObject,
  kept: ReadonlySet<string>,
): JsonObject {
  const mine = Object.entries(typed).filter(([name, value]) => !same(before[name], value) && !kept.has(name))
  return { ...stored, ...Object.fromEntries(mine) }
}

const same = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
