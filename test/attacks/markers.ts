import { chosenFields, chosenFrom } from '#derive/operations/choices.ts'
import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf, referenceOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { permission, permissionOfRight } from '#registry/permissions.ts'
import { registry, servedResources } from '#registry/resources/index.ts'

/** Values that occur nowhere else, so that an answer which has one tells where it comes from. */

/** The condition under which an account may see a value: any of these sets of permissions, all of a set. */
export type Marker = { where: string; company: string; seenWith: readonly (readonly string[])[] }

/** The permissions to see a field. */
export const neededToSee = (definition: Definition, field: string): string[] => {
  const right = definition.fields[field]?.right
  return [permission(definition.name, 'VIEW'), ...(right ? [permissionOfRight(right)] : [])]
}

/** The permissions to choose from a resource without routes, by its title. */
const choosersOf = ({ name }: Definition): string[][] =>
  servedResources
    .filter((served) => chosenFields(served).some((field) => chosenFrom(served, field).name === name))
    .map((served) => [permission(served.name, 'VIEW')])

/** The permissions to see what is calculated from a field of a record, in those that refer to it. */
const calculatedFrom = (definition: Definition, field: string): string[][] =>
  registry.flatMap((other) =>
    Object.values(other.fields).flatMap((one) => {
      const reference = referenceOf(one)
      const isRead = reference?.to === definition.name && reference.reads?.includes(field)
      const right = definition.fields[field]?.right
      return other.computed && isRead
        ? [[permission(other.name, 'VIEW'), ...(right ? [permissionOfRight(right)] : [])]]
        : []
    }),
  )

/** Texts are of letters that no hash in hexadecimal and no word has; numbers are longer than any group of a UUID. */
const marked = /zq[a-z]\d{5}zq|(?<![\w.-])[89]\d{13}(?!\w)/g

export type Markers = {
  all: Map<string, Marker>
  /** Secrets, each with its place: no answer has one unless its operation shows secrets. */
  secrets: Map<string, string>
  /** Returns a new text, and notes who may see it. */
  text(marker: Marker): string
  number(marker: Marker): number
  /** Returns the markers in a text that the holder of these permissions in this company must not see. */
  leaked(text: string, company: string, held: ReadonlySet<string>): string[]
}

export function openMarkers(): Markers {
  const all = new Map<string, Marker>()
  let last = 0
  const note = (text: string, marker: Marker): string => {
    all.set(text, marker)
    return text
  }
  return {
    all,
    secrets: new Map(),
    text: (marker) => note(`zq${marker.company}${String(++last).padStart(5, '0')}zq`, marker),
    // Small enough to add two of them. The last digits keep a sum of several from being another one.
    number(marker) {
      const place = ++last
      return Number(
        note(`8${String(place).padStart(6, '0')}${String(place ** 3 % 9_999_991).padStart(7, '0')}`, marker),
      )
    },
    leaked(text, company, held) {
      const leaks = new Set<string>()
      for (const [found] of text.matchAll(marked)) {
        const marker = all.get(found)
        const isSeen = marker?.company === company && marker.seenWith.some((set) => set.every((one) => held.has(one)))
        if (marker && !isSeen) leaks.add(`${found} of ${marker.where} of company ${marker.company}`)
      }
      return [...leaks]
    },
  }
}

/** Returns a marked value of a field; undefined if its values are too few to be unique. */
function markedValue(field: Field, markers: Markers, marker: Marker): Json | undefined {
  const kind = kindOf(field)
  if (kind.members) {
    const members = Object.entries(kind.members(field)).flatMap(([name, member]): [string, Json][] => {
      const value = markedValue(member, markers, { ...marker, where: `${marker.where}.${name}` })
      return value !== undefined ? [[name, value]] : member.required ? [[name, kindOf(member).example(member)]] : []
    })
    // A quantity of one keeps the price in the total, and no second line is added to it.
    const value = Object.fromEntries(members.map(([name, member]) => [name, name === 'quantity' ? 1 : member]))
    return kind.many ? [value] : value
  }
  const { type, maxLength, maximum, pattern } = kind.schema(field) as { [word: string]: unknown }
  if (type === 'string' && Number(maxLength) >= 16 && pattern === undefined) return markers.text(marker)
  if (type === 'integer' && field.kind !== 'reference' && Number(maximum) > 9e13) return markers.number(marker)
  if (pattern === undefined) return undefined
  // A kind with a pattern of its own: the marker takes the place of a word of the example, or of all of it.
  const example = String(kind.example(field))
  const fits = (text: string): boolean => new RegExp(String(pattern)).test(text) && text.length <= Number(maxLength)
  const text = markers.text(marker)
  const words = [...example.matchAll(/[a-z]{3,}/g)].map(([word]) => example.replace(word, text))
  return [...words, text, String(markers.number(marker))].find(fits)
}

/** The fields whose names, as members of JSON or columns of CSV, tell that the caller was shown them. */
export function withheldNames(registry: readonly Definition[], held: ReadonlySet<string>): Set<string> {
  const names = new Set<string>()
  const shown = new Set<string>()
  for (const definition of registry) {
    for (const [name, { right }] of Object.entries(definition.fields)) {
      if (right && !held.has(permissionOfRight(right))) names.add(name)
      else if (!right) shown.add(name)
    }
  }
  return new Set([...names].filter((name) => !shown.has(name)))
}

/** Returns the marked and the necessary values of a record; `referred` returns the id for a reference. */
export function markedRecord(
  definition: Definition,
  markers: Markers,
  company: string,
  referred: (field: Field & { kind: 'reference' }, name: string) => number | undefined,
): JsonObject {
  const values: JsonObject = {}
  for (const [name, field] of Object.entries(definition.fields)) {
    // An amount that follows from another field contradicts what is marked there.
    if (field.readOnly || field.follows !== undefined) continue
    const seenWith = [
      neededToSee(definition, name),
      ...(name === definition.title ? choosersOf(definition) : []),
      ...calculatedFrom(definition, name),
    ]
    const marker = { where: `${definition.name}.${name}`, company, seenWith }
    const value =
      field.kind === 'reference' ? referred(field, name) : (markedValue(field, markers, marker) ?? required(field))
    if (value !== undefined) values[name] = value
  }
  return values
}

const required = (field: Field): Json | undefined =>
  field.required && field.initial === undefined ? kindOf(field).example(field) : undefined
