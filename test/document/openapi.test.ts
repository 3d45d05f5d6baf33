import { describe, expect, test } from 'vitest'
import { tokenForm } from '#derive/openapi/guide.ts'
import { type DataRoute, isDataRoute, isWrite, routes, unreadableRefusals } from '#derive/routes.ts'
import { apiFieldCodes } from '#registry/field-codes.ts'
import { permissionOfRight } from '#registry/permissions.ts'
import { refusals } from '#registry/refusals.ts'
import { servedResources } from '#registry/resources/index.ts'
import { planNames, subscriptionPlans } from '#registry/subscription.ts'
import { createToken } from '#server/service/token-text.ts'
import { documentOf, errorsOf, examplesOf, operationsOf, type Part, resolved } from './openapi-reader.ts'
import { base, served, withColour, withTimeEntries } from './registries.ts'

const document = documentOf(served)
const dataRoutes = served.filter(isDataRoute)
const operationOf = (path: string, method: string): Part => document.paths[path][method.toLowerCase()]

describe('The document has the routes', () => {
  test('every route that is served is described, and nothing else', () => {
    const described = operationsOf(document).map(({ path, method }) => `${method.toUpperCase()} ${path}`)
    expect(described.toSorted()).toEqual(served.map(({ method, path }) => `${method} ${path}`).toSorted())
  })

  test.each(dataRoutes)('$id says its scope, its add-on and that it needs a token', (route) => {
    const operation = operationOf(route.path, route.method)
    expect(operation.operationId).toBe(route.id)
    expect(operation.security ?? document.security).toEqual([{ bearer: [] }])
    expect(operation['x-add-on']).toBe(route.addOn)
    expect(operation['x-required-scope']).toEqual(route.scope ?? undefined)
    for (const scope of route.scopes) expect(operation.description).toContain(`\`${scope}\``)
  })

  test('the public documents need no token', () => {
    const open = operationsOf(document).filter(({ operation }) => operation.security?.length === 0)
    expect(open.map(({ path }) => path)).toEqual([
      '/v1/openapi.json',
      '/v1/openapi-client.json',
      '/v1/docs',
      '/v1/postman.json',
      '/llms.txt',
    ])
  })

  const represents = (route: DataRoute): boolean => route.represents === true
  test.each(dataRoutes)('$id lists the parameters that it takes', (route) => {
    const parameters = operationOf(route.path, route.method).parameters.map((part: Part) => resolved(document, part))
    const namesIn = (place: string): string[] =>
      parameters.filter((parameter: Part) => parameter.in === place).map(({ name }: Part) => name)
    expect(namesIn('query')).toEqual(route.parameterNames)
    expect(namesIn('path')).toEqual(route.pathParameters.map(({ name }) => name))
    const conditional = route.conditional ? ['If-Match', 'If-None-Match'] : []
    expect(namesIn('header')).toEqual(
      isWrite(route)
        ? ['Idempotency-Key', 'X-Dry-Run', 'If-Plan', ...(represents(route) ? ['Prefer'] : []), ...conditional]
        : conditional,
    )
  })

  test.each(dataRoutes.filter((route) => !isWrite(route)))(
    '$id has an ETag and a 304 with the same',
    ({ path, method }) => {
      const { responses } = operationOf(path, method)
      for (const status of [200, 304])
        expect(resolved(document, responses[status].headers.ETag).required, `${status}`).toBe(true)
    },
  )

  test('of the examples only X-Dry-Run is sent unasked by the one who tries a call on the reference page', () => {
    const parameters = operationsOf(document).flatMap(({ operation }) => operation.parameters ?? [])
    for (const part of parameters) {
      const parameter = resolved(document, part)
      if (parameter.in === 'path') continue
      expect(parameter.example).toBe(parameter.name === 'X-Dry-Run' ? '1' : undefined)
      for (const example of Object.values<Part>(parameter.examples ?? {})) expect(example['x-disabled']).toBe(true)
      if (!parameter.examples) expect(parameter.schema).not.toHaveProperty('enum')
    }
  })
})

