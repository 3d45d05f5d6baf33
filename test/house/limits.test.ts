import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatAmount } from '#derive/openapi/guide.ts'
import { openapi } from '#derive/openapi.ts'
import { routes } from '#derive/routes.ts'
import * as all from '#registry/limits.ts'
import { registry } from '#registry/resources/index.ts'

const constants = Object.entries(all).flatMap(([name, value]) => (typeof value === 'number' ? [name] : []))
const rows = all.limits.map(({ name }) => name)

test('Every constant of the limits has a row in the documents, or is said to be internal, and not both', () => {
  expect([...rows, ...all.internal].toSorted()).toEqual(constants.toSorted())
})

const values = new Map<string, unknown>(Object.entries(all))

test('A row has the value of its constant', () => {
  for (const { name, value } of all.limits) expect(values.get(name), name).toBe(value)
})

test('The table of the document has each row, with bytes as KiB or MiB [V2.1.3]', () => {
  const { description } = openapi(routes(registry), { base: 'http://localhost', version: '0' }).info as {
    description: string
  }
  for (const { what } of all.limits) expect(description).toContain(`| ${what} | `)
  expect(description).toContain('| Headers of a request | 16 KiB |')
  expect(description).toContain('| Body of a batch | 4 MiB |')
  expect(description).toContain('| Batch | 1,000 operations |')
})

/** Rows of docs/security/limits.md, with the constants whose numbers they say, in the order of the page. */
const rowsOfPage: [what: string, names: string[]][] = [
  ['headers of a request', ['headerBytesMax']],
  ['a body', ['bodyBytesMax', 'bodyDepthMax', 'bodyValuesMax']],
  ['a batch', ['batchOperationsMax', 'batchBytesMax', 'batchValuesMax', 'batchProblemsMax']],
  [
    'a file that is imported',
    [
      'importBytesMax',
      'importWorkbookBytesMax',
      'importRowsMax',
      'importColumnsMax',
      'importBatchRows',
      'importBatchBytes',
    ],
  ],
  ['problems of one body', ['strangersNamedMax']],
  ['a page', ['pageSizeMax']],
  ['a search', ['searchLengthMax']],
  ['addresses that a token may come from', ['allowlistMax']],
]

test.each(rowsOfPage)('docs/security/limits.md says of %s what the constants say [V5.1.1]', (what, names) => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/security/limits.md'), 'utf8')
  const row = page.split('\n').find((line) => line.startsWith(`| ${what} | `))
  const said = row?.split(' | ')[1]?.match(/\d[\d,]*( [KM]iB)?/g)
  expect(said).toEqual(names.map((name) => formatNumber(name, values.get(name) as number)))
})

const formatNumber = (name: string, value: number): string =>
  name.includes('Bytes') ? formatAmount(value, 'bytes') : value.toLocaleString('en')
