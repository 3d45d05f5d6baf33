import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DataRoute, dataRoutesOf, isWrite } from '#derive/routes.ts'
import type { ProblemCode } from '#registry/definition.ts'
import { registry } from '#registry/resources/index.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { untilTold } from '../stage/wait.ts'
import { drawn } from './draw.ts'
import { type Operation, operationsOf, type Part, resolved } from './openapi-reader.ts'

/**
 * What the served document allows is accepted. Bodies, queries and headers are drawn from the document alone, which is
 * all that a caller has, and sent as dry-runs.
 */

let stage: Stage
let company: Company
let document: Part
let ajv: Ajv2020
beforeAll(async () => {
  // None is turned away, however slow the machine: this is about what is acceptable.
  stage = await openStage()
  company = await stage.company({ plan: 'ENTERPRISE' })
  document = (await company.call('GET', '/v1/openapi.json', { token: null })).body
  // Ajv divides doubles to tell a multiple, unless it is given a precision.
  ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, multipleOfPrecision: 6 })
  ajv.addSchema(document, 'document')
  // There is a change of everything, so that nobody waits for one.
  for (const { name, served } of registry) if (served) await someRecord(name)
  await untilTold(stage)
})
afterAll(() => stage.close())

/** What no schema can say: where references lead, which values are taken, what the record is, how fields compare. */
const beyondSchemas: readonly ProblemCode[] = [
  ...(['not_found', 'not_unique', 'transition_not_allowed', 'locked', 'may_not_fall'] as const),
  ...(['date_order', 'cycle', 'client_blocked', 'not_of_client', 'invisible'] as const),
]

const drawnFor = { POST: 200, PUT: 150, PATCH: 150, GET: 65, DELETE: 0 } as const
const seed = Number(process.env.DRAW_SEED ?? 20260301)

/** What a batch asks has bodies of any resource in it, which the document leaves open; each of those is drawn by itself. */
const isOpen = (route: DataRoute): boolean => route.body !== null && !route.definition
/** Every other operation with a body or a query, by its id, with how many calls of it are drawn. */
const rows = dataRoutesOf(registry)
  .filter((route) => (route.body || !isWrite(route)) && !isOpen(route))
  .map(({ id, method }) => ({ id, runs: drawnFor[method] }))

test('5,000 calls are drawn, of every operation with a body or a query', () => {
  expect(rows.reduce((sum, { runs }) => sum + runs, 0)).toBeGreaterThanOrEqual(5000)
  const taking = operationsOf(document).filter(
    ({ method, operation }) => operation.security?.length !== 0 && (operation.requestBody || method === 'get'),
  )
  const drawnOrOpen = [...rows, ...dataRoutesOf(registry).filter(isOpen)].map(({ id }) => id)
  expect(taking.map(({ operation }) => operation.operationId).toSorted()).toEqual(drawnOrOpen.toSorted())
})

describe('What the document allows is accepted, but for what no schema can say', () => {
  test.each(rows)('$id, $runs times', async ({ id, runs }) => {
    const found = operationsOf(document).find(({ operation }) => operation.operationId === id) as Operation
    const [name = ''] = id.split('.')
    const target = /\{(id|value)\}/.test(found.path) ? await someRecord(name, { external_ref: id }) : null
    const calls = fc.sample(callsOf(found), { numRuns: runs, seed })
    let accepted = 0
    await inParallel(calls, async (call) => {
      if (await isAccepted(found, target, call)) accepted++
    })
    // Half of all references and dates are right by being absent; the rest is told apart by its code.
    expect(accepted).toBeGreaterThan(runs / 5)
  })
})

type Call = { query: Record<string, unknown>; headers: Record<string, unknown>; body?: Record<string, unknown> }

function callsOf({ operation, method }: Operation): fc.Arbitrary<Call> {
  const parameters = operation.parameters.map((part: Part) => resolved(document, part))
  const given = (place: string) =>
    fc.record(
      Object.fromEntries(
        parameters
          // No hash that is drawn is that of a plan.
          .filter(({ in: where, name }: Part) => where === place && name !== 'If-Plan')
          .map(({ name, schema }: Part) => [name, drawn(document, schema)]),
      ),
      { requiredKeys: [] },
    )
  const bodies: fc.Arbitrary<object> | undefined =
    operation.requestBody && bodiesOf(operation.requestBody.content['application/json'].schema)
  // Of a record by its reference the path names that; a body may name it, too, and no other.
  const body =
    method === 'put'
      ? bodies?.map((sent) => ('external_ref' in sent ? { ...sent, external_ref: operation.operationId } : sent))
      : bodies
  return fc.record({ query: given('query'), headers: given('header'), ...(body ? { body } : {}) }) as fc.Arbitrary<Call>
}