describe('The document has the refusals', () => {
  const rows = dataRoutes.flatMap((route) => route.refusals.map((code) => ({ route, code })))
  test.each(rows)('$route.id shows $code by the body that the service would send', ({ route, code }) => {
    const { responses } = operationOf(route.path, route.method)
    const { status, title } = refusals[code]
    const { schema, examples } = responses[status].content['application/problem+json']
    const { value } = resolved(document, examples[code])
    expect(value).toMatchObject({ code, status, title, type: `/docs/errors#${code}` })
    expect(errorsOf(document, schema, value)).toEqual([])
  })

  test.each(dataRoutes)('$id shows no refusal that it does not give', (route) => {
    const shown = Object.values<Part>(operationOf(route.path, route.method).responses).flatMap(({ content }) =>
      Object.keys(content?.['application/problem+json']?.examples ?? {}),
    )
    expect(shown.toSorted()).toEqual([...new Set([...route.refusals, ...unreadableRefusals])].toSorted())
  })

  test('the codes of the document are those of this API, and no code that only the console gives', () => {
    const { ProblemCode, FieldCode } = document.components.schemas
    const elsewhere = [
      ...['cross_site_request', 'misdirected_request', 'token_active', 'replay_active', 'cannot_restore'],
      ...['agents_off', 'preview_ended', 'doubtful'],
    ]
    const codes = Object.keys(refusals).filter((code) => !elsewhere.includes(code))
    expect(ProblemCode.enum.toSorted()).toEqual(codes.toSorted())
    expect(FieldCode.enum).toEqual(apiFieldCodes)
  })

  test.each([
    [401, 'WWW-Authenticate'],
    [415, 'Accept'],
    [503, 'Retry-After'],
  ])('%i has the header %s', (status, name) => {
    for (const { operation } of operationsOf(document)) {
      const response = operation.responses[status]
      if (response) expect(resolved(document, response.headers[name]).required).toBe(true)
    }
  })
})

describe('The document has the records', () => {
  test.each(Object.keys(document.components.schemas))('the schema %s can be used, and its examples fit', (name) => {
    const schema = { $ref: `#/components/schemas/${name}` }
    const { properties = {}, examples = [] } = document.components.schemas[name]
    for (const example of examples) expect(errorsOf(document, schema, example)).toEqual([])
    for (const property of Object.values<Part>(properties)) {
      for (const example of property.examples ?? []) expect(errorsOf(document, property, example)).toEqual([])
    }
  })

  test('every example of a body, an answer and a parameter fits its schema', () => {
    const examples = examplesOf(document)
    expect(examples.length).toBeGreaterThan(500)
    for (const { where, schema, value } of examples) expect(errorsOf(document, schema, value), where).toEqual([])
  })

  test('each field that has a right says by which permission it is seen and sent [V8.1.2]', () => {
    const schemas: { [name: string]: Part } = document.components.schemas
    const described = (field: string): string[] =>
      Object.values(schemas).flatMap(({ properties }) => properties?.[field]?.description ?? [])
    const withRight = servedResources.flatMap(({ fields }) =>
      Object.entries(fields).flatMap(([field, { right }]) => (right ? [{ field, right }] : [])),
    )
    expect(withRight.length).toBeGreaterThan(5)
    for (const { field, right } of withRight) {
      const texts = described(field)
      expect(texts.length, field).toBeGreaterThan(1)
      for (const text of texts) expect(text, field).toContain(permissionOfRight(right))
    }
  })

  test('no operation leads elsewhere: of the answers of 300 there is only 304 [V3.7.2]', () => {
    for (const { path, operation } of operationsOf(document))
      expect(
        Object.keys(operation.responses).filter((status) => /^3/.test(status) && status !== '304'),
        path,
      ).toEqual([])
  })

  test.each(dataRoutes.filter(({ answer }) => answer.showsRecords))(
    '$id leaves its example to the type of the records, which has one',
    ({ path, method, success, answer }) => {
      const { schema, examples } = operationOf(path, method).responses[success].content['application/json']
      expect(examples).toBeUndefined()
      const { data } = resolved(document, schema).properties
      const types = (part: Part): Part[] => {
        const type = resolved(document, part)
        return (type.oneOf ?? type.anyOf ?? [type.items ?? type]).map((each: Part) => resolved(document, each))
      }
      const inside = types(data).flatMap((type) => (type.oneOf ? types(type) : [type]))
      const records = inside.map((type) => (type.properties.record ? types(type.properties.record)[0] : type))
      expect(records.length).toBeGreaterThan(0)
      for (const { examples: [record] = [] } of records) expect(record.id).toBeGreaterThan(0)
      for (const { value } of Object.values(answer.examples)) expect(errorsOf(document, schema, value)).toEqual([])
    },
  )

  test('a record fits with all its fields and more, and not with one too few; a part needs its id', () => {
    const schema = { $ref: '#/components/schemas/Project' }
    const part = { $ref: '#/components/schemas/ProjectPart' }
    const [whole] = document.components.schemas.ProjectPart.examples
    expect(errorsOf(document, part, { id: whole.id })).toEqual([])
    expect(errorsOf(document, part, { name: whole.name })).not.toEqual([])
    const { code: _, ...less } = whole
    expect(errorsOf(document, schema, { ...whole, colour: 'RED' })).toEqual([])
    expect(errorsOf(document, schema, less)).not.toEqual([])
  })

  test('the opening page says the limits as they are and the form of a token as it is', () => {
    const { description } = document.info
    for (const plan of planNames) {
      for (const limit of Object.values(subscriptionPlans[plan]))
        expect(description).toContain(`${limit ?? 'no limit'} on ${plan}`)
    }
    const form = new RegExp(`^${tokenForm.replace('<72 hexadecimal digits>', '[0-9a-f]{72}')}$`)
    expect(createToken(7)).toMatch(form)
  })
})

