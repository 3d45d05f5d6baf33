import { describe, expect, test } from 'vitest'
import { isDataRoute, isWrite, resourceRoutes, routes } from '#derive/routes.ts'
import { schemaName } from '#derive/words.ts'
import { registry } from '#registry/resources/index.ts'
import { documentOf, operationsOf, type Part, resolved } from './openapi-reader.ts'
import { base, served, withTimeEntries } from './registries.ts'

/** What programs that make clients of the document need of it, and trip over where it is missing. */

const document = documentOf(served)
const forClients = documentOf(served, 'client')
const schemas: [name: string, schema: Part][] = Object.entries(document.components.schemas)
const dataRoutes = served.filter(isDataRoute)
const ofResources = resourceRoutes(registry)
const operationOf = (path: string, method: string): Part => document.paths[path][method.toLowerCase()]

/** Every schema at any depth, with where it stands. */
function* within(part: Part, where: string): Generator<[where: string, schema: Part]> {
  if (typeof part !== 'object' || part === null) return
  if (!Array.isArray(part)) yield [where, part]
  for (const [key, inner] of Object.entries(part)) {
    if (key !== 'examples' && key !== 'example' && key !== 'enum') yield* within(inner, `${where}/${key}`)
  }
}
const everywhere = [...within(document, '#')]
const keywords = everywhere.filter(([where]) => where.includes('/schema') && !where.includes('/then/'))

describe('Types have names', () => {
  test('every body is a named type', () => {
    const contents = operationsOf(document).flatMap(({ operation }) => [
      ...Object.values<Part>(operation.requestBody?.content ?? {}),
      ...Object.values<Part>(operation.responses).flatMap(({ content }) => Object.values<Part>(content ?? {})),
    ])
    for (const { schema } of contents) if (schema.type !== 'string') expect(Object.keys(schema)).toEqual(['$ref'])
  })

  test('no object and no choice of several words stands inside another type', () => {
    const inner = schemas.flatMap(([name, schema]) => [...within(schema, name)].filter(([where]) => where !== name))
    const objects = inner.filter(([where, { type }]) => type === 'object' && !where.includes('/then/'))
    const choices = inner.filter(([where, { enum: words }]) => words?.length > 1 && !where.includes('/if/'))
    expect(objects.map(([where]) => where)).toEqual([])
    expect(choices.map(([where]) => where)).toEqual([])
  })

  test('the types are called what people would call them', () => {
    const names = schemas.map(([name]) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        'Address',
        'EstimateLine',
        'ProjectStatus',
        'ProjectPage',
        'Created',
        'Updated',
        'Deleted',
      ]),
    )
  })

  test('the type Client has another name in Go, where a client is the program', () => {
    expect(document.components.schemas.Client['x-go-name']).toBe('ClientRecord')
  })
})

