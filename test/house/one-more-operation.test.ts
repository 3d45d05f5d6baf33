import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownOperations, standardOperations } from '#derive/operations/index.ts'
import type { DataOperation, OwnOperation, ResourceOperation } from '#derive/operations/operation.ts'
import { commonFacts, idOf, recordPath } from '#derive/operations/record.ts'
import { postman } from '#derive/postman.ts'
import { colonPath, isDataRoute, type ResourceRoute, routes } from '#derive/routes.ts'
import type { Definition } from '#registry/definition.ts'
import { Refusal, refusals } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import type { Handlers, HandlersOf, ReadHandler, WriteHandler } from '#server/pipeline/handler.ts'
import { handlers } from '#server/pipeline/handlers/index.ts'
import { createResponse } from '#server/pipeline/response.ts'
import { pathId } from '#server/protocol/path-id.ts'
import { fetchWithCaller, listWithCaller } from '#sql/records/read.ts'
import { selectCaller } from '#sql/system/caller.ts'
import { routesTable } from '../../tools/routes-table.ts'
import { callIn, scenarios, tokenLimit } from '../stage/scenarios.ts'
import { openStage, type Stage } from '../stage/stage.ts'

/** Operations as they might come: an entry in derive/operations and a handler for each, and nothing else. */

const clients = definitionOf(registry, 'clients') as Definition
const section = { name: 'Made up', about: 'Operations that there are not.', remarks: [] }

const returned = (schema: string, value: object): DataOperation['answer'] => ({
  description: 'What was asked for.',
  headers: ['RequestId'],
  schema,
  examples: { one: { summary: 'One', description: 'As it comes.', value: { data: { ...value } } } },
})

const typed = (name: string, properties: { [member: string]: { type: string } }) => ({
  [name]: {
    type: 'object',
    description: name,
    properties: { data: { type: 'object', properties }, plan: { type: 'object' } },
    required: ['data'],
  },
})

const plainly = {
  pathParameters: [],
  parameters: [],
  body: null,
  refusals: [],
  refused: {},
  addOn: 'api',
  otherAnswers: {},
  success: 200,
} as const

const request = { sends: [], offers: [], title: 'It answers', checks: ['pm.expect(data).to.exist'] }

/** Of one resource, without a record. */
const count: OwnOperation<DataOperation<'read'>> = (base) => ({
  ...plainly,
  ...commonFacts(clients, 'VIEW'),
  method: 'GET',
  path: `${base}/clients/count`,
  summary: 'Count clients',
  description: ['Counts the clients.'],
  answer: returned('ClientCount', { count: 3 }),
  schemas: typed('ClientCount', { count: { type: 'integer' } }),
  collection: { turn: 'uses', requests: [request] },
})

const reference = {
  name: 'reference',
  is: { about: 'Any text.', schema: { type: 'string', minLength: 1 }, example: 'PO/17 – é' },
  sent: { value: 'PO-17', about: 'Any text.' },
} as const

/** Of no resource, with any token and a parameter of its own. */
const echo: OwnOperation<DataOperation<'read'>> = (base) => ({
  ...plainly,
  method: 'GET',
  path: `${base}/echo/{reference}/again`,
  section,
  scope: null,
  summary: 'Echo a reference',
  description: ['Answers what was sent.'],
  pathParameters: [reference],
  answer: returned('Echo', { reference: 'PO/17 – é' }),
  schemas: typed('Echo', { reference: { type: 'string' } }),
  collection: { turn: 'uses', requests: [request] },
})

/** A write with another method. */
const keep: OwnOperation<DataOperation<'write'>> = (base) => ({
  ...plainly,
  method: 'PUT',
  path: `${base}/echo/{reference}/again`,
  section,
  scope: 'CLIENTS_EDIT',
  summary: 'Keep a reference',
  description: ['Keeps nothing.'],
  pathParameters: [reference],
  body: {
    description: 'Anything.',
    schema: 'Anything',
    types: ['application/json'],
    examples: { some: { summary: 'Some', description: 'Some members.', value: { some: 1 } } },
    sent: { some: 1 },
  },
  answer: { ...returned('Kept', { kept: true }), headers: ['RequestId', 'Replayed', 'OriginalRequestId'] },
  schemas: {
    ...typed('Kept', { kept: { type: 'boolean' } }),
    Anything: { type: 'object', description: 'Anything.', additionalProperties: true },
  },
  collection: { turn: 'makes', requests: [{ ...request, sends: ['Idempotency-Key'] }] },
})

/** Of every resource. */
const title: ResourceOperation<'read'> = (definition, base) => ({
  ...plainly,
  ...commonFacts(definition, 'VIEW'),
  method: 'GET',
  path: `${recordPath(definition, base)}/title`,
  summary: `Title of a ${definition.one}`,
  description: ['Says how the record is called.'],
  pathParameters: [idOf(definition)],
  refusals: ['not_found'],
  answer: returned('Title', { title: 'Wall' }),
  schemas: typed('Title', { title: { type: 'string' } }),
  collection: { turn: 'uses', requests: [request] },
})

const countHandler: ReadHandler =
  () =>
  (_call, _query, { ask }) => ({
    statement: listWithCaller(ask, clients, { filters: {}, words: [], sort: [], limit: 1, offset: 0 }),
    reply: ({ total }) => createResponse(200, { count: total as number }),
  })
const echoHandler: ReadHandler =
  () =>
  ({ params }, _query, { ask }) => ({
    statement: selectCaller(ask),
    reply: () => createResponse(200, { reference: params.reference as string }),
  })
const keepHandler: WriteHandler =
  ({ success }) =>
  (_company, _call, { dryRun }) => ({
    prefetch: null,
    execute: async () => !dryRun,
    respond: (kept: boolean) => createResponse(success, { kept }),
  })
