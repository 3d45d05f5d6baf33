import { describe, expect, test } from 'vitest'
import { capital, formatName } from '#derive/words.ts'
import type { Definition } from '#registry/definition.ts'
import { kindOf } from '#registry/fields/index.ts'
import { registry } from '#registry/resources/index.ts'
import type { RecordTexts } from '#registry/words/en.ts'
import { pluralizeEnglish, pluralizeGerman } from '../../console/texts/count.ts'
import { de } from '../../console/texts/de/index.ts'
import { en } from '../../console/texts/en/index.ts'

type Words = { fields?: Record<string, string>; values?: Record<string, string>; steps?: Record<string, string> }

/** What the catalogue has to call by a name, of one resource. */
const wanted = (definition: Definition): Required<Words> => {
  const fields = Object.entries(definition.fields)
  const choices = fields.flatMap(([, field]) => (field.kind === 'choice' ? [field] : []))
  const nameAll = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, expect.any(String)]))
  return {
    fields: nameAll(fields.map(([name]) => name).filter((name) => !(name in de.commonFields))),
    values: nameAll(choices.flatMap(({ values }) => values)),
    steps: nameAll(choices.flatMap(({ moves }) => Object.values(moves ?? {}).flat())),
  }
}

/** The words of English, which leaves out those that are spelled as in the registry. */
function withSpelled(named: Required<Words>, { fields = {}, values = {} }: Words): Omit<Words, 'steps'> {
  const spell = (name: string) => capital(formatName(name.toLowerCase()))
  const complete = (all: object, given: Record<string, string>) => {
    for (const [name, word] of Object.entries(given)) expect(word, name).not.toBe(spell(name))
    return { ...Object.fromEntries(Object.keys(all).map((name) => [name, spell(name)])), ...given }
  }
  return { fields: complete(named.fields, fields), values: complete(named.values, values) }
}

/** Every step there is, from where to where. */
const stepsOf = ({ fields }: Definition): string[] =>
  Object.values(fields).flatMap((field) => {
    if (field.kind === 'flag') return ['false>true', 'true>false']
    if (field.kind !== 'choice') return []
    return Object.entries(field.moves ?? {}).flatMap(([from, to]) => to.map((state) => `${from}>${state}`))
  })

describe.each([
  ['English', en],
  ['German', de],
] as const)('The %s catalogue', (_, texts) => {
  test.each(registry)('calls every field, state and step of $name by a name, and nothing else', (definition) => {
    const given = texts.records[definition.name as keyof typeof texts.records] as Words
    const { steps = {} } = given
    const named = wanted(definition)
    const { fields, values } = texts === en ? withSpelled(named, given) : given
    // A step may have a name of its own, by where it comes from.
    const [own, plain] = [true, false].map((isOwn) =>
      Object.entries(steps).filter(([name]) => name.includes('>') === isOwn),
    ) as [[string, string][], [string, string][]]
    expect({ fields, values, steps: Object.fromEntries(plain) }).toEqual(named)
    for (const [name] of own) expect(stepsOf(definition)).toContain(name)
  })

  test('says of everything that can be locked how a mistake is put right', () => {
    for (const { name, protection } of registry) {
      const words: object = texts.records[name as keyof typeof texts.records]
      const { correction } = words as RecordTexts
      const correct = protection?.correct
      if (typeof correct !== 'object') expect(typeof correction, name).toBe(typeof correct)
      else expect(Object.keys(correction ?? {}), name).toEqual(Object.keys(correct))
    }
  })

  test('calls what is inside an address and a line by a name', () => {
    for (const kind of ['address', 'lines'] as const) {
      const members = kindOf({ kind, about: '' }).members?.({ kind, about: '' }) ?? {}
      expect(Object.keys(texts.memberFields[kind])).toEqual(Object.keys(members))
    }
  })
})

const deleteRecords = pluralizeEnglish('Delete # record?', 'Delete # records?')

test.each([
  [0, 'Delete 0 records?'],
  [1, 'Delete 1 record?'],
  [2, 'Delete 2 records?'],
  [1.5, 'Delete 1.5 records?'],
  [12_345, 'Delete 12,345 records?'],
])('A sentence with the count %d is %j', (count, sentence) => {
  expect(deleteRecords(count)).toBe(sentence)
})

test('A count is written as the language writes numbers', () => {
  const lines = pluralizeGerman('# Zeile', '# Zeilen')
  expect(lines(12_345)).toBe('12.345 Zeilen')
  expect(lines(1)).toBe('1 Zeile')
})
