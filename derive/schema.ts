import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf, numberingOf } from '#registry/fields/index.ts'
import type { JsonSchema } from '#registry/json.ts'

/** JSON Schema 2020-12 of single fields. `openapi/fields.ts` builds the document's types from it. */

/** Returns the schema of a sent value other than null, in one piece. */
export function valueSchema(field: Field): JsonSchema {
  const kind = kindOf(field)
  const own = { ...kind.schema(field), ...kind.asked?.(field) }
  const members = kind.members?.(field)
  if (!members) return own
  const inside = membersSchema(members)
  return kind.many ? { ...own, items: inside } : inside
}

/** False for what is required, numbered or computed: a record always has it, unless it begins as null. */
export const mayBeNull = (field: Field): boolean =>
  !field.required && (!field.readOnly || field.initial === null) && numberingOf(field) === undefined

/** True if the caller has to send it on create: it is required, and nothing replaces it. */
export const mustBeGiven = (field: Field): boolean => field.required === true && field.initial === undefined

/** Returns the fields that a caller may send. */
export const writableFields = ({ fields }: Pick<Definition, 'fields'>): [name: string, Field][] =>
  Object.entries(fields).filter(([, field]) => !field.readOnly)

function membersSchema(members: { readonly [name: string]: Field }): JsonSchema {
  const entries = Object.entries(members)
  const required = entries.filter(([, field]) => mustBeGiven(field)).map(([name]) => name)
  const properties = entries.map(([name, field]) => {
    const schema = valueSchema(field)
    return [name, mayBeNull(field) ? { anyOf: [schema, { type: 'null' }] } : schema]
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}
