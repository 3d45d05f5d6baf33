import { describe, expect, test } from 'vitest'
import { checkValue } from '#derive/check-value.ts'
import { type Field, kindOf, kinds } from '#registry/fields/index.ts'
import type { PersonKind } from '#registry/persons.ts'
import { erasedValues, personalFields, personDefinitions, personKinds } from '#registry/persons.ts'
import { registry } from '#registry/resources/index.ts'

/** What the registry says of persons is whole: nothing that can hold a name is forgotten. Decisions, Persons. */
const textLike = Object.keys(kinds).filter((kind) => 'erased' in kinds[kind as keyof typeof kinds])

test('the kinds of field that can tell who somebody is', () => {
  expect(textLike.toSorted()).toEqual(['address', 'email', 'paragraph', 'phone', 'text', 'url'])
})

test('workers, contacts, some clients and accounts are persons', () => {
  expect(personKinds.map(({ name }) => name).toSorted()).toEqual(['accounts', 'clients', 'contacts', 'workers'])
})

describe.each(personKinds)('$name', (kind: PersonKind) => {
  test('says of each text-like field whether it tells who somebody is', () => {
    for (const [name, field] of Object.entries(kind.fields))
      if (textLike.includes(field.kind)) expect(typeof field.personal, name).toBe('boolean')
      else expect(field.personal, name).toBeUndefined()
  })

  test('has placeholders that each field accepts, of its own for each record, and the same each time', () => {
    const [one, other] = [erasedValues(kind, 17), erasedValues(kind, Number.MAX_SAFE_INTEGER)]
    expect(erasedValues(kind, 17)).toEqual(one)
    for (const [name, field] of personalFields(kind)) {
      const values = [one[name], other[name]]
      if (!field.required) {
        expect(values, name).toEqual([null, null])
        continue
      }
      for (const value of values) expect(checkValue(field, value ?? null, name).problems, name).toEqual([])
      expect(values[0]).not.toEqual(values[1])
    }
  })
})

test('a record about a person is never removed for good, so that its history names a record that is there', () => {
  for (const { name, removal } of personDefinitions) expect(removal.hardWhen, name).toBeUndefined()
})

test('nothing that the service works out depends on who somebody is', () => {
  for (const { computed } of personDefinitions) expect(computed).toBeUndefined()
})

test('a required field of any text-like kind has a placeholder', () => {
  const required: Field[] = [
    { kind: 'text', max: 10, required: true, example: 'A', about: 'T.' },
    { kind: 'phone', required: true, about: 'P.' },
    { kind: 'url', required: true, about: 'U.' },
    { kind: 'address', required: true, about: 'A.' },
  ]
  for (const field of required) {
    const value = kindOf(field).erased?.(field, { one: 'worker', id: 17 }) ?? null
    expect(value, field.kind).not.toBeNull()
    expect(checkValue(field, value, field.kind).problems).toEqual([])
  }
})

test('other resources have no person that is not one of these', () => {
  const named = registry.filter(({ fields }) => 'email' in fields || 'phone' in fields).map(({ name }) => name)
  // A subcontractor is a firm; whom to ask for there is a contact of the firm, changed by hand.
  expect(named.toSorted()).toEqual(['clients', 'contacts', 'subcontractors', 'workers'])
})
