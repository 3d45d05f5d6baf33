import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { recordExample } from '../examples.ts'
import { mustBeGiven, writableFields } from '../schema.ts'
import { aOne, labelOf, plain, schemaName } from '../words.ts'
import { envelopesOf } from './envelopes.ts'
import { documented, listTypesOf, typesOf, type Use } from './fields.ts'

/** `Project`, `ProjectCreate` and `ProjectUpdate`, a record as it is shown, created and changed, and their types. */
export function recordSchemas(definition: Definition): JsonObject {
  const name = schemaName(definition)
  return {
    [name]: shownSchema(definition),
    [`${name}Create`]: createSchema(definition),
    [`${name}Update`]: updateSchema(definition),
    ...typesOf(definition),
    ...listTypesOf(definition),
    ...envelopesOf(definition),
  }
}

/** Open: members may be added to what is shown. */
function shownSchema(definition: Definition): JsonObject {
  return {
    type: 'object',
    description: `${definition.about} Every member always comes; with the parameter \`fields\`, only those named and \`id\` do.`,
    ...inGo(schemaName(definition)),
    // Scalar shows the type beside the operations of its tag.
    'x-tags': [labelOf(definition)],
    properties: each(definition, Object.entries(definition.fields), 'shown'),
    required: Object.keys(definition.fields),
    examples: [recordExample(definition)],
  }
}

/** Closed: what is not known is refused. */
function createSchema(definition: Definition): JsonObject {
  const fields = writableFields(definition)
  return {
    type: 'object',
    description: `What ${aOne(definition)} is created with. What is absent is null, unless its description says otherwise.`,
    properties: each(definition, fields, 'created'),
    required: fields.filter(([, field]) => mustBeGiven(field)).map(([name]) => name),
    additionalProperties: false,
    ...neededByStatus(definition, 'created'),
  }
}

/** What is absent from an update stays as it is. Spec, Request and response rules 2. */
function updateSchema(definition: Definition): JsonObject {
  return {
    type: 'object',
    description: `What is changed of ${plain(definition.name)}. An absent member stays, null clears, an array replaces the whole array.`,
    properties: each(definition, writableFields(definition), 'changed'),
    additionalProperties: false,
    ...neededByStatus(definition, 'changed'),
  }
}

/** With such a status these are given and not empty; of an update only the latter can be said. */
function neededByStatus({ needs, fields }: Definition, use: Use): JsonObject {
  if (!needs) return {}
  const notEmpty = (name: string): JsonObject => {
    const field = fields[name] as Field
    return kindOf(field).many ? { minItems: 1 } : (kindOf(field).schema(field) as JsonObject)
  }
  return {
    if: { properties: { status: { enum: [...needs.status] } }, required: ['status'] },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema names its keyword so
    then: {
      properties: Object.fromEntries(needs.fields.map((name) => [name, notEmpty(name)])),
      ...(use === 'created' ? { required: [...needs.fields] } : {}),
    },
  }
}

const each = (definition: Definition, fields: readonly [string, Field][], use: Use): JsonObject =>
  Object.fromEntries(fields.map(([name, field]): [string, Json] => [name, documented(definition, name, field, use)]))

/** oapi-codegen calls its own type Client. */
const inGo = (name: string): JsonObject => (name === 'Client' ? { 'x-go-name': 'ClientRecord' } : {})