describe('The document follows the registry', () => {
  test('one more field is in the record, the bodies, the filters and the words of the search [V2.1.1]', () => {
    const changed = documentOf(routes(withColour))
    const colour = { $ref: '#/components/schemas/ProjectColour' }
    for (const name of ['Project', 'ProjectCreate', 'ProjectUpdate']) {
      expect(document.components.schemas[name].properties).not.toHaveProperty('colour')
      expect(changed.components.schemas[name].properties.colour.anyOf).toEqual([colour, { type: 'null' }])
    }
    expect(changed.components.schemas.ProjectColour.enum).toEqual(['RED', 'GREEN'])
    const parameters: Part[] = changed.paths['/v1/projects'].get.parameters.map((part: Part) => resolved(changed, part))
    expect(parameters.find(({ name }) => name === 'colour').schema).toEqual(colour)
    expect(parameters.find(({ name }) => name === 'q').description).toContain('colour')
    expect(changed.components.schemas.ProjectSort.enum).toEqual(expect.arrayContaining(['colour', '-colour']))
    expect(changed.components.schemas.ProjectField.enum).toContain('colour')
  })

  test('one more kind of record has its operations, its schemas and its scopes', () => {
    const changed = documentOf(routes(withTimeEntries))
    expect(Object.keys(changed.paths['/v1/time_entries'])).toEqual(['get', 'post'])
    expect(Object.keys(changed.paths['/v1/time_entries/{id}'])).toEqual(['get', 'patch', 'delete'])
    expect(Object.keys(changed.components.schemas)).toEqual(expect.arrayContaining(['TimeEntry', 'TimeEntryCreate']))
    expect(changed.components.schemas.Scope.enum).toContain('TIME_ENTRIES_EDIT')
    const examples = examplesOf(changed).filter(({ where }) => where.startsWith('time_entries.'))
    expect(examples.length).toBeGreaterThan(50)
    for (const { where, schema, value } of examples) expect(errorsOf(changed, schema, value), where).toEqual([])
  })

  test('without routes nothing is described', () => {
    expect(documentOf([]).paths).toEqual({})
  })

  test('the server is the address that was asked', () => {
    expect(document.servers).toMatchObject([{ url: base }])
  })
})
