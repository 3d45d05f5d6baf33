import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { JsonObject } from '#registry/json.ts'
import { recordExample } from '../examples.ts'
import { mustBeGiven, writableFields } from '../schema.ts'
import { changeTypesOf } from '../schemas/changes.ts'
import { envelopesOf, partName, type View } from '../schemas/envelopes.ts'
import { aOne, formatName, labelOf, schemaName } from '../words.ts'
import { bareFields, documentFields, listTypesOf, notNullSchema, typesOf, type Use } from './fields.ts'

/** `Project`, `ProjectCreate` and `ProjectUpdate`, a record as it is shown, created and changed, and their types. */
export function recordSchemas(definition: Definition, view: View): JsonObject {
  const name = schemaName(definition)
  return {
    ...shownSchemas(definition, view),
    [`${name}Create`]: createSchema(definition),
    [`${name}Update`]: updateSchema(definition),
    ...batchedSchemas(definition),
    ...typesOf(definition),
    ...listTypesOf(definition, view),
    ...envelopesOf(definition, view),
    ...changeTypesOf(definition),
  }
}

/** An open type, because members may be added. If there are two types, the listed one has the texts. */
function shownSchemas(definition: Definition, view: View): JsonObject {
  const name = schemaName(definition)
  const fields = Object.entries(definition.fields)
  const required = fields.filter(([, { right }]) => right === undefined).map(([field]) => field)
  const withheld = required.length < fields.length ? ' but those that say otherwise' : ''
  const examples = [recordExample(definition)]
  const described: JsonObject = {
    type: 'object',
    // Scalar shows the type beside the operations of its tag.
    'x-tags': [labelOf(definition)],
    properties: documentFields(definition, fields, 'shown'),
    examples,
  }
  const whole = `${definition.about} Every member always comes${withheld && `,${withheld}`}.`
  if (view === 'client') return { [name]: { ...described, description: whole, ...inGo(name), required } }
  return {
    [name]: {
      type: 'object',
      description: `${whole} \`${partName(definition)}\` describes them.`,
      ...inGo(name),
      properties: bareFields(definition, fields, 'shown'),
      examples,
      required,
    },
    [partName(definition)]: {
      ...described,
      description: `${definition.about} Every member comes; with the parameter \`fields\`, only those named and \`id\` do.`,
      required: ['id'],
    },
  }
}

/** A closed type: unknown members are refused. */
function createSchema(definition: Definition): JsonObject {
  return {
    description: `What ${aOne(definition)} is created with. What is absent is null, unless its description says otherwise.`,
    ...createType(definition, 'created'),
    properties: documentFields(definition, writableFields(definition), 'created'),
  }
}

/** A member that is absent from an update stays as it is. Spec, Request and response rules 2. */
function updateSchema(definition: Definition): JsonObject {
  return {
    description: `What is changed of ${formatName(definition.name)}. An absent member stays, null clears, an array replaces the whole array. \`${schemaName(definition)}Create\` describes the members.`,
    ...updateType(definition, 'changed'),
    properties: bareFields(definition, writableFields(definition), 'changed'),
  }
}

/** Returns the bodies in a batch, in which a reference can name an earlier operation. */
function batchedSchemas(definition: Definition): JsonObject {
  const bodies = { Create: createType(definition, 'batched'), Update: updateType(definition, 'batched') }
  const properties = bareFields(definition, writableFields(definition), 'batched')
  return Object.fromEntries(
    Object.entries(bodies).map(([suffix, type]) => {
      const name = `${schemaName(definition)}${suffix}`
      const description = `As \`${name}\`; a reference can also be to an earlier operation.`
      return [`Batch${name}`, { description, ...type, properties }]
    }),
  )
}

function createType(definition: Definition, use: Use): JsonObject {
  const required = writableFields(definition).filter(([, field]) => mustBeGiven(field))
  return {
    type: 'object',
    required: required.map(([name]) => name),
    additionalProperties: false,
    ...neededByStatus(definition, use, definition.needs?.fields),
  }
}

const updateType = (definition: Definition, use: Use): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  ...neededByStatus(definition, use),
})

/** Fields that such a status needs. A create must send them; an update may have them stored. */
function neededByStatus({ needs, ...definition }: Definition, use: Use, required?: readonly string[]): JsonObject {
  if (!needs) return {}
  const notEmpty = (name: string): JsonObject => {
    const field = definition.fields[name] as Field
    return kindOf(field).many ? { minItems: 1 } : notNullSchema(definition, name, field, use)
  }
  return {
    if: { properties: { status: { enum: [...needs.status] } }, required: ['status'] },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema names its keyword so
    then: {
      properties: Object.fromEntries(needs.fields.map((name) => [name, notEmpty(name)])),
      ...(required && { required: [...required] }),
    },
  }
}

/** oapi-codegen has a type Client of its own. */
const inGo = (name: string): JsonObject => (name === 'Client' ? { 'x-go-name': 'ClientRecord' } : {})
