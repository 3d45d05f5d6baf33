import { describe, expect, test } from 'vitest'
import { createExamples, recordExample, refusedExample, repeatableExample, updateExamples } from '#derive/examples.ts'
import { checkBody, checkRecord, createBlankRecord, withComputed } from '#derive/input.ts'
import { registry } from '#registry/resources/index.ts'

const served = registry.filter((definition) => definition.served)

const today = () => '2026-01-01'

describe('Examples of records and bodies', () => {
  test.each(served)('$name: every body to create with is acceptable', (definition) => {
    const bodies = [
      ...Object.values(createExamples(definition)).map(({ value }) => value),
      repeatableExample(definition),
    ]
    for (const body of bodies) expect(checkRecord(definition, body, null, { today }).problems).toEqual([])
  })

  test.each(served)('$name: every body to change with is acceptable', (definition) => {
    const before = withComputed(definition, { ...createBlankRecord(definition), [definition.title]: 'Before' })
    for (const { value } of Object.values(updateExamples(definition)))
      expect(checkRecord(definition, value, before, { today }).problems).toEqual([])
  })

  test.each(served)(
    '$name: no body refers to another record, and none takes a number that the service gives',
    (definition) => {
      for (const { value } of Object.values(createExamples(definition))) {
        for (const name of Object.keys(value)) {
          const field = definition.fields[name]
          expect(field?.kind).not.toBe('reference')
          expect(field).not.toHaveProperty('numbered')
        }
      }
    },
  )

  test.each(served)('$name: the smallest body has the title alone', (definition) => {
    expect(Object.keys(createExamples(definition).minimal?.value ?? {})).toEqual([definition.title])
  })

  test.each(served)('$name: the record has every field, and its amounts add up', (definition) => {
    const record = recordExample(definition)
    expect(Object.keys(record)).toEqual(Object.keys(definition.fields))
    expect(record).toEqual(withComputed(definition, record))
  })

  test.each(served)('$name: the refused body is refused', (definition) => {
    const { problems } = checkBody(definition, refusedExample(definition), null)
    expect(problems.map(({ code }) => code)).toEqual(['wrong_type', 'unknown_field'])
    expect(problems[0]?.field).toBe(definition.title)
  })
})
