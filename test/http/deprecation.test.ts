import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withDeprecation } from '#derive/deprecation.ts'
import { openapi } from '#derive/openapi.ts'
import { postman } from '#derive/postman.ts'
import { routes } from '#derive/routes.ts'
import type { Definition, Deprecation } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { serve } from '#server/serve.ts'
import { send, type TestResponse } from '../stage/http.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/** Clients as they would be with a list and a delete on their way out. */
const going: Deprecation = { since: '2027-01-01', sunset: '2027-07-01', instead: 'Use `GET /v2/clients`.' }
const old: Deprecation = { since: '2026-06-30', instead: 'Set `status` to `ARCHIVED`.' }
const clients = definitionOf(registry, 'clients') as Definition
const madeUp = routes([{ ...clients, served: { addOn: 'api', deprecated: { list: going, delete: old } } }])

let stage: Stage
let company: Company
let served: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  served = await serve(stage.app, undefined, () => madeUp)
})
afterAll(async () => {
  await served.drain()
  await stage.close()
})

const call = (method: string, path: string, token = company.token): Promise<TestResponse> =>
  send(served.url, { method, path, headers: [['Authorization', `Bearer ${token}`]] })

describe('An operation on its way out says so in every answer', () => {
  test('with Deprecation (RFC 9745), Sunset (RFC 8594) and a link to the page that says what to use instead', async () => {
    const told = {
      deprecation: '@1798761600',
      sunset: 'Thu, 01 Jul 2027 00:00:00 GMT',
      link: '</v1/docs>; rel="deprecation"; type="text/html"',
    }
    expect(await call('GET', '/v1/clients')).toMatchObject({ status: 200, headers: told })
    expect(await call('HEAD', '/v1/clients')).toMatchObject({ status: 200, headers: told })
    expect(await call('GET', '/v1/clients?limit=0')).toMatchObject({ status: 400, headers: told })
    expect(await call('GET', '/v1/clients', 'none')).toMatchObject({ status: 401, headers: told })
  })

  test('beside the other links of the answer', async () => {
    for (const name of ['A', 'B']) await company.create('clients', { name })
    const { headers } = await call('GET', '/v1/clients?limit=1')
    expect(headers.link).toMatch(/^<\/v1\/clients\?limit=1&offset=1>; rel="next", <\/v1\/docs>; rel="deprecation"/)
  })

  test('without a day on which it ends, without Sunset', async () => {
    const { status, headers } = await call('DELETE', '/v1/clients/999999999')
    expect([status, headers.deprecation, headers.sunset]).toEqual([404, '@1782777600', undefined])
  })

  test('and no other operation does', async () => {
    const { headers } = await call('GET', '/v1/clients/999999999')
    expect(headers).not.toHaveProperty('deprecation')
    expect((await company.get('/v1/clients')).headers).not.toHaveProperty('deprecation')
  })
})

describe('The documents say so too', () => {
  test('the served OpenAPI document: deprecated, in words, and with the headers of each answer', async () => {
    const { paths } = (await call('GET', '/v1/openapi.json')).body
    const { get, post } = paths['/v1/clients']
    expect(get.deprecated).toBe(true)
    expect(get.description).toMatch(
      /^\*\*Deprecated\*\* since 2027-01-01, answered until 2027-07-01 at least\. Use `GET \/v2\/clients`\./,
    )
    for (const response of Object.values<{ headers: object }>(get.responses))
      expect(response.headers).toMatchObject({ Deprecation: { example: '@1798761600' }, Sunset: {} })
    expect(post.deprecated).toBeUndefined()
    expect(JSON.stringify(post)).not.toContain('Deprecation')
    expect(paths['/v1/clients/{id}'].delete.responses[200].headers).not.toHaveProperty('Sunset')
  })

  test('no other document mentions it', () => {
    expect(JSON.stringify(openapi(routes(registry), { base: 'http://127.0.0.1:3000', version: '1' }))).not.toContain(
      '"deprecated"',
    )
  })

  test('the Postman collection, in words', () => {
    expect(JSON.stringify(postman(madeUp, { base: 'http://127.0.0.1:3000', version: '1' }))).toContain(
      '**Deprecated** since 2027-01-01',
    )
  })
})

test('an operation that there is not is a mistake of ours', () => {
  const served = { addOn: 'api', deprecated: { lists: going } } as const
  expect(() => routes([{ ...clients, served }])).toThrow('clients has no lists that could be deprecated')
})

test.each<[Deprecation, RegExp]>([
  [{ since: '2027-02-30', instead: '' }, /2027-02-30 is no day/],
  [{ since: 'soon', instead: '' }, /soon is no day/],
  [{ since: '2027-02-01', sunset: '2027-01-31', instead: '' }, /comes before/],
])('%j is a mistake of ours', (deprecation, says) => {
  expect(() => withDeprecation({}, deprecation)).toThrow(says)
})
