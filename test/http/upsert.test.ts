import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../stage/http.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

const at = (ref: string, resource = 'clients') => `/v1/${resource}/by/external_ref/${encodeURIComponent(ref)}`
const put = (own: Company, ref: string, body: unknown, headers: Record<string, string> = {}) =>
  own.call('PUT', at(ref), { body, headers })

describe('PUT by external_ref', () => {
  test('creates with 201, then merges with 200', async () => {
    const made = await put(company, 'CRM-1', { name: 'Made', notes: 'kept' })
    expect(made).toMatchObject({
      status: 201,
      body: { data: { created: true, updated: false, dry_run: false, changed: [] } },
    })
    const { id } = made.body.data
    expect(made.headers.location).toBe(`/v1/clients/${id}`)
    const merged = await put(company, 'CRM-1', { name: 'Merged' })
    expect(merged).toMatchObject({
      status: 200,
      body: { data: { id, created: false, updated: true, changed: ['name'] } },
    })
    expect((await company.get(`/v1/clients/${id}`)).body.data).toMatchObject({
      name: 'Merged',
      notes: 'kept',
      external_ref: 'CRM-1',
    })
    expect((await put(company, 'CRM-1', { name: 'Merged' })).body.data).toMatchObject({ updated: false, changed: [] })
    const calls = await company.calls()
    expect(calls.filter(({ route }) => route.endsWith('.upsert')).map(({ record_id }) => record_id)).toEqual([
      id,
      id,
      id,
    ])
  })

  test('A-1 and a-1 are one reference; the spelling that the body sends is kept', async () => {
    const { body } = await put(company, 'Ab-1', { name: 'One' })
    expect((await put(company, ' aB-1 ', { name: 'Two' })).body.data).toMatchObject({
      id: body.data.id,
      changed: ['name'],
    })
    expect((await company.get(at('AB-1'))).body.data.external_ref).toBe('Ab-1')
    expect((await put(company, 'ab-1', { external_ref: 'AB-1' })).body.data.changed).toEqual(['external_ref'])
  })

  test('a deleted record does not count', async () => {
    const first = await put(company, 'again', { name: 'First' })
    expect((await company.call('DELETE', at('AGAIN'))).body.data).toMatchObject({
      id: first.body.data.id,
      deleted: true,
    })
    expect((await company.get(at('again'))).status).toBe(404)
    const second = await put(company, 'again', { name: 'Second' })
    expect(second.status).toBe(201)
    expect(second.body.data.id).not.toBe(first.body.data.id)
  })

  test('a record of another company does not count', async () => {
    await put(company, 'theirs', { name: 'A' })
    const other = await stage.company()
    expect((await other.get(at('theirs'))).status).toBe(404)
    expect((await other.call('DELETE', at('theirs'))).status).toBe(404)
    expect((await put(other, 'theirs', { name: 'B' })).status).toBe(201)
  })

  const conditions: { headers: Record<string, string>; there: number; missing: number }[] = [
    { headers: { 'If-None-Match': '*' }, there: 412, missing: 201 },
    { headers: { 'If-Match': '*' }, there: 200, missing: 412 },
    { headers: { 'If-Match': '"9-aaaaaaaaaaaaaaaaaaaaaa"' }, there: 412, missing: 412 },
    { headers: { 'If-None-Match': '"9-aaaaaaaaaaaaaaaaaaaaaa"' }, there: 200, missing: 201 },
  ]
  test.each(conditions)(
    '$headers: $there where it is there, $missing where not',
    async ({ headers, there, missing }) => {
      const own = await stage.company()
      await put(own, 'there', { name: 'There' })
      expect((await put(own, 'there', { name: 'X' }, headers)).status).toBe(there)
      expect((await put(own, 'missing', { name: 'X' }, headers)).status).toBe(missing)
    },
  )

  test('its ETag in If-Match lets it pass', async () => {
    const { headers } = await put(company, 'tagged', { name: 'T' })
    expect((await put(company, 'tagged', { name: 'U' }, { 'If-Match': headers.etag as string })).status).toBe(200)
  })

  test('a conflict on another unique field is a 422, not a merge', async () => {
    await company.create('projects', { name: 'P', code: 'TAKEN' })
    const answer = await company.call('PUT', at('P-1', 'projects'), { body: { name: 'Q', code: 'taken' } })
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: 'code', code: 'not_unique' }] } })
    expect((await company.get(at('P-1', 'projects'))).status).toBe(404)
  })

  test('a dry-run says which of the two it would do, and does neither', async () => {
    const dry = { 'X-Dry-Run': '1' }
    const making = await put(company, 'dry', { name: 'D' }, dry)
    expect(making).toMatchObject({
      status: 200,
      body: { data: { id: null, created: false }, plan: { changes: [{ action: 'created' }] } },
    })
    expect((await company.get(at('dry'))).status).toBe(404)
    const { id } = (await put(company, 'dry', { name: 'D' }, { 'If-Plan': `"${making.body.plan.hash}"` })).body.data
    const changing = await put(company, 'dry', { name: 'E' }, dry)
    expect(changing.body).toMatchObject({
      data: { id, updated: false, changed: ['name'] },
      plan: { changes: [{ id, action: 'updated' }] },
    })
    expect((await put(company, 'dry', { name: 'D' }, { 'If-Plan': `"${making.body.plan.hash}"` })).body.code).toBe(
      'plan_changed',
    )
  })

  test('is replayed under its key', async () => {
    const headers = { 'Idempotency-Key': 'put-once' }
    const [one, two] = [
      await put(company, 'keyed', { name: 'K' }, headers),
      await put(company, 'keyed', { name: 'K' }, headers),
    ]
    expect([two.status, two.text, two.headers.location]).toEqual([201, one.text, one.headers.location])
  })
})

