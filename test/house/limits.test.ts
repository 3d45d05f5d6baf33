import { expect, test } from 'vitest'
import { openapi } from '#derive/openapi.ts'
import { routes } from '#derive/routes.ts'
import * as all from '#registry/limits.ts'
import { registry } from '#registry/resources/index.ts'

const constants = Object.entries(all).flatMap(([name, value]) => (typeof value === 'number' ? [name] : []))
const rows = all.limits.map(({ name }) => name)

test('Every constant of the limits has a row in the documents, or is said to be internal, and not both', () => {
  expect([...rows, ...all.internal].toSorted()).toEqual(constants.toSorted())
})

test('A row has the value of its constant', () => {
  const values = new Map<string, unknown>(Object.entries(all))
  for (const { name, value } of all.limits) expect(values.get(name), name).toBe(value)
})

test('The table of the document has each row, with bytes as KiB or MiB', () => {
  const { description } = openapi(routes(registry), { base: 'http://localhost', version: '0' }).info as {
    description: string
  }
  for (const { what } of all.limits) expect(description).toContain(`| ${what} | `)
  expect(description).toContain('| Headers of a request | 16 KiB |')
  expect(description).toContain('| Body of a batch | 4 MiB |')
  expect(description).toContain('| Batch | 1,000 operations |')
})
