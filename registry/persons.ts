import { type Definition, isIn } from './definition.ts'
import { type Field, kindOf } from './fields/index.ts'
import type { Json, JsonObject } from './json.ts'
import { memoize } from './memoize.ts'
import { registry } from './resources/index.ts'

/** The records about persons, and the fields that an erasure removes. Decisions, Persons. */

/** A kind of person: a resource, or the accounts. */
export type PersonKind = Pick<Definition, 'name' | 'one' | 'fields'>

/** The only fixed table with persons. */
export const accounts = {
  name: 'accounts',
  one: 'account',
  fields: {
    name: { kind: 'text', max: 160, required: true, personal: true, example: 'Ada Byron', about: 'Name.' },
    email: { kind: 'email', required: true, personal: true, about: 'E-mail address.' },
  },
} as const satisfies PersonKind

/** The resources with records of persons. */
export const personDefinitions: readonly Definition[] = registry.filter(({ person }) => person !== undefined)

export const personKinds: readonly PersonKind[] = [...personDefinitions, accounts]

/** True if the record, as it is now, is about a person. */
export const isPerson = ({ person }: Definition, record: JsonObject): boolean =>
  person === true || (person !== undefined && isIn(record, person))

/** Returns the fields of a kind that identify a person. */
export const personalFields = memoize(({ fields }: PersonKind): readonly [string, Field][] =>
  Object.entries(fields).filter(([, { personal }]) => personal),
)

/** Returns the value of each personal field after its person is erased. */
export const erasedValues = (kind: PersonKind, id: number): JsonObject =>
  Object.fromEntries(
    personalFields(kind).map(([name, field]): [string, Json] => [
      name,
      kindOf(field).erased?.(field, { one: kind.one, id }) ?? null,
    ]),
  )
