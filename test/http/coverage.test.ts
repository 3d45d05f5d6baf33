import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataRoutesOf } from '#derive/routes.ts'
import { type RefusalCode, refusals } from '#registry/refusals.ts'
import { registry } from '#registry/resources/index.ts'
import { serve } from '#server/serve.ts'
import { Fault } from '#server/store/faults.ts'
import { send } from '../stage/http.ts'
import { callIn, scenarios, somewhere, tokenLimit } from '../stage/scenarios.ts'
import { openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
// biome-ignore lint/suspicious/noExplicitAny: the document as a reader gets it
let document: any
beforeAll(async () => {
  // A reference that others keep taking is refused after the time of a statement.
  stage = await openStage({ ...tokenLimit, STATEMENT_TIMEOUT_MS: '10000' })
  document = (await stage.send({ method: 'GET', path: '/v1/openapi.json' })).body
})
afterAll(() => stage.close())

const everyRoute = dataRoutesOf(registry)
/** Those that no call earns by itself. */
const byFault: RefusalCode[] = ['overloaded', 'internal_error', 'unavailable', 'outcome_unknown']

/** The example that the document shows for a refusal of a route. */
function exampleOf(path: string, method: string, code: RefusalCode) {
  const response = document.paths[path][method.toLowerCase()].responses[refusals[code].status]
  const resolved = response.$ref ? document.components.responses[response.$ref.split('/').at(-1)] : response
  const example = resolved.content['application/problem+json'].examples[code]
  return (example.$ref ? document.components.examples[example.$ref.split('/').at(-1)] : example).value
}

// Each call has a company of its own.
describe.concurrent.each(everyRoute)('$id', (route) => {
  test.each(route.refusals.filter((code) => !byFault.includes(code)))(
    'gives %s, as its example shows',
    async (code) => {
      expect(scenarios[code], `${code} has a way to provoke it`).toBeDefined()
      const answer = await callIn(stage, route, [code])
      expect({ status: answer.status, code: answer.body?.code }).toEqual({ status: refusals[code].status, code })
      const { type, title, status } = exampleOf(route.path, route.method, code)
      expect(answer.body).toMatchObject({ title, status })
      expect(type.endsWith(answer.body.type)).toBe(true)
      expect(Object.keys(answer.body).toSorted()).toEqual(
        Object.keys(exampleOf(route.path, route.method, code)).toSorted(),
      )
    },
  )

  test('succeeds when nothing is wrong', async () => {
    expect((await callIn(stage, route, [])).status).toBe(route.success)
  })
})

describe('When a dependency fails', () => {
  const failing = (error: Error) => ({
    ...stage.app,
    database: { ...stage.app.database, read: () => Promise.reject(error), transaction: () => Promise.reject(error) },
  })
  const rows: { code: RefusalCode; error: Error; retryAfter: string | undefined }[] = [
    { code: 'internal_error', error: new Error('a secret cause'), retryAfter: undefined },
    { code: 'unavailable', error: new Fault('unavailable', new Error('a secret cause')), retryAfter: '1' },
    { code: 'outcome_unknown', error: new Fault('outcome_unknown', new Error('a secret cause')), retryAfter: '1' },
  ]
  test.each(rows)(
    'every route that may answer $code does, and keeps the cause to itself [V16.5.1]',
    async ({ code, error, retryAfter }) => {
      const company = await stage.company()
      const broken = await serve(failing(error))
      try {
        for (const route of everyRoute.filter(({ refusals: given }) => given.includes(code))) {
          const answer = await send(broken.url, {
            method: route.method,
            path: somewhere(route),
            headers: [
              ['Authorization', `Bearer ${company.token}`],
              ['Content-Type', 'application/json'],
            ],
            body: route.body ? '{}' : undefined,
          })
          expect(answer.body).toMatchObject({ status: refusals[code].status, code })
          expect(answer.headers['retry-after']).toBe(retryAfter)
          expect(answer.text).not.toContain('secret cause')
          expect(exampleOf(route.path, route.method, code)).toMatchObject({ code, title: answer.body.title })
        }
      } finally {
        await broken.drain()
      }
    },
  )
})

test('Where there is no room at all, every route answers overloaded, as its example shows', async () => {
  const full = await serve({ ...stage.app, config: { ...stage.app.config, requestsMax: 0 } })
  try {
    for (const route of everyRoute) {
      const { method, path } = route
      const answer = await send(full.url, { method, path: somewhere(route) })
      expect(answer).toMatchObject({ status: refusals.overloaded.status, headers: { 'retry-after': '1' } })
      const { request_id: _, type, ...example } = exampleOf(path, method, 'overloaded')
      expect(answer.body).toMatchObject(example)
      expect(type.endsWith(answer.body.type)).toBe(true)
    }
  } finally {
    await full.drain()
  }
})
