import { expect, test } from 'vitest'
import { mapMembers } from './json-members.ts'

const values = [
  '1',
  '-12.50',
  'null',
  'true',
  '"plain"',
  '"a \\"quote\\" and } and ] and , and \\\\"',
  '"\\\\"',
  '""',
  '{}',
  '[]',
  '{"gone":1,"in":[{"gone":2}]}',
  '[1, {"x" : "}"}, [["]"]]]',
]

test.each(values)('A member is left out with its value %s, and the others keep their bytes', (value) => {
  const cut = (json: string) => mapMembers(json, (name, text) => (name === 'gone' ? undefined : text))
  expect(cut(`{"gone":${value}}`)).toBe('{}')
  expect(cut(`{"a":${value},"gone":${value},"b":${value}}`)).toBe(`{"a":${value},"b":${value}}`)
  expect(cut(`{"gone" : ${value}, "a" : ${value}},{"b":${value}}`)).toBe(`{"a" : ${value}},{"b":${value}}`)
})

test('A value is replaced, and a text without objects stays as it is', () => {
  expect(mapMembers('{"a":1,"b":{"c":2}}', (name, text) => (name === 'b' ? '3' : text))).toBe('{"a":1,"b":3}')
  expect(['', '{}', '{},{}'].map((json) => mapMembers(json, () => undefined))).toEqual(['', '{}', '{},{}'])
})

test.each(['{', '{"a', '{"a":', '{"a":"b', '{"a":{', '{a:1}'])('A text that ends too early is refused: %s', (json) => {
  expect(() => mapMembers(json, (_, text) => text)).toThrow('no JSON object')
})
