import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '#registry/permissions.ts'
import { setAgentsOf, useRaw } from '../agents/stage.ts'
import { type ConsoleStage, openConsole, type Person } from '../console/stage.ts'
import type { Company } from '../stage/stage.ts'

/** ETags, lengths and hashes that are kept or shown of data that the reader may not see. Decisions, Conditional requests. */

let stage: ConsoleStage
let own: Company & { person: Person }
beforeAll(async () => {
  stage = await openConsole()
  const { company, ...person } = await stage.admin()
  own = { ...company, person }
  await setAgentsOf(stage, company)
})
afterAll(() => stage.close())

const pay = 4_321
/** Hourly costs that somebody tries. */
const candidates = Array.from({ length: 2_000 }, (_, index) => 3_500 + index)

/** Returns the costs whose text has the hash of the tag, without the secret that nobody has. */
function guess(tag: string, textOf: (cost: number) => string): number[] {
  const [, version = '', hashed = ''] = /^"(?:(\d+)-)?([\w-]{22})"$/.exec(tag) ?? []
  expect(hashed).toHaveLength(22)
  const short = (text: string) => hash('sha256', text, 'base64url').slice(0, 22)
  return candidates.filter((cost) =>
    [textOf(cost), `${version}-${textOf(cost)}`, `${version}${textOf(cost)}`].some((text) => short(text) === hashed),
  )
}

/** What the log of calls shows of the last call. */
async function lastDetails() {
  await own.calls()
  const [row] = await own.person.data('/console/calls?limit=1')
  return (await own.person.data(`/console/calls/${row.id}`)).details
}

/** The text of a worker for a cost, as everybody knows it who sees the rest. */
async function textsOf(id: number): Promise<(cost: number) => string> {
  const { text } = await own.get(`/v1/workers/${id}`)
  const record = text.slice('{"data":'.length, -1)
  return (cost) => record.replace(`"hourly_cost_minor":${pay}`, `"hourly_cost_minor":${cost}`)
}

const update = (id: number) => ({ op: 'update', records: 'workers', id, body: { hourly_cost_minor: pay } })

describe('Nobody can guess a masked value from a tag [V14.2.4]', () => {
  test('that the log of calls keeps of a fetch', async () => {
    const id = await own.create('workers', { name: 'Ana', hourly_cost_minor: pay })
    await own.get(`/v1/workers/${id}?fields=hourly_cost_minor`)
    const { answer_headers, answer_body } = await lastDetails()
    expect(answer_body).toBe(`{"data":{"id":${id},"hourly_cost_minor":"[masked]"}}`)
    expect(guess(answer_headers.etag, (cost) => answer_body.slice(8, -1).replace('"[masked]"', cost))).toEqual([])
  })

  test('that the log of calls keeps of a list', async () => {
    const id = await own.create('workers', { name: 'Bea', hourly_cost_minor: pay })
    await own.get(`/v1/workers?fields=hourly_cost_minor&limit=1&after_id=${id - 1}`)
    const { answer_headers, answer_body } = await lastDetails()
    expect(answer_body).toContain('"hourly_cost_minor":"[masked]"')
    expect(guess(answer_headers.etag, (cost) => answer_body.replace('"[masked]"', cost))).toEqual([])
  })

  test('that the log of calls keeps of a write, and of the operations of a batch', async () => {
    const id = await own.create('workers', { name: 'Cid' })
    await own.call('PATCH', `/v1/workers/${id}`, { body: { hourly_cost_minor: pay } })
    const single = await lastDetails()
    expect(guess(single.answer_headers.etag, await textsOf(id))).toEqual([])
    await own.call('POST', '/v1/batch', { body: { mode: 'all', operations: [update(id)] } })
    const [operation] = JSON.parse((await lastDetails()).answer_body).data.operations
    expect(guess(operation.etag, await textsOf(id))).toEqual([])
  })

  test('that `status` gives at /mcp', async () => {
    const id = await own.create('workers', { name: 'Dan' })
    const { data } = await useRaw(stage, own, 'preview', { operations: [update(id)], why: 'asked for' })
    await useRaw(stage, own, 'apply', { preview: data.preview })
    const { data: told } = await useRaw(stage, own, 'status', { preview: data.preview })
    expect(told.state).toBe('applied')
    expect(guess(told.results[0].etag, await textsOf(id))).toEqual([])
  })
})

