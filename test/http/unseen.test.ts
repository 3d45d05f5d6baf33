import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestResponse } from '../stage/http.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/** Whoever may write a resource and not read it is told no difference by a dry-run. Decisions, Dry-run. */

let stage: Stage
let company: Company
let id: number
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company({ scopes: ['CLIENTS_EDIT', 'CLIENTS_DELETE', 'PROJECTS_VIEW', 'PROJECTS_EDIT'] })
  id = await company.create('clients', { name: 'Hidden', external_ref: 'H-1', credit_limit_minor: 5_500 })
})
afterAll(() => stage.close())

const dry = { 'X-Dry-Run': '1' }
const right = { credit_limit_minor: 5_500, name: 'Hidden' }
const wrong = { credit_limit_minor: 5_600, name: 'Hidden' }
const namesSent = ['name', 'credit_limit_minor']

/** How each way of changing a record is previewed with a body. */
const ways: {
  way: string
  ask: (body: object) => Promise<TestResponse>
  told: (body: TestResponse['body']) => object
}[] = [
  {
    way: 'an update',
    ask: (body) => company.call('PATCH', `/v1/clients/${id}`, { body, headers: dry }),
    told: ({ data }) => data,
  },
  {
    way: 'an upsert',
    ask: (body) => company.call('PUT', '/v1/clients/by/external_ref/H-1', { body, headers: dry }),
    told: ({ data }) => data,
  },
  ...(['all', 'each'] as const).map((mode) => ({
    way: `a batch of the mode ${mode}`,
    ask: (body: object) =>
      company.call('POST', '/v1/batch', {
        body: { mode, operations: [{ op: 'update', records: 'clients', id, body }] },
        headers: dry,
      }),
    told: ({ data }: TestResponse['body']) => data.operations[0].data,
  })),
]

describe('In a dry-run without VIEW, changed is the names sent, in the order of the record, whether or not something differs', () => {
  test.each(ways)('$way', async ({ ask, told }) => {
    const [guessed, missed] = [await ask(right), await ask(wrong)]
    for (const answer of [guessed, missed]) {
      expect(answer.status).toBe(200)
      expect(answer.headers).not.toHaveProperty('etag')
      expect(told(answer.body)).toMatchObject({ id, dry_run: true, changed: namesSent })
      expect(answer.body.plan).toMatchObject({ total: 1, changes: [{ records: 'clients', id, action: 'updated' }] })
      expect(answer.body.plan.changes[0]).not.toHaveProperty('fields')
    }
    const alike = ({ body: { plan, ...rest } }: TestResponse) => ({ ...rest, plan: { ...plan, hash: '' } })
    expect(alike(guessed)).toEqual(alike(missed))
  })

  test('a plan counts a record once, however many operations are about it, and none that the batch makes', async () => {
    const operations = [
      { op: 'update', records: 'clients', id, body: right },
      { op: 'update', records: 'clients', id, body: { notes: 'Twice' } },
      { op: 'create', records: 'clients', body: { name: 'New', external_ref: 'H-2' } },
      { op: 'upsert', records: 'clients', external_ref: 'H-2', body: { name: 'New' } },
    ]
    const { status, body } = await company.call('POST', '/v1/batch', {
      body: { mode: 'all', operations },
      headers: dry,
    })
    expect(status).toBe(200)
    expect(body.plan).toMatchObject({
      total: 2,
      changes: [
        { records: 'clients', id, action: 'updated' },
        { records: 'clients', id: null, action: 'created' },
      ],
    })
  })

  test('a call that keeps to a plan is told no difference either when the plan is no longer true', async () => {
    const ifPlan = { 'If-Plan': `"sha256-${'A'.repeat(43)}"` }
    const answers = [right, wrong].map((body) => company.call('PATCH', `/v1/clients/${id}`, { body, headers: ifPlan }))
    for (const { status, body } of await Promise.all(answers)) {
      expect([status, body.code]).toEqual([412, 'plan_changed'])
      expect(body.plan).toMatchObject({ total: 1, changes: [{ records: 'clients', id, action: 'updated' }] })
    }
  })

  test('what is seen goes on to be told', async () => {
    const project = await company.create('projects', { name: 'Seen' })
    const { body } = await company.call('PATCH', `/v1/projects/${project}`, { body: { name: 'Seen' }, headers: dry })
    expect(body).toMatchObject({ data: { changed: [] }, plan: { total: 0, changes: [] } })
  })

  test('as soon as the account loses the right, too', async () => {
    const all = await stage.company({ scopes: ['CLIENTS_EDIT', 'CLIENTS_VIEW'] })
    const client = await all.create('clients', right)
    const preview = async () =>
      (await all.call('PATCH', `/v1/clients/${client}`, { body: right, headers: dry })).body.data.changed
    expect(await preview()).toEqual([])
    await all.setAccount({ permissions: ['CLIENTS_EDIT', 'MONEY_VIEW'] })
    expect(await preview()).toEqual(namesSent)
  })
})

describe('A write that is done answers as ever, but for the hash in its ETag', () => {
  const emptyHash = createHash('sha256').update('').digest()
  test.each([
    {
      way: 'a create',
      ask: () => company.call('POST', '/v1/clients', { body: { name: 'Made' } }),
      data: { created: true },
    },
    {
      way: 'an update',
      ask: () => company.call('PATCH', `/v1/clients/${id}`, { body: { credit_limit_minor: 5_600, name: 'Hidden' } }),
      data: { updated: true, changed: ['credit_limit_minor'] },
    },
    {
      way: 'an update of nothing',
      ask: () => company.call('PATCH', `/v1/clients/${id}`, { body: { credit_limit_minor: 5_600, name: 'Hidden' } }),
      data: { updated: false, changed: [] },
    },
  ])('$way', async ({ ask, data }) => {
    const { headers, body } = await ask()
    expect(body.data).toMatchObject(data)
    const hash = /^"\d+-(.+)"$/.exec(headers.etag as string)?.[1] as string
    expect(Buffer.from(hash, 'base64url').equals(emptyHash.subarray(0, Buffer.from(hash, 'base64url').length))).toBe(
      true,
    )
  })

  test('If-Match takes the tag, since it compares versions alone', async () => {
    const { headers } = await company.call('PATCH', `/v1/clients/${id}`, { body: { notes: 'First' } })
    const again = { body: { notes: 'Second' }, headers: { 'If-Match': headers.etag as string } }
    expect((await company.call('PATCH', `/v1/clients/${id}`, again)).status).toBe(200)
    expect((await company.call('PATCH', `/v1/clients/${id}`, again)).status).toBe(412)
  })
})
