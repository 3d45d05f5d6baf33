import { describe, expect, test } from 'vitest'
import { aOne, labelOf, planWords, removalWords, schemaName, series } from '#derive/words.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'

const resource = (name: string) => {
  const definition = definitionOf(registry, name)
  if (!definition) throw new Error(`no ${name}`)
  return definition
}

describe('How the documents speak of a resource', () => {
  test.each([
    { name: 'projects', label: 'Projects', one: 'a project', schema: 'Project' },
    { name: 'estimates', label: 'Estimates', one: 'an estimate', schema: 'Estimate' },
    { name: 'equipment', label: 'Equipment', one: 'a piece of equipment', schema: 'Equipment' },
    { name: 'time_entries', label: 'Time entries', one: 'a time entry', schema: 'TimeEntry' },
  ])('$name', ({ name, label, one, schema }) => {
    expect([labelOf(resource(name)), aOne(resource(name)), schemaName(resource(name))]).toEqual([label, one, schema])
  })

  test('no two kinds share the name of a schema', () => {
    const names = registry.map(schemaName)
    expect(new Set(names).size).toBe(names.length)
  })

  test('a series reads as a sentence', () => {
    expect([series([]), series(['a']), series(['a', 'b']), series(['a', 'b', 'c'], 'or')]).toEqual([
      '',
      'a',
      'a and b',
      'a, b or c',
    ])
  })

  test('plan limits are said where a plan counts the resource', () => {
    expect(planWords(resource('projects'))).toBe('25 on STARTER, 250 on PRO, no limit on ENTERPRISE')
    expect(planWords(resource('clients'))).toBeUndefined()
  })
})

describe('What deletion does, in sentences', () => {
  test('a worker', () => {
    expect(removalWords(resource('workers'))).toEqual([
      'Refused with `delete_blocked` because of: time entries other than those with `status` `DRAFT`.',
      'Deleted with it: time entries with `status` `DRAFT`.',
      'Kept, with the reference set to null: projects; equipment; workers.',
      'The mode is `soft`: the record is no longer served, and the company can restore it in the web interface.',
    ])
  })

  test('an estimate, which can be history itself and can be erased', () => {
    const sentences = removalWords(resource('estimates'))
    expect(sentences[0]).toContain(
      'the estimate itself with `status` `ACCEPTED`; invoices with `status` `ISSUED`, `PAID` or `VOID`',
    )
    expect(sentences.at(-1)).toContain('`hard`, erased for good, for one with `status` `DRAFT`')
  })

  test('equipment, whose other logs stay as they are', () => {
    expect(removalWords(resource('equipment'))).toContain('Kept as they are: other equipment logs.')
  })
})
