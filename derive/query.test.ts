import { describe, expect, test } from 'vitest'
import { registry } from '#registry/resources/index.ts'
import { sortableFields } from './parameters.ts'
import { readDryRun, readListing, readQuery } from './query.ts'
import { resourceRoutes } from './routes.ts'

const lists = resourceRoutes(registry).map(({ list }) => list)

describe.each(lists)('$id', (route) => {
  test('accepts the example of each of its parameters', () => {
    const read = (left: readonly string[]) => {
      const query = route.parameters
        .filter(({ name }) => !left.includes(name))
        .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
        .join('&')
      return readListing(readQuery(query, route), route.definition)
    }
    const { filters, ids, reference, among = [], ranges = [] } = read(['after_id'])
    expect(new Set(Object.keys(filters))).toEqual(new Set(route.definition.filters))
    expect({ ids, reference }).toEqual({ ids: [17, 18], reference: 'CRM-31207' })
    const { fields } = route.definition
    for (const { field } of among) expect(['choice', 'reference']).toContain(fields[field]?.kind)
    expect(ranges.map(({ field }) => field)).toEqual(
      Object.keys(fields).filter((name) => fields[name]?.kind === 'date'),
    )
    // It goes by the order of the ids, and with no other order.
    expect(read(['sort', 'offset']).afterId).toBe(0)
  })

  test('sorts by fields that have an order', () => {
    expect(sortableFields(route.definition)).toContain(route.definition.title)
    expect(sortableFields(route.definition)).not.toContain('notes')
  })
})

test.each([
  ['a=1', 'unknown_parameter'],
  ['limit=1&limit=2', 'invalid_parameter'],
  ['q=%', 'invalid_parameter'],
  ['q=%00', 'invalid_parameter'],
  ['q=%ed%a0%80', 'invalid_parameter'],
])('the query %s is refused as %s', (query, code) => {
  expect(() => readQuery(query, lists[0] as (typeof lists)[0])).toThrow(expect.objectContaining({ code }))
})

test('a plus sign is a blank, and an ampersand too many is nothing', () => {
  expect(readQuery('&q=a+b&&', lists[0] as (typeof lists)[0]).get('q')).toBe('a b')
})

test.each(['', '2', 'yes', 'True', ' 1'])('a dry-run of %j is refused', (value) => {
  expect(() => readDryRun(value, 'dry_run')).toThrow(expect.objectContaining({ code: 'invalid_dry_run' }))
})
