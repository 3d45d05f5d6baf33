import fc, { type Arbitrary } from 'fast-check'
import { type Part, resolved } from './openapi-reader.ts'

/**
 * Values that a schema of the document allows, drawn from the schema alone. A keyword that it does not know is an error,
 * so the document cannot begin to say something that nobody tries.
 */
export function drawn(document: Part, schema: Part): Arbitrary<unknown> {
  const { $ref, anyOf, type, ...rest } = schema
  if ($ref) return drawn(document, resolved(document, schema))
  if (anyOf) return fc.oneof(...anyOf.map((each: Part) => drawn(document, each)))
  if (Array.isArray(type)) {
    return fc.oneof(...type.map((each) => drawn(document, each === 'null' ? { type: each } : { ...rest, type: each })))
  }
  const unknown = Object.keys(rest).filter((keyword) => !known.includes(keyword))
  if (unknown.length > 0) throw new Error(`nothing is drawn for ${unknown.join(', ')} in ${JSON.stringify(schema)}`)
  if (rest.enum) return fc.constantFrom(...rest.enum)
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: rest.minimum, max: rest.maximum })
    case 'number':
      return decimals(rest)
    case 'string':
      return texts(rest)
    case 'array': {
      const { items, minItems = 0, maxItems } = rest
      return fc.array(drawn(document, items), { minLength: minItems, maxLength: maxItems, size: 'small' })
    }
    case 'object':
      return objects(document, schema)
    default:
      throw new Error(`nothing is drawn for the type ${type}`)
  }
}

const known = [
  ...['description', 'examples', 'title', 'format', 'enum', 'x-tags', 'x-go-name'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'multipleOf', 'minLength', 'maxLength', 'pattern'],
  ...['items', 'minItems', 'maxItems', 'properties', 'required', 'additionalProperties', 'if', 'then'],
]

/** Multiples are counted in whole numbers, so that none is spoilt by a double. */
function decimals({ minimum, exclusiveMinimum, maximum, multipleOf }: Part): Arbitrary<number> {
  if (multipleOf === undefined) return fc.double({ min: minimum ?? exclusiveMinimum, max: maximum, noNaN: true })
  const parts = Math.round(1 / multipleOf)
  const min = minimum === undefined ? Math.floor(exclusiveMinimum * parts) + 1 : Math.ceil(minimum * parts)
  return fc.integer({ min, max: Math.floor(maximum * parts) }).map((count) => count / parts)
}

const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

const time = fc
  .tuple(
    fc.date({ noInvalidDate: true }),
    fc.constantFrom('', '.5', '.123456789'),
    fc.constantFrom('Z', '+05:45', '-08:00'),
  )
  .map(([date, fraction, zone]) => `T${date.toISOString().slice(-13, -5)}${fraction}${zone}`)

const formats: { readonly [format: string]: Arbitrary<string> } = {
  date: day,
  'date-time': fc.tuple(day, time).map((parts) => parts.join('')),
  iri: fc.webUrl({ withQueryParameters: true, withFragments: true }),
}

/** By format, by pattern, and any characters at all as far as the pattern lets them. */
function texts({ minLength = 0, maxLength = 100, pattern, format }: Part): Arbitrary<string> {
  const matches = new RegExp(pattern ?? '', 'u')
  const fits = (text: string) => {
    const { length } = [...text]
    return length >= minLength && length <= maxLength && matches.test(text)
  }
  const formatted = formats[format]
  if (formatted) return formatted.filter(fits)
  const anything = fc.string({ unit: 'binary', minLength, maxLength }).filter(fits)
  if (pattern === undefined) return anything
  const longest = fc.constantFrom('é'.repeat(maxLength), '0'.repeat(maxLength)).filter(fits)
  const matching = fc.stringMatching(matches, { size: 'small' }).filter(fits)
  // Random characters seldom make a telephone number.
  return matches.test('any text, é at all')
    ? fc.oneof(
        { arbitrary: longest, weight: 1 },
        { arbitrary: matching, weight: 9 },
        { arbitrary: anything, weight: 9 },
      )
    : matching
}

/** What `if` and `then` ask is left to anyone who filters by the whole schema. */
function objects(document: Part, { properties, required = [], additionalProperties }: Part): Arbitrary<unknown> {
  if (additionalProperties !== false) throw new Error('only what is closed is drawn')
  const members = Object.fromEntries(
    Object.entries<Part>(properties).map(([name, schema]) => [name, drawn(document, schema)]),
  )
  return fc.record(members, { requiredKeys: required })
}
