import { type Definition, isIn } from './definition.ts'
import { type Field, kindOf } from './fields/index.ts'
import type { Json, JsonObject } from './json.ts'
import { once } from './once.ts'
import { registry } from './resources/index.ts'

/** The records that are about a person, and what of them goes when the person is erased. Decisions, Persons. */

/** A kind of person: a resource, or the accounts. */
export type PersonKind = Pick<Definition, 'name' | 'one' | 'fields'>

/** Accounts are the one fixed table of persons. */
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

/** Whether a record is about a person, as it is now. */
export const isPerson = ({ person }: Definition, record: JsonObject): boolean =>
  person === true || (person !== undefined && isIn(record, person))

/** The fields of a kind that tell who somebody is. */
export const personalFields = once(({ fields }: PersonKind): readonly [string, Field][] =>
  Object.entries(fields).filter(([, { personal }]) => personal),
)

/** What each personal field of the record has once its person is erased. */
export const erasedValues = (kind: PersonKind, id: number): JsonObject =>
  Object.fromEntries(
    personalFields(kind).map(([name, field]): [string, Json] => [
      name,
      kindOf(field).erased?.(field, { one: kind.one, id }) ?? null,
    ]),
  )