describe('A value fits the type of every language', () => {
  test('every whole number says its size, and no number is larger than that', () => {
    const integers = keywords.filter(([, { type }]) => type === 'integer' || type?.[0] === 'integer')
    expect(integers.length).toBeGreaterThan(100)
    for (const [where, { format, maximum }] of integers) {
      expect(format, where).toMatch(/^int(32|64)$/)
      expect(maximum, where).toBeLessThanOrEqual(format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER)
    }
  })

  test.each(['id', 'client_id', 'contract_minor', 'budget_minor'])('%s is int64', (field) => {
    expect(document.components.schemas.Project.properties[field].format).toBe('int64')
  })

  test('no schema has a default, which some take for a member that is always there', () => {
    expect(keywords.filter(([, schema]) => 'default' in schema).map(([where]) => where)).toEqual([])
  })

  test('patterns are of RE2: nothing looks around or back', () => {
    const patterns = keywords.flatMap(([, { pattern }]) => (typeof pattern === 'string' ? [pattern] : []))
    expect(patterns.length).toBeGreaterThan(20)
    for (const pattern of patterns) expect(pattern).not.toMatch(/\(\?|\\[1-9]|\\u/)
  })

  test('arrays of answers have a bound; only the list of what is wrong has none, because any number of names can be', () => {
    const arrays = keywords.filter(([, { type, items }]) => type === 'array' && items)
    expect(arrays.filter(([, { maxItems }]) => maxItems === undefined).map(([where]) => where)).toEqual([
      '#/components/schemas/Problem/properties/errors',
    ])
    expect(document.components.schemas.ProjectPage.properties.data.maxItems).toBe(100)
  })
})

const closed = /(Create|Update|Input|(Create|Update|Upsert|Delete)Operation)$/
const unions = ['BatchOperationInput', 'BatchId', 'Change']

describe('Requests are closed and answers are open', () => {
  test('what is sent has no member that is not described', () => {
    const sent = schemas.filter(([name]) => closed.test(name) && !unions.includes(name))
    expect(sent.length).toBeGreaterThan(40)
    for (const [, { additionalProperties }] of sent) expect(additionalProperties).toBe(false)
  })

  test('what is answered may get more members', () => {
    const shown = schemas.filter(([name, { type }]) => type === 'object' && !closed.test(name))
    expect(shown.length).toBeGreaterThan(25)
    for (const [name, schema] of shown) expect(schema.additionalProperties, name).not.toBe(false)
  })

  test.each(ofResources.map(({ fetch }) => fetch))(
    '$id: what always comes is required, less what a right can withhold, with the parameter fields the id alone',
    ({ definition, path, method }) => {
      const requiredIn = (document: Part) => {
        const { responses } = document.paths[path][method.toLowerCase()]
        const { schema } = responses[200].content['application/json']
        return resolved(document, resolved(document, schema).properties.data).required
      }
      const always = Object.keys(definition.fields).filter((name) => definition.fields[name]?.right === undefined)
      expect(requiredIn(document)).toEqual(['id'])
      expect(requiredIn(forClients)).toEqual(always)
      expect(document.components.schemas[schemaName(definition)].required).toEqual(always)
      const parameters: Part[] = operationOf(path, method).parameters.map((part: Part) => resolved(document, part))
      expect(parameters.find(({ name }) => name === 'fields').description).toContain('only these and `id` come')
    },
  )
})

/** The operation that takes a write back. */
const wayBack = dataRoutes.find(({ pathParameters }) => pathParameters.some(({ is }) => is !== 'Id' && is.write))

describe('An answer has one type, however the call went', () => {
  test.each(dataRoutes)('$id', ({ path, method }) => {
    const { responses } = operationOf(path, method)
    const types = Object.entries<Part>(responses).flatMap(([status, { content }]) =>
      status.startsWith('2') ? [content['application/json'].schema.$ref] : [],
    )
    expect(new Set(types).size).toBe(1)
  })

  test('a create answers an id or null, a delete what was or would be done', () => {
    const { Created, Deleted } = document.components.schemas
    expect(Created.properties.id.type).toEqual(['integer', 'null'])
    expect(Created.properties.created.type).toBe('boolean')
    expect(Deleted.required).toEqual(['id', 'deleted', 'dry_run', 'mode'])
    expect(schemas.filter(([, { oneOf }]) => oneOf).map(([name]) => name)).toEqual(unions)
  })

  test.each(dataRoutes.filter(isWrite))(
    '$id leads to what it made and to its undo',
    ({ path, method, makes, definition }) => {
      const written = Object.values<Part>(operationOf(path, method).responses).filter(
        ({ headers }) => headers['X-Write-Id'],
      )
      expect(written.length).toBeGreaterThan(0)
      for (const { links } of written) {
        const ways = Object.values<Part>(links).map((link) => resolved(document, link))
        expect(ways.map(({ operationId }) => operationId)).toEqual([
          ...(makes ? ['fetch', 'update', 'delete', 'history'].map((way) => `${definition?.name}.${way}`) : []),
          wayBack?.id,
        ])
        for (const { operationId, parameters } of ways)
          expect(parameters).toEqual(
            operationId === wayBack?.id
              ? { write_id: '$response.header.X-Write-Id' }
              : { id: '$response.body#/data/id' },
          )
      }
    },
  )
})

describe('The document says what a developer asks', () => {
  test('whom to ask, under which licence, and what changed', () => {
    expect(document.info.contact.url).toBe(base)
    expect(document.info.license.name).toBe('MIT')
    expect(document.info.description).toContain('## Changes')
  })

  test.each(dataRoutes)(
    '$id has samples: a write makes its key on a line of its own, and an update or a delete names the ETag',
    (route) => {
      const { id, path, method, body } = route
      const samples: Part[] = operationOf(path, method)['x-codeSamples']
      expect(samples.map(({ label }) => label)).toEqual(['curl', 'fetch', 'requests'])
      for (const { source } of samples) {
        const lines: string[] = source.split('\n')
        const making = lines.filter((line) => /uuid(gen|4)|randomUUID/.test(line))
        expect(making.length).toBe(isWrite(route) ? 1 : 0)
        for (const line of making) expect(line).toMatch(/^(const )?key ?= ?.*a retry sends the same/i)
        expect(source.includes('Idempotency-Key')).toBe(isWrite(route))
        expect(source.includes('If-Match')).toBe(/\.(update|delete|delete_by_ref)$/.test(id))
        expect(/ -d | body: | json=/.test(source)).toBe(body !== null)
        expect(source).not.toContain('{id}')
      }
    },
  )

  test('a generator is spared the samples', () => {
    for (const { operation } of operationsOf(forClients)) expect(operation).not.toHaveProperty('x-codeSamples')
  })

  test('links lead somewhere from wherever the document is read', () => {
    const texts = everywhere.flatMap(([, { description }]) => (typeof description === 'string' ? [description] : []))
    const links = texts.flatMap((text) => [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, to]) => to))
    expect(links).toContain(`${base}/docs/errors`)
    for (const link of links) expect(link).toMatch(/^https?:/)
  })

  test('every body, parameter, answer and example says what it is', () => {
    for (const { operation } of operationsOf(document)) {
      const parameters = (operation.parameters ?? []).map((part: Part) => resolved(document, part))
      const contents = [operation.requestBody, ...Object.values<Part>(operation.responses)].filter(Boolean)
      for (const part of [...parameters, ...contents]) expect(part.description, operation.operationId).toBeTruthy()
      const examples = contents.flatMap(({ content }: Part) =>
        Object.values<Part>(content ?? {}).flatMap(({ examples = {} }) => Object.values<Part>(examples)),
      )
      for (const example of examples) expect(resolved(document, example).description).toBeTruthy()
    }
  })

  test('the same holds for one more kind of record', () => {
    const { TimeEntryStatus, TimeEntryPage } = documentOf(routes(withTimeEntries)).components.schemas
    expect([TimeEntryStatus.enum, TimeEntryPage.properties.data.maxItems]).toEqual([['DRAFT', 'APPROVED'], 100])
  })
})