describe('What is no reference', () => {
  const bad: { why: string; path: string; status: number }[] = [
    { why: 'too long', path: at('x'.repeat(121)), status: 422 },
    { why: 'only blanks', path: at('   '), status: 422 },
    { why: 'a NUL character', path: at('a\0b'), status: 422 },
    { why: 'very long', path: at('ü'.repeat(2000)), status: 422 },
    { why: 'empty', path: '/v1/clients/by/external_ref/', status: 404 },
    { why: 'another field', path: '/v1/clients/by/name/x', status: 404 },
  ]
  test.each(bad)('$why', async ({ path, status }) => {
    expect((await company.call('PUT', path, { body: { name: 'X' } })).status).toBe(status)
    expect((await company.get(path)).status).toBe(404)
    expect((await company.call('DELETE', path)).status).toBe(404)
  })

  test('no UTF-8, which is no path at all', async () => {
    const path = '/v1/clients/by/external_ref/%E0%A4'
    for (const method of ['PUT', 'GET', 'DELETE']) expect((await send(stage.url, { method, path })).status).toBe(404)
  })

  const odd = ['a/b', 'a?b#c', '%41', '..', "'; drop table clients", 'ÄÖ 東京 😀', 'x'.repeat(120), '😀'.repeat(120)]
  test.each(odd)('%s is one', async (ref) => {
    const own = await stage.company()
    const { body } = await put(own, ref, { name: 'Odd' })
    expect((await own.get(at(ref))).body.data).toMatchObject({ id: body.data.id, external_ref: ref })
  })

  const bodies: { why: string; body: unknown; field: string }[] = [
    { why: 'another reference', body: { name: 'X', external_ref: 'other' }, field: 'external_ref' },
    { why: 'null for it', body: { name: 'X', external_ref: null }, field: 'external_ref' },
    { why: 'a number for it', body: { name: 'X', external_ref: 1 }, field: 'external_ref' },
    { why: 'a list', body: [], field: '' },
    { why: 'nothing of what a new record needs', body: {}, field: 'name' },
  ]
  test.each(bodies)('a body with $why is refused', async ({ body, field }) => {
    const answer = await put(company, 'refused', body)
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field }] } })
    expect((await company.get(at('refused'))).status).toBe(404)
  })
})

describe('At the same moment', () => {
  test('of twenty upserts one creates and the others merge', async () => {
    const own = await stage.company()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => put(own, 'race', { name: `N${n}` })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201])
    expect((await own.get('/v1/clients')).body.meta.total).toBe(1)
  })

  test('upserts, single creates and deletes leave one record at most, and no answer is a 500 or a doubled record', async () => {
    const own = await stage.company()
    for (let round = 0; round < 5; round++) {
      const ref = `r${round}`
      const answers = await Promise.all([
        ...Array.from({ length: 6 }, () => put(own, ref, { name: 'U' })),
        ...Array.from({ length: 3 }, () => own.call('POST', '/v1/clients', { body: { name: 'S', external_ref: ref } })),
        own.call('DELETE', at(ref)),
      ])
      for (const { status, text } of answers) expect([200, 201, 404, 422, 409], text).toContain(status)
      const [row] = await stage.sql<{ live: number }>(
        'select count(*)::int as live from clients where company_id = $1 and external_ref = $2 and deleted_at is null',
        own.id,
        ref,
      )
      expect(row?.live).toBeLessThanOrEqual(1)
    }
  })

  test('a single create that is under way is waited for, and then merged into', async () => {
    const own = await stage.company()
    const merged = await stage.inTransaction(async (transaction) => {
      await transaction.run({
        text: `insert into clients (company_id, name, status, external_ref) select $1, 'Single', status, 'busy' from (values ('ACTIVE')) v (status)`,
        values: [own.id],
      })
      const call = put(own, 'busy', { name: 'Upserted' })
      await new Promise((resolve) => setTimeout(resolve, 100))
      return { call }
    })
    expect((await merged.call).body).toMatchObject({ data: { created: false, changed: ['name'] } })
  })
})