test('A record has one tag, whichever answer it is in and whoever makes it.', async () => {
  const keyed = { body: { name: 'Eva', hourly_cost_minor: 1 }, headers: { 'Idempotency-Key': 'tags-1' } }
  const calls = [keyed, { body: { name: 'Eva' } }, { ...keyed, headers: { Prefer: 'return=representation' } }]
  for (const call of calls) {
    const made = await own.call('POST', '/v1/workers', call)
    const path = `/v1/workers/${made.body.data.id}`
    const { etag } = made.headers
    expect((await own.get(path)).headers.etag).toBe(etag)
    expect((await own.person.get(`/console/records/workers/${made.body.data.id}`)).headers.etag).toBe(etag)
    const { body } = await own.call('POST', '/v1/batch', {
      body: { mode: 'all', operations: [{ op: 'update', records: 'workers', id: made.body.data.id, body: {} }] },
    })
    expect(body.data.operations[0].etag).toBe(etag)
    const changed = await own.call('PATCH', path, { body: { notes: 'Changed' } })
    expect(changed.headers.etag).not.toBe(etag)
    expect((await own.get(path)).headers.etag).toBe(changed.headers.etag)
    expect((await own.get(path, { 'If-None-Match': changed.headers.etag as string })).status).toBe(304)
  }
})

test('One text has another tag in another company, whose key is its own.', async () => {
  const other = await stage.company()
  const path = '/v1/clients?q=nobody-has-this-name'
  const [one, two] = [await own.get(path), await other.get(path)]
  expect(one.text).toBe(two.text)
  expect(one.headers.etag).not.toBe(two.headers.etag)
})

test('A company that an older process makes has a key like any other.', async () => {
  const keys = await stage.sql<{ tag_key: string }>(
    "insert into companies (name, currency, plan, add_ons, is_demo) select 'Older', 'USD', 'PRO', '{}', false from generate_series(1, 3) returning tag_key",
  )
  for (const { tag_key } of keys) expect(tag_key).toMatch(/^[0-9a-f]{128}$/)
  expect(new Set(keys.map(({ tag_key }) => tag_key)).size).toBe(3)
})

describe('The lengths in the log of calls', () => {
  test('of a request and an answer with something masked are the same for a short and a long value', async () => {
    const id = await own.create('workers', { name: 'Fay' })
    const lengths = async (cost: number) => {
      await own.call('PATCH', `/v1/workers/${id}`, { body: { hourly_cost_minor: cost } })
      const { request_bytes, request_state } = await lastDetails()
      await own.get(`/v1/workers/${id}?fields=hourly_cost_minor`)
      const { answer_bytes, answer_state } = await lastDetails()
      return { request_bytes, request_state, answer_bytes, answer_state }
    }
    const short = await lengths(7)
    expect(short).toEqual({ request_bytes: 64, request_state: 'masked', answer_bytes: 64, answer_state: 'masked' })
    expect(await lengths(1_234_567)).toEqual(short)
  })

  test('are exact where nothing is masked', async () => {
    await own.call('POST', '/v1/clients', { body: { name: 'Whole' } })
    expect(await lastDetails()).toMatchObject({ request_bytes: 16, request_state: 'whole' })
  })
})

test('The hash and the length of an imported file are shown to its author alone.', async () => {
  const other = await stage.person(own)
  const body = { file_name: 'pay.csv', fingerprint: '12-abc-def', settings: { match: null }, rows: 1 }
  expect((await own.person.ask('POST', '/console/imports/workers', body)).status).toBe(201)
  const seen = async (person: Person) => (await person.data('/console/imports/workers?fingerprint=12-abc-def'))[0]
  expect(await seen(own.person)).toMatchObject({ own: true, fingerprint: '12-abc-def' })
  expect(await seen(other)).toMatchObject({ own: false, fingerprint: null })
})

test('Whether a file is the very same is answered to its author, and to those who see every field of its records.', async () => {
  const fingerprint = '34-abc-def'
  const body = { file_name: 'pay.csv', fingerprint, settings: { match: null }, rows: 1 }
  expect((await own.person.ask('POST', '/console/imports/workers', body)).status).toBe(201)
  const withoutPay = permissions.filter((one) => one !== 'PAY_VIEW')
  const isSame = async (person: Person, asked = fingerprint) =>
    (await person.data(`/console/imports/workers?fingerprint=${asked}`))[0].same_file
  expect(await isSame(own.person)).toBe(true)
  expect(await isSame(await stage.person(own, permissions))).toBe(true)
  expect(await isSame(await stage.person(own, withoutPay))).toBe(false)
  expect(await isSame(own.person, 'other')).toBe(false)
})
