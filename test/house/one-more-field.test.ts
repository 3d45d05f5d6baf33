import { expect, test } from 'vitest'
import { checkBody } from '#derive/input.ts'
import { openapi } from '#derive/openapi.ts'
import { standard } from '#derive/operations/index.ts'
import { postman } from '#derive/postman.ts'
import { dataRoutesOf, routes, routesOn } from '#derive/routes.ts'
import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { fetch, list } from '#sql/records/read.ts'
import { insertRecords } from '#sql/records/sets.ts'
import { tables } from './asked-tables.ts'

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
const author = { companyId: 1, accountId: 1, tokenId: 1, channel: 'api', writeId: crypto.randomUUID() }

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
  expect(insertRecords(author, extended, [{}]).text).toContain('loyalty')
  expect(routesOn(extended).list.parameterNames).toContain('loyalty')
  expect(JSON.stringify(openapi(routes(grown), about))).toContain('How loyal the client is.')
  expect(JSON.stringify(postman(routes(grown), about))).toContain('loyalty')
  expect(JSON.stringify(openapi(routes(registry), about))).not.toContain('loyalty')
})

test('A kind of record added to the registry gets its routes and its section of the documents', () => {
  const vehicles: Definition = {
    ...clients,
    name: 'vehicles',
    one: 'vehicle',
    removal: { instead: 'keep it', relations: [] },
  }
  const more = [...registry, vehicles]
  // Categories have no routes, so what a category of a vehicle can be has one.
  const references = 1
  expect(dataRoutesOf(more)).toHaveLength(dataRoutesOf(registry).length + Object.keys(standard).length + references)
  const document = openapi(routes(more), about) as { paths: object }
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/v1/vehicles', '/v1/vehicles/{id}']))
})
