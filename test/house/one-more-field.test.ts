import { expect, test } from 'vitest'
import { checkBody } from '#derive/input.ts'
import { openapi } from '#derive/openapi.ts'
import { parametersOf } from '#derive/parameters.ts'
import { postman } from '#derive/postman.ts'
import { fetch, list } from '#derive/queries/read.ts'
import { insertRecord } from '#derive/queries/write.ts'
import { dataRoutesOf, routes } from '#derive/routes.ts'
import { tables } from '#derive/tables.ts'
import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/records/index.ts'

const clients = definitionOf(registry, 'clients') as Definition
const extended: Definition = {
  ...clients,
  fields: {
    ...clients.fields,
    loyalty: { kind: 'choice', values: ['GOLD', 'SILVER'], about: 'How loyal the client is.' },
  },
  filters: [...clients.filters, 'loyalty'],
  search: [...clients.search, 'notes'],
}
const grown = registry.map((definition) => (definition === clients ? extended : definition))
const about = { base: 'http://localhost', version: '0' }
const author = { companyId: 1, accountId: 1, tokenId: 1, door: 'api', writeId: crypto.randomUUID() }

test('A field added to one definition changes table, checks, SQL, parameters, document and collection, with no other edit', () => {
  expect(tables(grown)).toContain("loyalty text check (loyalty in ('GOLD', 'SILVER'))")
  expect(tables(grown)).toContain('create index clients_loyalty on clients')
  expect(checkBody(extended, { name: 'X', loyalty: 'BRONZE' }, null).problems).toEqual([
    { field: 'loyalty', code: 'not_allowed', message: 'must be one of GOLD, SILVER' },
  ])
  expect(checkBody(clients, { name: 'X', loyalty: 'GOLD' }, null).problems).toMatchObject([{ code: 'unknown_field' }])
  expect(fetch(1, extended, 1).text).toContain('r.loyalty as loyalty')
  const listing = { filters: { loyalty: 'GOLD' }, words: [], sort: [], limit: 1, offset: 0 }
  expect(list(1, extended, listing).text).toContain('r.loyalty between $')
  expect(insertRecord(author, extended, {}, null).text).toContain('loyalty')
  const route = dataRoutesOf(grown).find(({ id }) => id === 'clients.list')
  expect(route && parametersOf(route).map(({ name }) => name)).toContain('loyalty')
  expect(JSON.stringify(openapi(routes(grown), about))).toContain('How loyal the client is.')
  expect(JSON.stringify(postman(routes(grown), about))).toContain('loyalty')
  expect(JSON.stringify(openapi(routes(registry), about))).not.toContain('loyalty')
})

test('A kind of record added to the registry gets its five routes and its section of the documents', () => {
  const vehicles: Definition = {
    ...clients,
    name: 'vehicles',
    one: 'vehicle',
    removal: { instead: 'keep it', relations: [] },
  }
  const more = [...registry, vehicles]
  expect(dataRoutesOf(more)).toHaveLength(35)
  const document = openapi(routes(more), about) as { paths: object }
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/v1/vehicles', '/v1/vehicles/{id}']))
})
