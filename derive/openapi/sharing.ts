import { isObject, type Json, type JsonObject } from '#registry/json.ts'
import { memoize } from '#registry/memoize.ts'
import { keepBytes } from '../json-bytes.ts'
import { refTo } from '../schemas/envelopes.ts'
import { pascal } from '../words.ts'

/** A parameter or a response of an operation, and the name of its component if others share it. */
export type Part = { section: 'parameters' | 'responses'; name: string; value: JsonObject; text: string }

export const partOf = (section: Part['section'], name: string, value: JsonObject): Part => ({
  ...{ section, name, value },
  text: JSON.stringify(value),
})

export type OperationParts = {
  said: JsonObject
  parameters: readonly Part[]
  responses: { readonly [status: string]: Part }
}

/** Assembles operations. A part or an example that is used twice becomes a component. */
export function shareParts(all: readonly OperationParts[]): {
  operations: JsonObject[]
  components: { parameters: JsonObject; responses: JsonObject; examples: JsonObject }
} {
  const shared = shareExamples(all)
  const components = { parameters: {} as JsonObject, responses: {} as JsonObject, examples: shared.components }
  const names = new Map<string, string>()
  for (const [text, [part, again]] of Map.groupBy(all.flatMap(partsOf), (part) => part.text)) {
    if (!part || !again) continue
    const section = components[part.section]
    const name = freeName(section, part.name)
    section[name] = withExamples(part.value, shared.refer)
    names.set(text, name)
  }
  const operations = all.map((operation) => {
    const own = partsOf(operation).map(({ text }) => names.get(text) ?? '')
    return together(operation, own.join(), examplesOf(operation).map(shared.nameOf).join())
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

type Example = { name: string; value: JsonObject; text: string; schema: string }

/** Returns a body or a response with each example replaced by what `swap` returns, unless it is a reference. */
function withExamples(part: JsonObject, swap: (example: Example) => Json): JsonObject {
  if (!isObject(part.content)) return part
  const content = Object.entries(part.content).map(([type, media]): [string, Json] => {
    const { examples, schema } = media as { examples?: JsonObject; schema: { $ref?: string } }
    if (!examples) return [type, media]
    const swapped = Object.entries(examples).map(([name, value]): [string, Json] => {
      if (!isObject(value) || value.$ref) return [name, value]
      return [name, swap({ name, value, text: textOf(value), schema: schema.$ref ?? '' })]
    })
    return [type, { ...(media as JsonObject), examples: Object.fromEntries(swapped) }]
  })
  return { ...part, content: Object.fromEntries(content) }
}

const textOf = memoize((value: JsonObject): string => JSON.stringify(value))

/** Returns the examples of a body or a response, in order. */
const examplesIn = memoize((part: JsonObject): Example[] => {
  const found: Example[] = []
  withExamples(part, (example) => {
    found.push(example)
    return example.value
  })
  return found
})

const requestBodyOf = ({ said }: OperationParts): JsonObject[] => (isObject(said.requestBody) ? [said.requestBody] : [])

const examplesOf = memoize((operation: OperationParts): Example[] =>
  [...requestBodyOf(operation), ...partsOf(operation).map(({ value }) => value)].flatMap((part) => examplesIn(part)),
)

/** The name of an example includes its type if no example stands beside it. A shared response counts as one place. */
function shareExamples(all: readonly OperationParts[]) {
  const components: JsonObject = {}
  const names = new Map<string, string>()
  const parts = new Map(all.flatMap(partsOf).map(({ text, value }) => [text, value]))
  const examples = [...all.flatMap(requestBodyOf), ...parts.values()].flatMap((part) => examplesIn(part))
  for (const [text, [example, ...more]] of Map.groupBy(examples, ({ text }) => text)) {
    if (!example || more.length === 0) continue
    const isOfOneType = more.every(({ schema }) => schema === example.schema)
    const type = isOfOneType ? example.schema.slice(example.schema.lastIndexOf('/') + 1) : ''
    const name = freeName(components, `${type}${pascal(example.name)}`)
    components[name] = example.value
    names.set(text, name)
  }
  const nameOf = ({ text }: Example): string => names.get(text) ?? ''
  const refer = (example: Example): JsonObject => referTo(nameOf(example), example)
  return { components, nameOf, refer }
}

const referTo = (name: string, { value }: Example): JsonObject => (name === '' ? value : refTo(name, 'examples'))

/** `names` and `examples` name components, separated by commas. A part of its own has an empty name. */
const together = memoize((operation: OperationParts, names: string, examples: string): JsonObject => {
  const [own, exampleNames] = [names.split(','), examples.split(',').values()]
  const refer = (example: Example): JsonObject => referTo(exampleNames.next().value ?? '', example)
  const { said, parameters, responses } = operation
  const [requestBody] = requestBodyOf(operation).map((body) => withExamples(body, refer))
  const placed = partsOf(operation).map(({ section, value }, at) => {
    const part = withExamples(value, refer)
    return own[at] ? refTo(own[at], section) : part
  })
  return keepBytes({
    ...said,
    ...(requestBody && { requestBody }),
    ...(parameters.length > 0 ? { parameters: placed.slice(0, parameters.length) } : {}),
    responses: Object.fromEntries(
      Object.keys(responses).map((status, at) => [status, placed[parameters.length + at] as JsonObject]),
    ),
  })
})