const bodiesOf = (schema: Part): fc.Arbitrary<object> =>
  drawn(document, schema).filter(allowed(schema)) as fc.Arbitrary<object>

function allowed({ $ref }: Part): (body: unknown) => boolean {
  const known = ajv.getSchema(`document${$ref}`)
  return (body) => (known as ValidateFunction)(body) === true
}

/** Whether it was, at once; if not, it is without the fields that were refused for what no schema can say. */
async function isAccepted(found: Operation, target: number | null, { query, headers, body }: Call): Promise<boolean> {
  const send = (sent: Call['body']) => {
    const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    const path =
      found.path.replace('{id}', String(target)).replace('{value}', found.operation.operationId) +
      (pairs.length > 0 ? `?${pairs.join('&')}` : '')
    const dryRun = body ? { 'X-Dry-Run': '1' } : {}
    return company.call(found.method.toUpperCase(), path, {
      headers: { ...(headers as Record<string, string>), ...dryRun },
      ...(sent ? { body: sent } : {}),
    })
  }
  const isUpdate = ['patch', 'put'].includes(found.method)
  const answer = await send(body)
  if ([200, 304].includes(answer.status)) return true
  const told = `${found.method} ${JSON.stringify({ query, headers, body }).slice(0, 4000)}\n${answer.text}`
  // If-Match names some version, seldom the one that the record has; If-None-Match may name that.
  if (answer.status === 412 && ('If-Match' in headers || 'If-None-Match' in headers)) return false
  const unfit = unfitParameter(query)
  if (answer.status === 400 && unfit !== undefined) {
    expect(answer.body, told).toMatchObject({ code: 'invalid_parameter', detail: expect.stringContaining(unfit) })
    const { [unfit]: _, ...rest } = query
    return isAccepted(found, target, { query: rest, headers, ...(body ? { body } : {}) })
  }
  expect(answer.status, told).toBe(422)
  const wrong: { field: string; code: ProblemCode; message: string }[] = answer.body.errors
  for (const { field, code, message } of wrong) {
    // Of an update only: what the status needs may be in the record. Sums are of all lines together.
    const isState = code === 'needed_by_status' && isUpdate
    const isSum = code === 'out_of_range' && message.includes('add up')
    expect(
      beyondSchemas.includes(code) || isState || isSum || isFollowing(field, code),
      `${field} ${code}: ${told}`,
    ).toBe(true)
  }
  const refused = wrong.flatMap(({ field, code }) => (code === 'needed_by_status' ? [field, 'status'] : [field]))
  const rest = Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => !refused.includes(name)))
  const { schema } = found.operation.requestBody.content['application/json']
  if (!allowed(schema)(rest)) return false
  const again = await send(rest)
  // One problem a field is told: where a state, a sum or a date was in its way, another may come to light.
  const beyond = isUpdate ? [...beyondSchemas, 'needed_by_status'] : beyondSchemas
  if (again.status === 422)
    for (const { field, code } of again.body.errors)
      expect(beyond.includes(code) || isFollowing(field, code), told).toBe(true)
  else expect(again.status, again.text).toBe(200)
  return again.status === 200
}

/** What no schema can say of a field that follows from another one: it contradicts that, or is above the lines. */
const isFollowing = (name: string, code: string): boolean =>
  registry.some(({ fields }) => fields[name]?.follows) && ['read_only', 'out_of_range'].includes(code)

/** What no schema of a parameter can refuse: two that do not go together, and a cursor that nobody was given. */
function unfitParameter(query: Call['query']): string | undefined {
  if ('after_id' in query && ('offset' in query || 'sort' in query)) return 'after_id'
  // Days from and to compare, which no schema can say.
  const from = Object.keys(query).find(
    (name) => name.endsWith('_from') && isAfter(query[name], query[name.replace(/from$/, 'to')]),
  )
  if (from !== undefined) return from
  return 'after' in query && query.after !== 'now' ? 'after' : undefined
}

const someRecord = (name: string, besides: object = {}): Promise<number> =>
  company.create(name, { [name === 'estimates' ? 'title' : 'name']: 'To be changed', ...besides })

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const one = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: 16 }, one))
}

const isAfter = (from: unknown, to: unknown): boolean => typeof from === 'string' && typeof to === 'string' && from > to
