import { describe, expect, test } from 'vitest'
import type { Json } from '#registry/json.ts'
import { strangersNamedMax } from '#registry/limits.ts'
import { checkObject, type ObjectRules } from './check-object.ts'

const rules: ObjectRules<'text' | 'inside' | 'free'> = {
  members: { name: 'text', place: 'inside', note: 'free' },
  absent: (member) => (member === 'text' ? 'is required' : undefined),
  unknown: () => 'is unknown',
  check: (member, value, path, strangers) =>
    member === 'inside'
      ? checkObject(value, { ...rules, path: `${path}.` }, strangers).problems
      : typeof value === 'string'
        ? { value: value.trim() }
        : [{ field: path, code: 'wrong_type', message: 'must be text' }],
}

describe('An object is checked by its members', () => {
  test.each<[title: string, body: Json, problems: string[]]>([
    ['and accepted', { name: ' Ada ', note: 'x' }, []],
    ['unless it is no object', [], [' The body must be one JSON object']],
    [
      'in the order in which they were sent, then those that lack',
      { note: 1, colour: 'red' },
      ['note', 'colour', 'name'],
    ],
    ['and so is an object in it', { name: 'A', place: { note: 1, name: 'B', mood: 1 } }, ['place.note', 'place.mood']],
    ['which has to be one', { name: 'A', place: 7 }, ['place must be an object']],
    [
      'also by names that every object has',
      JSON.parse('{"name":"A","__proto__":1,"constructor":1}'),
      ['__proto__', 'constructor'],
    ],
  ])('%s', (_, body, problems) => {
    const fields = checkObject(body, rules).problems.map(({ field, message }, place) =>
      problems[place]?.includes(' ') ? `${field} ${message}` : field,
    )
    expect(fields).toEqual(problems)
  })

  test('in the order of the members if that is asked for, and accepts their values as they are kept', () => {
    const { accepted, problems } = checkObject({ note: ' a ', colour: 1 }, { ...rules, isSorted: true })
    expect(problems.map(({ field }) => field)).toEqual(['colour', 'name'])
    expect(accepted).toEqual({ note: 'a' })
  })

  test('and of unknown members a hundred are named, wherever they are, and the others counted once', () => {
    const many = Object.fromEntries(Array.from({ length: strangersNamedMax }, (_, at) => [`x${at}`, 1]))
    const { problems } = checkObject({ ...many, name: 'A', place: { name: 'B', y: 1, z: 1 } }, rules)
    expect(problems).toHaveLength(strangersNamedMax + 1)
    expect(problems.at(-1)).toMatchObject({
      field: '',
      code: 'unknown_field',
      message: expect.stringContaining('2 more'),
    })
  })
})
