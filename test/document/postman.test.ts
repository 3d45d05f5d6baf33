import { describe, expect, test } from 'vitest'
import { postman } from '#derive/postman.ts'
import { isDataRoute, type Route, resourceRoutes, routes } from '#derive/routes.ts'
import { labelOf } from '#derive/words.ts'
import { registry } from '#registry/resources/index.ts'
import { documentOf, errorsOf, type Part, resolved } from './openapi-reader.ts'
import { about, base, served, withColour, withTimeEntries } from './registries.ts'

const collectionOf = (list: readonly Route[]): Part => JSON.parse(JSON.stringify(postman(list, about)))
const collection = collectionOf(served)
const folder = (name: string, of: Part = collection): Part => of.item.find((item: Part) => item.name === name)
const requests: Part[] = collection.item.flatMap(({ item }: Part) => item)

const pathOf = ({ url }: Part): string => `/${url.path.join('/').replace(/:(\w+)/g, '{$1}')}`

describe('The Postman collection', () => {
  test('has the format v2.1 and the variables baseUrl and token', () => {
    expect(collection.info.schema).toBe('https://schema.getpostman.com/json/collection/v2.1.0/collection.json')
    expect(collection.variable.map(({ key, value }: Part) => [key, value])).toEqual([
      ['baseUrl', base],
      ['token', ''],
    ])
    expect(collection.auth).toMatchObject({ type: 'bearer', bearer: [{ key: 'token', value: '{{token}}' }] })
  })

  test('has every route that is served, and nothing else', () => {
    const called = requests.map(({ request }) => `${request.method} ${pathOf(request)}`)
    expect([...new Set(called)].toSorted()).toEqual(served.map(({ method, path }) => `${method} ${path}`).toSorted())
    for (const { request } of requests) expect(request.url.raw).toBe(`{{baseUrl}}/${request.url.path.join('/')}`)
  })

  test('makes, reads, changes, previews and deletes a record in each folder, in this order', () => {
    for (const { list } of resourceRoutes(registry)) {
      const methods = folder(list.section.name).item.map(({ request }: Part) => request.method)
      expect(methods, list.id).toEqual([
        ...['POST', 'PUT', 'GET', 'GET', 'PATCH', 'GET', 'GET'],
        ...['DELETE', 'DELETE', 'DELETE'],
      ])
    }
  })

  test('creates with a key of its own, and offers the other headers switched off', () => {
    const on = ({ request }: Part) =>
      request.header.filter(({ disabled }: Part) => !disabled).map(({ key }: Part) => key)
    const off = ({ request }: Part) =>
      request.header.filter(({ disabled }: Part) => disabled).map(({ key }: Part) => key)
    const [create, , , fetch, update, , , preview, remove] = folder('Projects').item
    expect(create.request.header).toContainEqual(
      expect.objectContaining({ key: 'Idempotency-Key', value: '{{$guid}}' }),
    )
    expect([on(create), off(create)]).toEqual([['Content-Type', 'Idempotency-Key'], ['X-Dry-Run']])
    expect([on(fetch), off(fetch)]).toEqual([[], ['If-None-Match']])
    expect([on(update), off(update)]).toEqual([['Content-Type'], ['Idempotency-Key', 'X-Dry-Run', 'If-Match']])
    expect([on(preview), off(preview)]).toEqual([['X-Dry-Run'], ['If-Match']])
    expect([on(remove), off(remove)]).toEqual([[], ['Idempotency-Key', 'X-Dry-Run', 'If-Match']])
  })

  test('shows every parameter of a list, described and switched off', () => {
    for (const { list: route } of resourceRoutes(registry)) {
      const { request } = folder(labelOf(route.definition)).item.find(({ name }: Part) => name.startsWith('List'))
      expect(request.url.query.map(({ key }: Part) => key)).toEqual(route.parameterNames)
      for (const { disabled, description } of request.url.query) {
        expect(disabled).toBe(true)
        expect(description).not.toBe('')
      }
    }
  })

  test('sends no value that has to be unique, so it can be run again and again', () => {
    for (const { create: route } of resourceRoutes(registry)) {
      const { definition } = route
      const [create] = folder(labelOf(definition)).item
      const sent = Object.keys(JSON.parse(create.request.body.raw))
      expect(sent).toContain(definition.title)
      for (const name of sent) expect(definition.fields[name]?.unique).toBeUndefined()
    }
  })

  test('has answers of every request saved, each of which the OpenAPI document describes', () => {
    const document = documentOf(served)
    const saved = collection.item.slice(0, -1).flatMap(({ item }: Part) => item)
    expect(saved.length).toBe(served.filter(isDataRoute).flatMap(({ collection }) => collection.requests).length)
    for (const { name, request, response } of saved) {
      const { responses } = document.paths[pathOf(request)][request.method.toLowerCase()]
      expect(response.length, name).toBeGreaterThan(2)
      for (const { code, header, body, originalRequest } of response) {
        expect(originalRequest.url.raw).toBe(request.url.raw)
        const content = responses[code].content[header[0].value.split(';')[0]]
        const value = JSON.parse(body)
        expect(errorsOf(document, content.schema, value), name).toEqual([])
        // The document shows each refusal once, the collection as it is on this route.
        if (code >= 400) expect(Object.keys(content.examples), name).toContain(value.code)
        else if (content.examples)
          expect(
            Object.values<Part>(content.examples).map((each) => resolved(document, each).value),
            name,
          ).toContainEqual(value)
      }
    }
    const named = (folderName: string, at: number) => folder(folderName).item[at].response.map(({ name }: Part) => name)
    expect(named('Projects', 0)).toEqual(
      expect.arrayContaining(['Created', 'Dry-run', 'The plan holds no more of these']),
    )
    expect(named('Projects', 7)).toContain('Protected history refers to the record')
  })

  test('asks for the public documents without a token', () => {
    const last = collection.item.at(-1)
    expect(last.auth).toEqual({ type: 'noauth' })
    expect(last.item.map(({ request }: Part) => request.url.path.join('/'))).toEqual([
      'v1/openapi.json',
      'v1/openapi-client.json',
      'v1/docs',
      'v1/postman.json',
      'llms.txt',
    ])
  })

  test('checks every answer by a script that can be read', () => {
    for (const { name, event } of requests) {
      const [{ listen, script }] = event
      expect(listen, name).toBe('test')
      expect(() => new Function('pm', script.exec.join('\n')), name).not.toThrow()
    }
  })

  test('follows the registry: one more field, one more kind of record', () => {
    const create = folder('Projects', collectionOf(routes(withColour))).item[0]
    expect(JSON.parse(create.request.body.raw).colour).toBe('RED')
    const timeEntries = folder('Time entries', collectionOf(routes(withTimeEntries)))
    expect(timeEntries.item[1].request.url.raw).toBe('{{baseUrl}}/v1/time_entries')
    expect(timeEntries.item[2].request.url.variable[0].value).toBe('{{time_entry_id}}')
  })
})
