import type { Definition } from '#registry/definition.ts'
import { type Field, kindOf, numberingOf, referenceOf } from '#registry/fields/index.ts'
import type { Json, JsonObject } from '#registry/json.ts'
import { withComputed } from './input.ts'
import { mustBeGiven, writableFields } from './schema.ts'
import { aOne, capital } from './words.ts'

/**
 * Examples of records and bodies. Bodies of `createExamples` can all be posted to an empty company: they refer to no
 * other record, and share no unique value.
 */
export type Example = { summary: string; description: string; value: JsonObject }
export type Examples = { [name: string]: Example }

/** The id of the record in the examples. */
export const exampleId = kindOf({ kind: 'id', about: '' }).example({ kind: 'id', about: '' }) as number

/** The ETag of the record in the examples. */
export const etagExample = '"3-Xq2mO0c1w9hY7bT5rNfKdA"'

/** The id of the write in the examples. */
export const writeIdExample = '0192f3a1-5c1e-7b3a-9d43-6f0c1c2f8a55'

/** Returns a record as a reader gets it. */
export function recordExample(definition: Definition): JsonObject {
  const shown = Object.fromEntries(
    Object.entries(definition.fields).map(([name, field]): [string, Json] => [name, exampleOf(field)]),
  )
  return withComputed(definition, shown)
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

/** Returns bodies that suit a record of the resource in any state. */
export function updateExamples(definition: Definition): Examples & { change: Example } {
  const cleared = writableFields(definition).find(([, field]) => kindOf(field).text === 'paragraph')
  const inside = writableFields(definition).find(([, field]) => !kindOf(field).many && kindOf(field).members)
  return {
    change: {
      summary: 'Change one field, keep all others',
      description: 'What is absent stays.',
      value: reviseExample(definition),
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

/** Returns a body that can be posted repeatedly, because nothing in it is unique. */
export const repeatableExample = (definition: Definition): JsonObject =>
  valuesOf(
    writableFields(definition).filter(([, field]) => standsAlone(field) && (!field.unique || mustBeGiven(field))),
  )

/** Returns a body with two mistakes: a title of another type, and an unknown member. */
export const refusedExample = (definition: Definition): JsonObject => ({
  [definition.title]: 42,
  [strangeName(Object.keys(definition.fields))]: 'red',
})

/** Returns a name that is none of these. */
export function strangeName(known: readonly string[]): string {
  const names = ['colour', 'flavour', 'mood']
  return names.find((name) => !known.includes(name)) ?? names.join('_')
}

function reviseExample({ fields, title }: Definition): JsonObject {
  const field = fields[title] as Field
  const example = kindOf(field).example(field)
  return { [title]: kindOf(field).text ? `${example}, revised` : example }
}

/** Returns the member of an object that its example leaves empty, or else its first. */
function memberOf(name: string, field: Field): JsonObject {
  const members = Object.entries(kindOf(field).members?.(field) ?? {})
  const shown = kindOf(field).example(field) as JsonObject
  const [member, inner] = (members.find(([name]) => shown[name] === null) ?? members[0]) as [string, Field]
  return { [name]: { [member]: kindOf(inner).example(inner) } }
}

/** Returns the initial value of a field, unless that is empty. */
function exampleOf(field: Field): Json {
  const { initial } = field
  return typeof initial === 'string' || typeof initial === 'boolean' ? initial : kindOf(field).example(field)
}

const valuesOf = (fields: readonly [string, Field][]): JsonObject =>
  Object.fromEntries(fields.map(([name, field]): [string, Json] => [name, exampleOf(field)]))

/** True if the field refers to no other record, unless it must, is no number that the service gives, and never follows. */
const standsAlone = (field: Field): boolean =>
  referenceOf(field) ? mustBeGiven(field) : numberingOf(field) === undefined && field.follows === undefined

/** The id of the request in the examples. */
export const requestId = 'b7c0ce2e-4d37-4f2f-9a7b-0f1d5c0a5d11'
