import { describe, expect, test } from 'vitest'
import type { Definition } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import { registry } from '#registry/resources/index.ts'
import { de } from '../../console/texts/de/index.ts'
import { en } from '../../console/texts/en/index.ts'

type Words = { fields: Record<string, string>; values: Record<string, string>; steps: Record<string, string> }

/** What the catalogue has to call by a name, of one resource. */
const wanted = (definition: Definition): Words => {
  const fields = Object.entries(definition.fields)
  const choices = fields.flatMap(([, field]) => (field.kind === 'choice' ? [field] : []))
  const nameAll = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, expect.any(String)]))
  return {
    fields: nameAll(fields.map(([name]) => name).filter((name) => !(name in en.commonFields))),
    values: nameAll(choices.flatMap(({ values }) => values)),
    steps: nameAll(choices.flatMap(({ moves }) => Object.values(moves ?? {}).flat())),
  }
}

describe.each([
  ['English', en],
  ['German', de],
] as const)('The %s catalogue', (_, texts) => {
  test.each(registry)('calls every field, state and step of $name by a name, and nothing else', (definition) => {
    const { fields, values, steps } = texts.records[definition.name as keyof typeof texts.records] as Words
    expect({ fields, values, steps }).toEqual(wanted(definition))
  })

  test('calls what is inside an address and a line by a name', () => {
    for (const kind of ['address', 'lines'] as const) {
      const members = kindOf({ kind, about: '' }).members?.({ kind, about: '' }) ?? {}
      expect(Object.keys(texts.memberFields[kind])).toEqual(Object.keys(members))
    }
  })
})
