import type { Definition } from '#registry/definition.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { type Field, kindOf } from '#registry/kinds/index.ts'
import { recordExample } from '../examples.ts'
import { bodySchema, fieldSchema, mayBeNull } from '../schema.ts'
import { aOne, plain, schemaName, series } from '../words.ts'

/** `Project`, `ProjectCreate` and `ProjectUpdate`: a record as it is shown, created and changed. */
export function recordSchemas(definition: Definition): JsonObject {
  const name = schemaName(definition)
  return {
    [name]: shownSchema(definition),
    [`${name}Create`]: createSchema(definition),
    [`${name}Update`]: updateSchema(definition),
  }
}

/** With `fields`, a reader leaves out what he likes; only the id always comes. */
function shownSchema(definition: Definition): JsonObject {
  return {
    type: 'object',
    description: `${definition.about} Without \`fields\` every member comes; with \`fields\`, those named and \`id\`.`,
    properties: each(definition.fields, shown),
    required: ['id'],
    additionalProperties: false,
    examples: [recordExample(definition)],
  }
}

/** What is inside a stored value is always complete. */
function shown(field: Field): JsonObject {
  const schema = withoutDefault(documented(field))
  const members = kindOf(field).members?.(field)
  if (!members) return schema
  const inside = { properties: each(members, shown), required: Object.keys(members) }
  const { many } = kindOf(field)
  return many ? { ...schema, items: { ...(schema.items as JsonObject), ...inside } } : { ...schema, ...inside }
}

function createSchema(definition: Definition): JsonObject {
  const schema = bodySchema(definition, 'create') as JsonObject
  return {
    ...schema,
    description: `What ${aOne(definition)} is created with. An absent member takes its default, or else is null.`,
    properties: each(writable(definition), withExample),
  }
}

/** No defaults here: what is absent from an update stays as it is. Spec, Request and response rules 2. */
function updateSchema(definition: Definition): JsonObject {
  const schema = bodySchema(definition, 'update') as JsonObject
  return {
    ...schema,
    description: 'The members to change. An absent member stays, null clears, an array replaces the whole array.',
    properties: each(writable(definition), (field) => withoutDefault(withExample(field))),
  }
}

type Fields = { readonly [name: string]: Field }

const each = (fields: Fields, schema: (field: Field) => JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([name, field]): [string, Json] => [name, schema(field)]))

const writable = ({ fields }: Definition): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => !field.readOnly))

const withExample = (field: Field): JsonObject => ({ ...documented(field), examples: [kindOf(field).example(field)] })

function withoutDefault({ default: _, ...schema }: JsonObject): JsonObject {
  return schema
}

/** The schema of a field, with what no schema can say in its description. */
function documented(field: Field): JsonObject {
  const schema = fieldSchema(field, { nullable: mayBeNull(field) }) as JsonObject
  return { ...schema, description: [field.about, ...remarksOn(field)].join(' ') }
}

function remarksOn(field: Field): string[] {
  const remarks = [
    field.unique && !field.about.includes('unique') ? 'No two live records share it; capitals do not count.' : '',
    field.kind === 'reference' ? `Id of one of the company’s live ${plain(field.to)}.` : '',
    field.kind === 'decimal' ? `At most ${field.places} decimals.` : '',
    field.kind === 'choice' && field.moves ? `Moves: ${movesOf(field.moves)}. A new record may have any.` : '',
  ]
  return remarks.filter((remark) => remark !== '')
}

const movesOf = (moves: { readonly [from: string]: readonly string[] }): string =>
  Object.entries(moves)
    .map(([from, to]) => `${from} to ${to.length > 0 ? series(to, 'or') : 'nothing else'}`)
    .join('; ')
