import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusedExample } from '#derive/examples.ts'
import { problemExample } from '#derive/openapi/problems.ts'
import { errorsPath } from '#derive/openapi.ts'
import { type DataRoute, dataRoutesOf, routes as everyRoute, isDataRoute, resourceRoutes } from '#derive/routes.ts'
import { type RefusalCode, refusals } from '#registry/refusals.ts'
import { equipment } from '#registry/resources/equipment.ts'
import { registry } from '#registry/resources/index.ts'
import { subscriptionPlans } from '#registry/subscription.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { type Part, resolved } from './openapi-reader.ts'

/** What the documents show is done to a server that runs: every example is sent, and the collection is run. */

let stage: Stage
let company: Company
let document: Part
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  document = (await company.call('GET', '/v1/openapi.json', { token: null })).body
})
afterAll(() => stage.close())

const routes = dataRoutesOf(registry)
const creates = resourceRoutes(registry).map(({ create }) => create)

describe('Every example of a body is accepted', () => {
  test.each(creates)('$id', async ({ path }) => {
    const { post } = document.paths[path]
    for (const [name, { value }] of bodyExamples(post, 'application/json')) {
      const answer = await company.call('POST', path, { body: value })
      expect(answer.status, `${name}: ${answer.text}`).toBe(201)
    }
  })

  test.each(creates)('$id, then its updates', async ({ path, definition }) => {
    const id = await company.create(definition.name, { [definition.title]: 'To be changed' })
    const { patch } = document.paths[`${path}/{id}`]
    for (const type of ['application/json', 'application/merge-patch+json']) {
      for (const [name, { value }] of bodyExamples(patch, type)) {
        const answer = await company.call('PATCH', `${path}/${id}`, { body: value, headers: { 'Content-Type': type } })
        expect(answer.status, `${name}: ${answer.text}`).toBe(200)
      }
    }
  })

  test.each(resourceRoutes(registry).map(({ list }) => list))(
    '$id with every example of a parameter',
    async (route) => {
      for (const parameter of document.paths[route.path].get.parameters) {
        const { in: place, name, examples } = resolved(document, parameter)
        if (place !== 'query') continue
        const { value } = examples.default
        const answer = await company.get(`${route.path}?${name}=${encodeURIComponent(value)}`)
        expect(answer.status, `${name}: ${answer.text}`).toBe(200)
      }
    },
  )
})

describe('A refusal reads as its example does', () => {
  test('unauthorized', async () => {
    await expectExample('projects.list', 'unauthorized', await company.call('GET', '/v1/projects', { token: null }))
  })

  test('unknown_parameter', async () => {
    await expectExample('workers.list', 'unknown_parameter', await company.get('/v1/workers?colour=red'))
  })

  test('invalid_parameter', async () => {
    await expectExample('clients.list', 'invalid_parameter', await company.get('/v1/clients?limit=0'))
    const twice = await company.call('POST', '/v1/clients?dry_run=1&dry_run=1', { body: { name: 'Twice' } })
    await expectExample('clients.create', 'invalid_parameter', twice)
  })

  test('invalid_dry_run', async () => {
    const answer = await company.call('POST', '/v1/clients', {
      body: { name: 'Perhaps' },
      headers: { 'X-Dry-Run': 'yes' },
    })
    await expectExample('clients.create', 'invalid_dry_run', answer)
  })

  test('malformed_json', async () => {
    const answer = await company.call('POST', '/v1/clients', { raw: '{"name":"One","name":"Two"}' })
    await expectExample('clients.create', 'malformed_json', answer)
  })

  test('insufficient_scope and feature_off', async () => {
    const small = await stage.company({ scopes: ['ESTIMATES_VIEW'], addOns: ['api'] })
    await expectExample('estimates.list', 'feature_off', await small.get('/v1/estimates'))
    await expectExample('projects.list', 'insufficient_scope', await small.get('/v1/projects'))
  })

  test('validation_failed', async () => {
    const answer = await company.call('POST', '/v1/equipment', { body: refusedExample(equipment) })
    await expectExample('equipment.create', 'validation_failed', answer)
  })

  test('plan_limit_reached', async () => {
    const small = await stage.company({ plan: 'STARTER' })
    for (let count = 1; count <= subscriptionPlans.STARTER.projects; count++)
      await small.create('projects', { name: `Project ${count}` })
    const answer = await small.call('POST', '/v1/projects', { body: { name: 'One too many' } })
    await expectExample('projects.create', 'plan_limit_reached', answer)
  })

  test('delete_blocked', async () => {
    const client_id = await company.create('clients', { name: 'Harbour' })
    const lines = [{ description: 'Wall', quantity: 1 }]
    const id = await company.create('estimates', { title: 'Wall', status: 'ACCEPTED', client_id, lines })
    const answer = await company.call('DELETE', `/v1/estimates/${id}`)
    answer.body.blocked_by[0].ids = [17]
    await expectExample('estimates.delete', 'delete_blocked', answer)
  })
})

describe('The Postman collection', () => {
  test('runs green in newman, twice, and leaves nothing behind', async () => {
    const own = await stage.company({ plan: 'PRO' })
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-postman-'))
    const file = join(folder, 'collection.json')
    await writeFile(file, (await own.call('GET', '/v1/postman.json', { token: null })).text)
    const root = new URL('../..', import.meta.url)
    const newman = ['node_modules/.bin/newman', 'run', file, '--env-var', `token=${own.token}`, '--color', 'off']
    const requests = everyRoute(registry)
      .map((route) => (isDataRoute(route) ? route.collection.requests.length : 1))
      .reduce((sum, each) => sum + each)
    for (const _ of ['once', 'again']) {
      const { stdout } = await promisify(execFile)(process.execPath, newman, { cwd: root }).catch((failed) => failed)
      expect(stdout).toMatch(new RegExp(`assertions │ +${requests} │ +0 `))
    }
    await rm(folder, { recursive: true })
    for (const { definition } of creates) {
      expect((await own.get(`/v1/${definition.name}`)).body.meta.total, definition.name).toBe(0)
    }
  })
})

const bodyExamples = (operation: Part, type: string): [string, Part][] =>
  Object.entries<Part>(operation.requestBody.content[type].examples).map(([name, example]) => [
    name,
    resolved(document, example),
  ])

/** The answer is the example of the refusal, as the collection shows it for this route. */
async function expectExample(id: string, code: RefusalCode, { status, body }: Part): Promise<void> {
  const route = routes.find((each) => each.id === id) as DataRoute
  const { value } = problemExample(code, route, errorsPath)
  expect(status).toBe(refusals[code].status)
  expect({ ...body, request_id: value.request_id }).toEqual(value)
}
