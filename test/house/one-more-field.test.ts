import { expect, test } from 'vitest'
import { checkBody } from '#derive/input.ts'
import { openapi } from '#derive/openapi.ts'
import { standardOperations } from '#derive/operations/index.ts'
import { postman } from '#derive/postman.ts'
import { dataRoutesOf, routes, routesOn } from '#derive/routes.ts'
import { rightsOfQuery, visibleDefinition, visibleRecords } from '#derive/visible.ts'
import type { Definition } from '#registry/definition.ts'
import type { Field } from '#registry/fields/index.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { insertRecords } from '#sql/records/insert.ts'
import { fetch, list } from '#sql/records/read.ts'
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
  expect(list({ companyId: 1, lacksRights: [] }, extended, listing).text).toContain('r.loyalty between $')
  const records = [{ id: 1, by: author, values: {} }]
  expect(insertRecords({ author, definition: extended, records })[0]?.text).toContain('loyalty')
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
  expect(dataRoutesOf(more)).toHaveLength(
    dataRoutesOf(registry).length + Object.keys(standardOperations).length + references,
  )
  const document = openapi(routes(more), about) as { paths: object }
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/v1/vehicles', '/v1/vehicles/{id}']))
})

test('A right that a field is given withholds it from records, changes, queries, bodies, searches and promises, with no other edit', () => {
  const { loyalty } = extended.fields
  const withheld: Definition = {
    ...extended,
    fields: { ...extended.fields, loyalty: { ...loyalty, right: 'PAY' } as Field },
    search: [...extended.search, 'loyalty'],
  }
  const [lacks, record] = [['PAY_VIEW'], '{"id":1,"name":"{\\"loyalty\\":1}","loyalty":"GOLD","notes":null}']
  expect(visibleRecords(withheld, null, record)).toBe(record)
  expect(visibleRecords(withheld, ['TAX_VIEW'], record)).toBe(record)
  expect(visibleRecords(withheld, lacks, `${record},${record}`)).toBe(
    ['', ''].map(() => '{"id":1,"name":"{\\"loyalty\\":1}","notes":null}').join(),
  )
  for (const query of ['fields=loyalty', 'sort=name,-loyalty', 'loyalty=GOLD', 'nonsense=1&fields=id,%20loyalty'])
    expect(rightsOfQuery(withheld, query), query).toEqual(lacks)
  expect(rightsOfQuery(withheld, 'fields=name&q=loyalty')).toEqual([])
  expect(routesOn(withheld).create.needs?.({ name: 'X', loyalty: null })).toMatchObject({ rights: lacks })
  const searching = { filters: {}, words: ['gold'], sort: [], limit: 1, offset: 0 }
  const searches = [withheld, extended].map((one) => list({ companyId: 1, lacksRights: lacks }, one, searching).text)
  expect(searches.map((text) => text.includes('r.loyalty, '))).toEqual([true, false])
  expect(Object.keys(visibleDefinition(withheld, lacks).fields)).not.toContain('loyalty')
  const { Client } = (openapi(routes([withheld]), about) as { components: { schemas: Types } }).components.schemas
  expect([Client?.required?.includes('name'), Client?.required?.includes('loyalty')]).toEqual([true, false])
})

type Types = { [name: string]: { required?: string[] } }
