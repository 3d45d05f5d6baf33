import { listParameters, sortableFields } from '#derive/parameters.ts'
import { isDataRoute, refusalsUnder, routes } from '#derive/routes.ts'
import { mayBeNull, mustBeGiven, valueSchema, writableFields } from '#derive/schema.ts'
import { labelOf, schemaName, valueWords } from '#derive/words.ts'
import type { Definition } from '#registry/definition.ts'
import { apiFieldCodes } from '#registry/field-codes.ts'
import { type Field, kindOf, referenceOf } from '#registry/fields/index.ts'
import type { Json, JsonSchema } from '#registry/json.ts'
import type { Registry } from '#registry/resources/index.ts'
import { eventActions, eventName, testEvent } from '#registry/webhooks.ts'

/**
 * Generates the types of the TypeScript client. A union of words is open in responses, because words may be added, and
 * closed in requests. The discriminator of a union is always closed.
 */

/** Whether the type describes a response or a request. */
type Direction = 'read' | 'sent'

/** Returns the source of `clients/typescript/src/types.gen.ts`. */
export function clientTypes(registry: Registry): string {
  const served = registry.filter((definition) => definition.served)
  const dataRoutes = routes(registry).filter(isDataRoute)
  const scopes = [...new Set(dataRoutes.flatMap((route) => route.scopes))].toSorted()
  return [
    '/** Made from the definitions of the service. Not edited by hand. */',
    "import type { ChangeOf } from './wire.ts'",
    ...namedTypes(served),
    ...served.flatMap(resourceTypes),
    declaration('The types of each resource, by its name.', 'Resources', object(served.map(resourceEntry))),
    declaration(
      'A change of one record, told apart by `records` and `event`.',
      'Change',
      union(served.map(changeName)),
    ),
    declaration('The scopes of a token.', 'Scope', union(scopes.map(literal))),
    declaration('Why a request was refused.', 'RefusalCode', union(refusalsUnder(dataRoutes).toSorted().map(literal))),
    declaration('What is wrong with one field.', 'FieldCode', union(openWords(apiFieldCodes))),
    declaration('The event of a webhook that stands for no change.', 'TestEventName', literal(testEvent)),
    `export const resourceNames = [${served.map(({ name }) => literal(name)).join(', ')}] as const`,
    referenceTable(served),
  ]
    .join('\n\n')
    .concat('\n')
}

function resourceTypes(definition: Definition): string[] {
  const name = schemaName(definition)
  const records = labelOf(definition).toLowerCase()
  const writable = writableFields(definition)
  const read = membersOf(Object.entries(definition.fields), 'read', ({ right }) => right !== undefined)
  const create = membersOf(writable, 'sent', (field) => !mustBeGiven(field))
  const update = membersOf(writable, 'sent', () => true)
  const sort = sortableFields(definition).flatMap((field) => [literal(field), literal(`-${field}`)])
  return [
    declaration(definition.about, name, read),
    declaration(`What a record of ${records} is created with.`, `${name}Create`, create),
    declaration('What is changed. A member that is left out stays, null clears it.', `${name}Update`, update),
    declaration('What a list can be narrowed by.', `${name}Query`, object(queryMembers(definition))),
    declaration('What a list can be sorted by.', `${name}Sort`, union(sort)),
    declaration(`A change of one record of ${records}.`, changeName(definition), changeType(definition)),
  ]
}

const changeName = (definition: Definition): string => `${schemaName(definition)}Change`

const changeType = (definition: Definition): string =>
  union(
    eventActions.map(
      (action) =>
        `ChangeOf<${literal(definition.name)}, ${literal(eventName(definition.name, action))}, ${literal(action)}, ${schemaName(definition)}>`,
    ),
  )

/** Returns the parameters that filter a list. The client has its own for pages, order and selection. */
const queryMembers = (definition: Definition): string[] =>
  listParameters(definition)
    .filter(({ name }) => !['limit', 'offset', 'after_id', 'sort', 'fields'].includes(name))
    .map(({ name, about, schema }) => `${comment(about)}${name}?: ${typeOf(schema, 'sent')}`)

const resourceEntry = (definition: Definition): string => {
  const name = schemaName(definition)
  return `${definition.name}: { record: ${name}; create: ${name}Create; update: ${name}Update; query: ${name}Query; sort: ${name}Sort; change: ${name}Change; references: ${referencesOf(definition)} }`
}

