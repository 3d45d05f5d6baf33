import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordExample } from '#derive/examples.ts'
import { resourceRoutes } from '#derive/routes.ts'
import { registry, servedResources } from '#registry/resources/index.ts'
import { seedDemo } from '#server/demo/seed.ts'
import type { TestResponse } from '../stage/http.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import { type Part, resolved } from './openapi-reader.ts'

/** Anyone who has just started the service and tries what the documents show, tries it in the first demo company. */

let stage: Stage
let token: string
let document: Part
beforeAll(async () => {
  stage = await openStage()
  const { companies } = await seedDemo(stage.app)
  token = companies[0]?.token as string
  document = (await stage.send({ method: 'GET', path: '/v1/openapi.json' })).body
})
afterAll(() => stage.close())

const routes = resourceRoutes(registry)

const call = (method: string, path: string, body?: unknown): Promise<TestResponse> => {
  const headers: [string, string][] = [['Authorization', `Bearer ${token}`]]
  if (body) headers.push(['Content-Type', 'application/json'])
  return stage.send({ method, path, headers, body: body ? JSON.stringify(body) : undefined })
}

describe('In the fresh demo every example works', () => {
  test.each(routes.map(({ create }) => create))('$id, then its update and delete', async ({ path }) => {
    const operations = { create: document.paths[path].post, update: document.paths[`${path}/{id}`].patch }
    const bodies = Object.entries<Part>(operations.create.requestBody.content['application/json'].examples)
    expect(bodies.map(([name]) => name)).toEqual(['minimal', 'full'])
    for (const [name, body] of bodies) {
      const { value } = resolved(document, body)
      const created = await call('POST', path, value)
      expect(created.status, `${name}: ${created.text}`).toBe(201)
      const one = `${path}/${created.body.data.id}`
      for (const change of Object.values<Part>(operations.update.requestBody.content['application/json'].examples)) {
        const updated = await call('PATCH', one, resolved(document, change).value)
        expect(updated.status, updated.text).toBe(200)
      }
      expect((await call('DELETE', one)).status).toBe(200)
    }
  })

  test.each(routes.map(({ fetch }) => fetch))(
    '$id: there is a record with the id of the examples',
    async ({ path }) => {
      const id = document.paths[path].get.parameters.map((part: Part) => resolved(document, part))[0]
      expect(id.name).toBe('id')
      expect((await call('GET', path.replace('{id}', id.example))).status).toBe(200)
    },
  )

  test.each(routes.map(({ fetch }) => fetch))(
    '$id: what the examples of its fields refer to is there, under several ids',
    async ({ definition }) => {
      const shown = recordExample(definition)
      const references = Object.entries(definition.fields).flatMap(([name, field]) =>
        field.kind === 'reference' ? [{ name, to: field.to, id: shown[name] as number }] : [],
      )
      for (const { name, to, id } of references) {
        const isServed = servedResources.some((each) => each.name === to)
        const path = isServed ? `/v1/${to}?id_in=${id}` : `/v1/choices/${definition.name}/${name}?after_id=${id - 1}`
        const { body } = await call('GET', path)
        expect(body.data[0]?.id, name).toBe(id)
      }
      expect(references.map(({ id }) => id)).not.toContain(shown.id)
    },
  )

  test.each(routes.map(({ list }) => list))('$id with every example of a parameter', async ({ path }) => {
    for (const parameter of document.paths[path].get.parameters) {
      const { in: place, name, examples } = resolved(document, parameter)
      if (place !== 'query') continue
      const answer = await call('GET', `${path}?${name}=${encodeURIComponent(examples.default.value)}`)
      expect(answer.status, `${name}: ${answer.text}`).toBe(200)
    }
  })
})
