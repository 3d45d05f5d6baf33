import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registry } from '#registry/resources/index.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

const prefer = { Prefer: 'return=representation' }
const applied = { 'preference-applied': 'return=representation' }
const served = registry.filter((definition) => definition.served)

describe.each(served)('Prefer: return=representation on $name', ({ name, title }) => {
  const call = (method: string, path: string, body: object, headers: object = prefer) =>
    company.call(method, `/v1/${name}${path}`, { body, headers: { ...headers } })

  test('a create, an update and an upsert show the record as a fetch does', async () => {
    const created = await call('POST', '', { [title]: 'Preferred' })
    const { id } = created.body.data
    const fetched = async () => (await company.get(`/v1/${name}/${id}`)).body.data
    expect(created.status).toBe(201)
    expect(created.headers).toMatchObject(applied)
    expect(created.body).toEqual({ data: { id, created: true, dry_run: false }, record: await fetched() })

    const updated = await call('PATCH', `/${id}`, { external_ref: `P-${name}` })
    expect(updated.headers).toMatchObject(applied)
    expect(updated.body.record).toEqual(await fetched())
    expect(updated.body.record.external_ref).toBe(`P-${name}`)

    const upserted = await call('PUT', `/by/external_ref/P-${name}`, { notes: 'By reference' })
    expect(upserted.body.record).toEqual(await fetched())
    const other = await call('PUT', `/by/external_ref/Q-${name}`, { [title]: 'Made by it' })
    expect([other.status, other.body.record.external_ref]).toEqual([201, `Q-${name}`])
  })

  test('also where nothing changed', async () => {
    const id = await company.create(name, { [title]: 'Same', external_ref: `S-${name}` })
    for (const [method, path] of [
      ['PATCH', `/${id}`],
      ['PUT', `/by/external_ref/S-${name}`],
    ] as const) {
      const { headers, body } = await call(method, path, { [title]: 'Same' })
      expect(headers).toMatchObject(applied)
      expect(body.data.updated).toBe(false)
      expect(body.record).toEqual((await company.get(`/v1/${name}/${id}`)).body.data)
    }
  })
})

const spelt: { prefer: string; isApplied: boolean }[] = [
  { prefer: 'return=representation', isApplied: true },
  { prefer: 'RETURN = "representation"', isApplied: true },
  { prefer: 'respond-async, wait=10, return=representation; a=b', isApplied: true },
  { prefer: 'return=minimal', isApplied: false },
  { prefer: 'return=minimal, return=representation', isApplied: false },
  { prefer: 'handling=strict', isApplied: false },
  { prefer: '"', isApplied: false },
]
test.each(spelt)('Prefer: $prefer', async ({ prefer, isApplied }) => {
  const { status, headers, body } = await company.call('POST', '/v1/projects', {
    body: { name: 'Spelt' },
    headers: { Prefer: prefer },
  })
  expect(status).toBe(201)
  expect({ header: 'preference-applied' in headers, record: 'record' in body }).toEqual({
    header: isApplied,
    record: isApplied,
  })
})

describe('Not applied, and then without the header', () => {
  const isPlain = ({ headers, body }: { headers: object; body: object }) => {
    expect(headers).not.toHaveProperty('preference-applied')
    expect(body).not.toHaveProperty('record')
  }
  const post = (by: Company, headers: { [name: string]: string }) =>
    by.call('POST', '/v1/projects', { body: { name: 'Plain' }, headers: { ...prefer, ...headers } })

  test('for a token without the right to read the record', async () => {
    const writer = await stage.company({ scopes: ['PROJECTS_EDIT', 'CLIENTS_VIEW'] })
    const answer = await post(writer, {})
    expect(answer.status).toBe(201)
    isPlain(answer)
  })

  test('for a token whose account has lost that right', async () => {
    const writer = await stage.company({ scopes: ['PROJECTS_EDIT', 'PROJECTS_VIEW'] })
    expect((await post(writer, {})).body).toHaveProperty('record')
    await writer.setAccount({ permissions: ['PROJECTS_EDIT'] })
    isPlain(await post(writer, {}))
  })

  test('to a dry-run', async () => {
    const answer = await post(company, { 'X-Dry-Run': '1' })
    expect(answer.body.data.dry_run).toBe(true)
    isPlain(answer)
  })

  test('to a replay, whose stored answer has no record; Prefer is no part of what a key is compared by', async () => {
    const key = { 'Idempotency-Key': 'preferred-once' }
    const first = await post(company, key)
    expect(first.body).toHaveProperty('record')
    const again = await post(company, key)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.body.data).toEqual(first.body.data)
    isPlain(again)
    const without = await company.call('POST', '/v1/projects', { body: { name: 'Plain' }, headers: key })
    expect(without.text).toBe(again.text)
  })

  test('to a delete and to a batch', async () => {
    const id = await company.create('projects', { name: 'Gone' })
    isPlain(await company.call('DELETE', `/v1/projects/${id}`, { headers: prefer }))
    const operations = [{ op: 'create', records: 'projects', body: { name: 'Of a batch' } }]
    const batch = await company.call('POST', '/v1/batch', { body: { mode: 'all', operations }, headers: prefer })
    expect(batch.status).toBe(200)
    isPlain(batch)
  })

  test('to a refusal', async () => {
    isPlain(await company.call('POST', '/v1/projects', { body: {}, headers: prefer }))
  })
})