const titleHandler: ReadHandler<ResourceRoute> =
  ({ definition }) =>
  ({ params }, _query, { ask }) => ({
    statement: fetchWithCaller(ask, definition, pathId(params) ?? 0),
    reply({ json }: { json: string | null }) {
      if (json === null) throw new Refusal('not_found')
      return createResponse(200, { title: JSON.parse(json)[definition.title] })
    },
  })

const more = {
  standard: { ...standardOperations, title },
  own: { 'clients.count': count, echo, keep, ...ownOperations },
}
const moreHandlers = {
  ...handlers,
  title: titleHandler,
  'clients.count': countHandler,
  echo: echoHandler,
  keep: keepHandler,
} satisfies HandlersOf<typeof more.standard, typeof more.own>

/** What the compiler refuses: no handler, a handler of another sort, half an operation. */
const { title: _title, ...withoutTitle } = moreHandlers
// @ts-expect-error the handler of an operation is missing
withoutTitle satisfies HandlersOf<typeof more.standard, typeof more.own>
const swapped = { ...moreHandlers, keep: countHandler }
// @ts-expect-error a write needs its work, and this reads
swapped satisfies HandlersOf<typeof more.standard, typeof more.own>
const { answer: _answer, ...half } = count('/v1')
// @ts-expect-error it does not say what it answers
half satisfies DataOperation

const all = routes(registry, more)
const before = routes(registry).map(({ id }) => id)
const madeUp = all.filter(({ id }) => !before.includes(id))

let stage: Stage
beforeAll(async () => {
  stage = await openStage(tokenLimit, { routes: all, handlers: moreHandlers })
})
afterAll(() => stage.close())

describe('An operation added to the lists', () => {
  test('is answered', async () => {
    const company = await stage.company()
    const id = await company.create('clients', { name: 'Quay' })
    expect((await company.get('/v1/clients/count')).body).toEqual({ data: { count: 1 } })
    expect((await company.get(`/v1/clients/${id}/title`)).body).toEqual({ data: { title: 'Quay' } })
    expect((await company.get('/v1/echo/a/again')).body).toEqual({ data: { reference: 'a' } })
    const options = { body: { some: 2 }, headers: { 'Idempotency-Key': 'kept-once' } }
    const kept = await company.call('PUT', '/v1/echo/a/again', options)
    expect(kept.body).toEqual({ data: { kept: true } })
    const again = await company.call('PUT', '/v1/echo/a/again', options)
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([kept.text, 'true'])
    expect((await company.call('PUT', '/v1/echo/a/again?dry_run=1', { body: {} })).body.data.kept).toBe(false)
    expect((await company.calls()).map(({ route }) => route)).toEqual(
      expect.arrayContaining(['clients.count', 'clients.title', 'echo', 'keep']),
    )
  })

  test.each(['PO/17', 'é', '100 %', 'a;b=c', '..', '😀'.repeat(255)])('takes %s in its path', async (given) => {
    const company = await stage.company()
    const { body } = await company.get(`/v1/echo/${encodeURIComponent(given)}/again`)
    expect(body.data.reference).toBe(given)
  })

  test('stands with the other methods of its path', async () => {
    const company = await stage.company()
    const { status, headers } = await company.call('OPTIONS', '/v1/echo/a/again')
    expect([status, headers.allow]).toEqual([204, 'GET, HEAD, PUT, OPTIONS'])
    expect((await company.call('PATCH', '/v1/clients/count', { body: {} })).status).toBe(405)
    expect((await company.get('/v1/echo//again')).status).toBe(404)
  })

  test('is in the served document, the collection and the table', async () => {
    const document = (await stage.send({ method: 'GET', path: '/v1/openapi.json' })).body
    const { item } = (await stage.send({ method: 'GET', path: '/v1/postman.json' })).body
    const sent = item.flatMap(({ item: requests }: { item: { request: { url: { raw: string } } }[] }) =>
      requests.map(({ request }) => request.url.raw),
    )
    for (const { id, path, method } of madeUp) {
      expect(document.paths[path][method.toLowerCase()].operationId).toBe(id)
      expect(sent).toContain(`{{baseUrl}}${colonPath(path)}`)
      expect(routesTable(all)).toContain(`${path} `)
    }
    expect(document.components.schemas).toMatchObject({ ClientCount: {}, Echo: {}, Kept: {}, Title: {} })
    expect(document.tags.map(({ name }: { name: string }) => name)).toContain('Made up')
    expect(JSON.stringify(postman(routes(registry), { base: 'http://127.0.0.1', version: '1' }))).not.toContain('echo')
  })

  test('has a route, or one on each resource', () => {
    const resources = registry.filter(({ served }) => served)
    const titles = resources.map(({ name }) => `${name}.title`)
    expect(madeUp.map(({ id }) => id).toSorted()).toEqual([...titles, 'clients.count', 'echo', 'keep'].toSorted())
  })
})

describe.each(madeUp.filter(isDataRoute).filter(({ definition }) => !definition || definition === clients))(
  'Coverage has $id',
  (route) => {
    test('succeeds when nothing is wrong', async () => {
      expect((await callIn(stage, route, [])).status).toBe(route.success)
    })

    test.each(route.refusals.filter((code) => scenarios[code]))('gives %s', async (code) => {
      const { status, body } = await callIn(stage, route, [code])
      expect({ status, code: body?.code }).toEqual({ status: refusals[code].status, code })
    })
  },
)

test('An operation without a handler ends the start', async () => {
  const { echo: _, ...fewer }: Handlers = moreHandlers
  await expect(openStage({}, { routes: all, handlers: fewer })).rejects.toThrow('nothing answers echo')
})
