import type { Definition } from '#registry/definition.ts'
import { choiceOf, type Field, kindOf, referenceOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { permissionOfRight } from '#registry/permissions.ts'
import { listParameters } from '../parameters.ts'
import { mayBeNull, mustBeGiven, valueSchema } from '../schema.ts'
import { enumType, isInView, orNull, refTo, type View } from '../schemas/envelopes.ts'
import { choiceName, formatName, schemaName, series, valueWords } from '../words.ts'

/**
 * Fields in the document, and their types. Each object and each choice is a named type, because generators name an
 * anonymous type after every place where it is used.
 */

/** A field in a response, or in the request of a create, an update, or either of them in a batch. */
export type Use = 'shown' | 'created' | 'changed' | 'batched'

/** Returns the schemas of fields without words, for a type whose fields another type describes. */
export const bareFields = (definition: Definition, fields: readonly [string, Field][], use: Use): JsonObject =>
  Object.fromEntries(fields.map(([name, field]) => [name, bareSchema(definition, name, field, use)]))

function bareSchema(definition: Definition, name: string, field: Field, use: Use): JsonObject {
  const schema = notNullSchema(definition, name, field, use)
  return mayBeNull(field) ? orNull(schema) : schema
}

/** Returns the schemas of fields. Their descriptions have what no schema can express. */
export const documentFields = (definition: Definition, fields: readonly [string, Field][], use: Use): JsonObject =>
  Object.fromEntries(
    fields.map(([name, field]) => {
      const description = [field.about, ...remarksOn(field, use)].join(' ')
      return [name, { ...bareSchema(definition, name, field, use), description }]
    }),
  )

/** Returns the types of a resource beside the record: its choices, addresses and lines. */
export function typesOf(definition: Definition): JsonObject {
  return Object.assign({}, ...Object.entries(definition.fields).map(([name, field]) => types(definition, name, field)))
}

/** Returns a reference to the type of a choice, for a filter. */
export const choiceRef = (definition: Definition, name: string): JsonObject => refTo(choiceName(definition, name))

/** Returns a reference to the type of an item of `fields` or `sort`. */
export const listRef = (definition: Definition, parameter: 'fields' | 'sort'): JsonObject =>
  refTo(`${schemaName(definition)}${listNames[parameter]}`)

const listNames = { fields: 'Field', sort: 'Sort' }

export const listTypesOf = (definition: Definition, view: View): JsonObject =>
  Object.assign(
    {},
    ...listParameters(definition).map(({ name, schema }) => {
      if ((name !== 'fields' && name !== 'sort') || !isInView(view, name)) return {}
      const { enum: values } = schema.items as { enum: string[] }
      const description = `What \`${name}\` can name of ${formatName(definition.name)}.`
      return enumType(`${schemaName(definition)}${listNames[name]}`, values, description)
    }),
  )

/** Returns the schema of a value that is not null, by its type's name if it has one. */
export function notNullSchema(definition: Definition, name: string, field: Field, use: Use): JsonObject {
  const kind = kindOf(field)
  const own = kind.schema(field) as JsonObject
  if (kind.choice) return choiceRef(definition, name)
  if (kind.reference && use === 'batched') return refTo('BatchId')
  const typeName = kind.typeName?.(field)
  if (typeName === undefined) return use === 'shown' ? own : ({ ...own, ...kind.asked?.(field) } as JsonObject)
  const isInput = kind.members !== undefined && use !== 'shown'
  const type = refTo(isInput ? `${typeName}Input` : typeName)
  return kind.many ? { ...own, items: type } : type
}

function types(definition: Definition, name: string, field: Field): JsonObject {
  const kind = kindOf(field)
  const { values } = choiceOf(field) ?? {}
  if (values) {
    const description = `What \`${name}\` of ${formatName(definition.name)} can be.`
    return enumType(choiceName(definition, name), values, description)
  }
  const typeName = kind.typeName?.(field)
  if (typeName === undefined) return {}
  const members = kind.members?.(field)
  if (!members) return valueType(typeName, field)
  const inside = Object.entries(members).map(([member, inner]) => types(definition, member, inner))
  return {
    [typeName]: objectType(definition, members, 'shown'),
    [`${typeName}Input`]: objectType(definition, members, 'created'),
    ...Object.assign({}, ...inside),
  }
}

function valueType(typeName: string, field: Field): JsonObject {
  const { enum: words, ...schema } = valueSchema(field)
  const description = valueWords(field)
  if (Array.isArray(words)) return enumType(typeName, words, description)
  return { [typeName]: { ...(schema as JsonObject), description } }
}

/** A stored value is complete; a sent one may lack whatever is optional. */
function objectType(definition: Definition, members: { readonly [name: string]: Field }, use: Use): JsonObject {
  const entries = Object.entries(members)
  const required = entries.filter(([, field]) => use === 'shown' || mustBeGiven(field)).map(([name]) => name)
  return {
    type: 'object',
    description: use === 'shown' ? 'As it is kept: no member is missing.' : 'As it is sent: a member may be left out.',
    properties: documentFields(definition, entries, use),
    ...(required.length > 0 ? { required } : {}),
    ...(use === 'shown' ? {} : { additionalProperties: false }),
  }
}

/** The rules of a request stand in the request's type. */
function remarksOn(field: Field, use: Use): string[] {
  const isSent = use !== 'shown'
  const reference = referenceOf(field)
  const moves = choiceOf(field)?.moves
  const remarks = [
    field.right
      ? isSent
        ? `It needs \`${permissionOfRight(field.right)}\` on the account of the token.`
        : `Left out where the account of the token does not hold \`${permissionOfRight(field.right)}\`; null says that there is none.`
      : '',
    isSent && field.unique && !field.about.includes('unique')
      ? 'No two live records share it; capitals do not count.'
      : '',
    reference ? `Id of one of the company’s live ${formatName(reference.to)}.` : '',
    kindOf(field).remark?.(field) ?? '',
    isSent && moves ? `Moves: ${movesOf(moves)}. A new record may have any.` : '',
    // In words, because generators send a schema's default unasked, or make the member required.
    use === 'created' && field.initial !== undefined ? `${initialWords(field.initial)} when absent.` : '',
  ]
  return remarks.filter((remark) => remark !== '')
}

const initialWords = (initial: Json): string =>
  Array.isArray(initial) ? 'Empty' : typeof initial === 'string' ? `\`${initial}\`` : String(initial)

const movesOf = (moves: { readonly [from: string]: readonly string[] }): string =>
  Object.entries(moves)
    .map(([from, to]) => `${from} to ${to.length > 0 ? series(to, 'or') : 'nothing else'}`)
    .join('; ')
