import type { Definition } from '#registry/definition.ts'
import type { JsonSchema } from '#registry/json.ts'
import { type Field, kindOf } from '#registry/kinds/index.ts'

/** JSON Schema 2020-12 of fields and records, for the documents and for the checks. */

/** What a field accepts, not counting null. */
export function valueSchema(field: Field): JsonSchema {
  const kind = kindOf(field)
  const own = kind.schema(field)
  const members = kind.members?.(field)
  if (!members) return own
  const inside = membersSchema(members)
  return kind.many ? { ...own, items: inside } : inside
}

/** What a field of a stored record shows; a field that may be empty can be null. */
export function fieldSchema(field: Field, options: { nullable: boolean }): JsonSchema {
  const schema = valueSchema(field)
  const about = {
    description: field.about,
    ...(field.initial === undefined || field.readOnly ? {} : { default: field.initial }),
    ...(field.readOnly ? { readOnly: true } : {}),
  }
  if (!options.nullable) return { ...schema, ...about }
  const { type, enum: values, ...rest } = schema
  return {
    type: [type as string, 'null'],
    ...(values ? { enum: [...(values as string[]), null] } : {}),
    ...rest,
    ...about,
  }
}

/** The body of a create (what is required must be there) or of an update (nothing must be). */
export function bodySchema(definition: Definition, operation: 'create' | 'update'): JsonSchema {
  const fields = Object.entries(definition.fields).filter(([, field]) => !field.readOnly)
  const required = fields.filter(([, field]) => mustBeGiven(field)).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, field]) => [name, fieldSchema(field, { nullable: mayBeNull(field) })]),
    ),
    ...(operation === 'create' && required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

/** A record never lacks what is required, numbered or worked out by the service. */
export const mayBeNull = (field: Field): boolean =>
  !field.required && !field.readOnly && !(field.kind === 'text' && field.numbered)

/** The caller has to give it on create: it is required and nothing stands in for it. */
export const mustBeGiven = (field: Field): boolean => field.required === true && field.initial === undefined

function membersSchema(members: { readonly [name: string]: Field }): JsonSchema {
  const entries = Object.entries(members)
  const required = entries.filter(([, field]) => mustBeGiven(field)).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, field]) => [name, fieldSchema(field, { nullable: mayBeNull(field) })]),
    ),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}