/**
 * Returns the fields that refer to a served resource, with its name. In a batch they accept a reference to an earlier
 * operation.
 */
const referencesOf = ({ fields }: Definition): string =>
  object(
    Object.entries(fields).flatMap(([name, field]) => {
      const to = referenceOf(field)?.to
      return to === undefined ? [] : [`${name}: ${literal(to)}`]
    }),
  )

/** Returns the order in which resources are copied: a resource comes after those that it refers to. */
function referenceTable(served: readonly Definition[]): string {
  const names = served.map(({ name }) => name)
  const pairs = served.map(({ name, fields }) => {
    const to = Object.values(fields)
      .flatMap((field) => referenceOf(field)?.to ?? [])
      .filter((other) => other !== name && names.includes(other))
    return `${name}: [${[...new Set(to)].map(literal).join(', ')}]`
  })
  return `/** What the records of a resource refer to. */\nexport const references: { readonly [name in ResourceName]: readonly ResourceName[] } = { ${pairs.join(', ')} }\n\nexport type ResourceName = (typeof resourceNames)[number]`
}

/** Returns the type of an object with these fields. */
function membersOf(
  fields: readonly [name: string, Field][],
  direction: Direction,
  isOptional: (field: Field) => boolean,
): string {
  const members = fields.map(([name, field]) => {
    const type = fieldType(field, direction)
    return `${comment(field.about)}${name}${isOptional(field) ? '?' : ''}: ${mayBeNull(field) ? `${type} | null` : type}`
  })
  return object(members)
}

function fieldType(field: Field, direction: Direction): string {
  const kind = kindOf(field)
  const name = namedType(field, direction)
  if (name) return kind.many ? `${name}[]` : name
  // A response has no type for bounds that only a caller needs, such as the list of countries.
  return typeOf(direction === 'sent' ? valueSchema(field) : kind.schema(field), direction)
}

/**
 * Returns the name of a value's own type. Objects differ between responses and requests; words have a type for each.
 */
function namedType(field: Field, direction: Direction): string | undefined {
  const kind = kindOf(field)
  const name = kind.typeName?.(field)
  if (kind.members?.(field)) return direction === 'sent' ? `${name}Input` : name
  return direction === 'sent' ? name : undefined
}

/** Returns each named type once. */
function namedTypes(definitions: readonly Definition[]): string[] {
  const types = new Map<string, string>()
  const add = (field: Field): void => {
    const members = Object.entries(kindOf(field).members?.(field) ?? {})
    for (const [, inner] of members) add(inner)
    for (const direction of ['read', 'sent'] as const) {
      const typeName = namedType(field, direction)
      if (!typeName || types.has(typeName)) continue
      const inside = membersOf(members, direction, (inner) => direction === 'sent' && !mustBeGiven(inner))
      const type = members.length > 0 ? inside : typeOf(valueSchema(field), direction)
      types.set(typeName, declaration(valueWords(field), typeName, type))
    }
  }
  for (const { fields } of definitions) for (const field of Object.values(fields)) add(field)
  return [...types.values()]
}

/** Returns a TypeScript type of the values that the schema accepts. */
function typeOf(schema: JsonSchema, direction: Direction): string {
  const {
    enum: words,
    type,
    items,
  } = schema as { enum?: readonly Json[]; type?: string | readonly string[]; items?: JsonSchema }
  if (words) return direction === 'read' ? union(openWords(words as readonly string[])) : union(words.map(literal))
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, direction)))
  if (type === 'array') return `readonly (${typeOf(items ?? {}, direction)})[]`
  if (type === 'integer') return 'number'
  if (type === 'number' || type === 'boolean' || type === 'string' || type === 'null') return type
  throw new Error(`no type of TypeScript for ${JSON.stringify(schema)}`)
}

/** Returns the known words and `string & {}`, so that an editor proposes the known ones and later ones compile. */
const openWords = (words: readonly string[]): string[] => [...words.map(literal), '(string & {})']

const literal = (value: Json): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value)
const union = (types: readonly string[]): string => (types.length === 0 ? 'never' : types.join(' | '))
const object = (members: readonly string[]): string =>
  members.length === 0 ? '{}' : `{\n${members.join('\n').replaceAll(/^/gm, '  ')}\n}`
const comment = (text: string): string => `/** ${text.replaceAll('*/', '* /')} */\n`
const declaration = (about: string, name: string, type: string): string =>
  `${comment(about)}export type ${name} = ${type}`
