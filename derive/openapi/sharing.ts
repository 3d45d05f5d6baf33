import type { JsonObject } from '#registry/json.ts'
import { once } from '#registry/once.ts'
import { kept } from '../json-bytes.ts'
import { refTo } from './envelopes.ts'

/** A parameter or a response of an operation, and what its component is called if other operations have it too. */
export type Part = { section: 'parameters' | 'responses'; name: string; value: JsonObject; text: string }

export const partOf = (section: Part['section'], name: string, value: JsonObject): Part => ({
  ...{ section, name, value },
  text: JSON.stringify(value),
})

/** An operation of the document whose parameters and responses are not yet in their places. */
export type OperationParts = {
  said: JsonObject
  parameters: readonly Part[]
  responses: { readonly [status: string]: Part }
}

/** Puts operations together. A part that stands in two places or more is a component, and they refer to it. */
export function shareParts(all: readonly OperationParts[]): {
  operations: JsonObject[]
  components: { parameters: JsonObject; responses: JsonObject }
} {
  const components = { parameters: {} as JsonObject, responses: {} as JsonObject }
  const names = new Map<string, string>()
  for (const [text, [part, again]] of Map.groupBy(all.flatMap(partsOf), (part) => part.text)) {
    if (!part || !again) continue
    const section = components[part.section]
    const name = freeName(section, part.name)
    section[name] = part.value
    names.set(text, name)
  }
  const operations = all.map((operation) => {
    const own = partsOf(operation).map(({ text }) => names.get(text) ?? '')
    return together(operation, own.join())
  })
  return { operations, components }
}

const partsOf = ({ parameters, responses }: OperationParts): Part[] => [...parameters, ...Object.values(responses)]

function freeName(section: JsonObject, name: string): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}${number}`
    if (!(candidate in section)) return candidate
  }
}

/** `names` are those of the components of its parts, with commas between; a part of its own has none. */
const together = once((operation: OperationParts, names: string): JsonObject => {
  const own = names.split(',')
  const placed = partsOf(operation).map(({ section, value }, at) => (own[at] ? refTo(section, own[at]) : value))
  const { said, parameters, responses } = operation
  return kept({
    ...said,
    ...(parameters.length > 0 ? { parameters: placed.slice(0, parameters.length) } : {}),
    responses: Object.fromEntries(
      Object.keys(responses).map((status, at) => [status, placed[parameters.length + at] as JsonObject]),
    ),
  })
})
