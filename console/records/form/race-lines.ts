import { diff3MergeRegions, diffIndices } from 'node-diff3'
import { isObject, isSameJson, type Json, type JsonObject } from '#registry/json.ts'

/** A region of lines that two people may have changed, and the result of the merge. */
export type LineRegion =
  | { is: 'same' | 'mine' | 'theirs' | 'merged'; lines: Lines }
  | { is: 'conflict'; was: Lines; mine: Lines; theirs: Lines }

type Lines = readonly JsonObject[]

/**
 * Merges the changes of two people to the same lines, region by region. A line that both still have is merged member by
 * member. Added, removed and moved lines are merged whole. A conflict is left to be chosen.
 */
export function lineRegions(before: Lines, theirs: Lines, mine: Lines): LineRegion[] {
  const [toMine, toTheirs] = [keptIn(before, mine), keptIn(before, theirs)]
  const kept = [...before.keys()].filter((index) => toMine.has(index) && toTheirs.has(index))
  const tokens = (lines: Lines, at: (index: number) => number | undefined): string[] => {
    const places = new Map(kept.map((index) => [at(index), index]))
    return lines.map((line, place) => (places.has(place) ? `${places.get(place)}` : formatJson(line)))
  }
  const sideOf = (lines: Lines, at: (index: number) => number | undefined) => (token: string) =>
    /^\d+$/.test(token) ? (lines[at(Number(token)) as number] as JsonObject) : (JSON.parse(token) as JsonObject)

  const [was, own, other] = [
    { lines: before, at: (index: number) => index },
    { lines: mine, at: (index: number) => toMine.get(index) },
    { lines: theirs, at: (index: number) => toTheirs.get(index) },
  ].map(({ lines, at }) => ({ tokens: tokens(lines, at), read: sideOf(lines, at) })) as [Side, Side, Side]

  const regions = diff3MergeRegions(own.tokens, was.tokens, other.tokens).flatMap((region): LineRegion[] => {
    if (!region.stable) {
      const [a, o, b] = [region.aContent.map(own.read), region.oContent.map(was.read), region.bContent.map(other.read)]
      return [mergeRegion(o, a, b)]
    }
    const is = ({ o: 'same', a: 'mine', b: 'theirs' } as const)[region.buffer]
    return region.bufferContent.map((token) =>
      /^\d+$/.test(token)
        ? mergeRegion([was.read(token)], [own.read(token)], [other.read(token)])
        : { is, lines: [JSON.parse(token) as JsonObject] },
    )
  })
  return joinTokens(regions)
}

type Side = { tokens: string[]; read(token: string): JsonObject }

/** Returns the merged lines. `theirs` chooses the other's lines in a conflict. */
export const mergedLines = (regions: readonly LineRegion[], theirs: (region: number) => boolean): JsonObject[] =>
  regions.flatMap((region, index) =>
    region.is === 'conflict' ? (theirs(index) ? region.theirs : region.mine) : region.lines,
  )

const isLines = (value: Json | undefined): value is JsonObject[] => Array.isArray(value) && value.every(isObject)

/** Maps the former lines to those of a side. Lines match, in order, by their first member, the description. */
function keptIn(before: Lines, side: Lines): Map<number, number> {
  const called = (line: JsonObject): string => formatJson(Object.values(line)[0])
  const changes = diffIndices(before.map(called), side.map(called))
  const kept = new Map<number, number>()
  let shift = 0
  let next = 0
  for (const { buffer1, buffer2 } of [...changes, { buffer1: [before.length, 0], buffer2: [0, 0] }]) {
    for (; next < (buffer1[0] as number); next++) kept.set(next, next + shift)
    next += buffer1[1] as number
    shift += (buffer2[1] as number) - (buffer1[1] as number)
  }
  return kept
}

/** Merges a region. Merges lines member by member if both sides changed it and still have every line. */
function mergeRegion(was: JsonObject[], mine: JsonObject[], theirs: JsonObject[]): LineRegion {
  const [before, own, other] = [was, mine, theirs].map(formatJson)
  if (own === other) return { is: own === before ? 'same' : 'merged', lines: mine }
  if (own === before) return { is: 'theirs', lines: theirs }
  if (other === before) return { is: 'mine', lines: mine }
  const conflict = { is: 'conflict', was, mine, theirs } as const
  if (was.length !== mine.length || was.length !== theirs.length) return conflict
  const lines = was.map((line, index) => mergeLine(line, mine[index] as JsonObject, theirs[index] as JsonObject))
  return lines.every((line) => line !== undefined) ? { is: 'merged', lines } : conflict
}

function mergeLine(was: JsonObject, mine: JsonObject, theirs: JsonObject): JsonObject | undefined {
  const members: JsonObject = {}
  for (const name of Object.keys(was)) {
    const [before, own, other] = [was[name], mine[name], theirs[name]].map((value) => formatJson(value ?? null))
    if (own !== before && other !== before && own !== other) return undefined
    members[name] = (own === before ? theirs[name] : mine[name]) ?? null
  }
  return members
}

/** Joins neighbouring regions with the same result. */
function joinTokens(regions: readonly LineRegion[]): LineRegion[] {
  const all: LineRegion[] = []
  for (const region of regions) {
    const last = all.at(-1)
    if (last && last.is !== 'conflict' && region.is === last.is)
      all.splice(-1, 1, { is: last.is, lines: [...last.lines, ...region.lines] })
    else all.push(region)
  }
  return all
}

const formatJson = (value: unknown): string => JSON.stringify(value)

/** Returns the changes of two people to one record. */
export function raceOf(before: JsonObject, stored: JsonObject, typed: JsonObject) {
  const changed = Object.keys(typed).filter((name) => !isSameJson(before[name], stored[name]))
  const both = changed.filter(
    (name) => !isSameJson(before[name], typed[name]) && !isSameJson(stored[name], typed[name]),
  )
  return {
    /** Fields that only the other changed. */
    theirs: changed.filter((name) => isSameJson(before[name], typed[name])),
    /** Fields that both changed, to different values. */
    both,
    /** The regions of each list of lines in `both`. */
    lines: Object.fromEntries(
      both.flatMap((name): [string, LineRegion[]][] => {
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
