import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { mustBeGiven, writableFields } from './schema.ts'
import { aOne, capital } from './words.ts'

/**
 * Examples of records and bodies. Anyone who posts a body of `createExamples` to a company that has nothing yet gets a 201:
 * they refer to no other record, and no two of them share a value that has to be unique.
 */
export type Example = { summary: string; description: string; value: JsonObject }
export type Examples = { [name: string]: Example }

/** The record that the examples are about. */
export const exampleId = kindOf({ kind: 'id', about: '' }).example({ kind: 'id', about: '' }) as number

/** The ETag that the examples know the record by. */
export const etagExample = '"3-Xq2mO0c1w9hY7bT5rNfKdA"'

/** The write that the examples are about. */
export const writeIdExample = '0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55'

/** A record as a reader would get it. */
export function recordExample(definition: Definition): JsonObject {
  const shown = Object.fromEntries(
    Object.entries(definition.fields).map(([name, field]): [string, Json] => [name, exampleOf(field)]),
  )
  return { ...shown, ...definition.computed?.(shown) }
}

export function createExamples(definition: Definition): Examples & { minimal: Example } {
  const required = writableFields(definition).filter(([, field]) => mustBeGiven(field))
  const full = writableFields(definition).filter(([, field]) => standsAlone(field))
  return {
    minimal: {
      summary: 'Only what is required',
      description: 'All else is empty, or as it starts.',
      value: valuesOf(required),
    },
    full: {
      summary: `${capital(aOne(definition))} with all that it says by itself`,
      description: 'Fields that refer to other records are left out; those that are unique can be sent once.',
      value: valuesOf(full),
    },
  }
}

/** Bodies that suit any record of the resource, however it stands. */
export function updateExamples(definition: Definition): Examples & { change: Example } {
  const cleared = writableFields(definition).find(([, field]) => field.kind === 'paragraph')
  const inside = writableFields(definition).find(([, field]) => !kindOf(field).many && kindOf(field).members)
  return {
    change: {
      summary: 'Change one field, keep all others',
      description: 'What is absent stays.',
      value: revised(definition),
    },
    ...(cleared && {
      clear: {
        summary: 'Clear a field with null',
        description: 'Any field but those that are required.',
        value: { [cleared[0]]: null },
      },
    }),
    ...(inside && {
      inside: {
        summary: 'Change one member of an object',
        description: 'The other members of the object stay.',
        value: memberOf(...inside),
      },
    }),
  }
}

/** A body that can be posted any number of times: nothing in it has to be unique. */
export const repeatableExample = (definition: Definition): JsonObject =>
  valuesOf(
    writableFields(definition).filter(([, field]) => standsAlone(field) && (!field.unique || mustBeGiven(field))),
  )

/** A body that nobody should send: the title is of another type, and one member is none of the fields. */
export const refusedExample = (definition: Definition): JsonObject => ({
  [definition.title]: 42,
  [strangeName(Object.keys(definition.fields))]: 'red',
})

/** A name that is none of these. */
export function strangeName(known: readonly string[]): string {
  const names = ['colour', 'flavour', 'mood']
  return names.find((name) => !known.includes(name)) ?? names.join('_')
}

function revised({ fields, title }: Definition): JsonObject {
  const field = fields[title] as Field
  const example = kindOf(field).example(field)
  return { [title]: field.kind === 'text' ? `${example}, revised` : example }
}

/** The member of an object that its example leaves empty, or else its first. */
function memberOf(name: string, field: Field): JsonObject {
  const members = Object.entries(kindOf(field).members?.(field) ?? {})
  const shown = kindOf(field).example(field) as JsonObject
  const [member, inner] = (members.find(([name]) => shown[name] === null) ?? members[0]) as [string, Field]
  return { [name]: { [member]: kindOf(inner).example(inner) } }
}

/** A field that starts with a value shows that one, unless its start is to be empty. */
function exampleOf(field: Field): Json {
  const { initial } = field
  return typeof initial === 'string' || typeof initial === 'boolean' ? initial : kindOf(field).example(field)
}

const valuesOf = (fields: readonly [string, Field][]): JsonObject =>
  Object.fromEntries(fields.map(([name, field]): [string, Json] => [name, exampleOf(field)]))

/** It leads to no other record, unless it has to, and is no number that the service gives. */
const standsAlone = (field: Field): boolean =>
  field.kind === 'reference' ? mustBeGiven(field) : !(field.kind === 'text' && field.numbered !== undefined)

/** The request that the examples are about. */
export const requestId = 'b7c0ce2e-4d37-4f2f-9a7b-0f1d5c0a5d11'
