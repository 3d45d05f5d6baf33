import { readFileSync } from 'node:fs'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fingerprintOf } from '#server/pipeline/claim-key.ts'
import { readJson } from '#server/protocol/body.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

const key = () => crypto.randomUUID()
const keyed = (value: string) => ({ 'Idempotency-Key': value })

describe('A retry with the same key and the same body replays the original result', () => {
  test('of a create: the same status, body, Location and ETag, marked, and one record', async () => {
    const headers = keyed(key())
    const body = { name: `Replayed ${key()}` }
    const first = await company.call('POST', '/v1/clients', { body, headers })
    const second = await company.call('POST', '/v1/clients', { body, headers })
    expect(first.status).toBe(201)
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(second.headers['idempotency-replayed']).toBe('true')
    for (const name of ['location', 'etag', 'x-write-id', 'content-type'])
      expect(second.headers[name]).toBe(first.headers[name])
    expect([second.status, second.text]).toEqual([first.status, first.text])
    expect((await company.get(`/v1/clients?q=${encodeURIComponent(body.name)}`)).body.meta.total).toBe(1)
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    expect(second.headers['idempotency-original-request-id']).toBe(first.headers['x-request-id'])
  })

  test('of an update, also after the record changed again', async () => {
    const id = await company.create('clients', { name: 'Before' })
    const headers = keyed(key())
    const first = await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Once' }, headers })
    await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Since' } })
    const second = await company.call('PATCH', `/v1/clients/${id}`, { body: { name: 'Once' }, headers })
    expect([second.status, second.text, second.headers.etag]).toEqual([first.status, first.text, first.headers.etag])
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect((await company.get(`/v1/clients/${id}`)).body.data.name).toBe('Since')
  })

  test('of a delete: its stored success, not 404', async () => {
    const id = await company.create('clients', { name: 'Gone' })
    const headers = keyed(key())
    const first = await company.call('DELETE', `/v1/clients/${id}`, { headers })
    const second = await company.call('DELETE', `/v1/clients/${id}`, { headers })
    expect([second.status, second.text]).toEqual([200, first.text])
    expect((await company.call('DELETE', `/v1/clients/${id}`)).status).toBe(404)
  })

  test('white space and the order of members do not make it another body', async () => {
    const headers = keyed(key())
    const first = await company.call('POST', '/v1/clients', { raw: '{"name":"Same","notes":"n"}', headers })
    const second = await company.call('POST', '/v1/clients', { raw: ' { "notes" : "n",\n"name":"Same" } ', headers })
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.text).toBe(first.text)
  })

  test('after a rotation of the token too: the scope of a key is the company', async () => {
    const own = await stage.company()
    const headers = keyed(key())
    const body = { name: 'Across' }
    const first = await own.call('POST', '/v1/clients', { body, headers })
    const token = await own.rotate()
    const second = await own.call('POST', '/v1/clients', { body, headers, token })
    expect(second.text).toBe(first.text)
  })

  test('two companies can use the same key', async () => {
    const [one, other] = [await stage.company(), await stage.company()]
    const headers = keyed('invoice-run-1')
    const first = await one.call('POST', '/v1/clients', { body: { name: 'A' }, headers })
    const second = await other.call('POST', '/v1/clients', { body: { name: 'B' }, headers })
    expect(second.status).toBe(201)
    expect(second.headers['idempotency-replayed']).toBeUndefined()
    expect(second.body.data.id).not.toBe(first.body.data.id)
  })
})

describe('A refusal of an operation that ran is stored too', () => {
  const rows: {
    why: string
    prepare: (own: Company) => Promise<[string, string, unknown?]>
    code: string
  }[] = [
    { why: 'not_found', prepare: async () => ['PATCH', '/v1/clients/999999999', { name: 'X' }], code: 'not_found' },
    {
      why: 'delete_blocked',
      prepare: async (own) => {
        const id = await own.create('clients', { name: 'A' })
        await own.create('projects', { name: 'P', client_id: id })
        return ['DELETE', `/v1/clients/${id}`]
      },
      code: 'delete_blocked',
    },
  ]
  test.each(rows)('$why', async ({ prepare, code }) => {
    const own = await stage.company()
    const [method, path, body] = await prepare(own)
    const options = { ...(body === undefined ? {} : { body }), headers: keyed(key()) }
    const first = await own.call(method, path, options)
    const second = await own.call(method, path, options)
    expect(first.body.code).toBe(code)
    expect([second.status, second.text]).toEqual([first.status, first.text])
    expect(second.headers['idempotency-replayed']).toBe('true')
    // The body is the first one's; the header says whose it is.
    expect(second.body.request_id).not.toBe(second.headers['x-request-id'])
    expect(second.headers['idempotency-original-request-id']).toBe(second.body.request_id)
    expect(first.headers['idempotency-original-request-id']).toBeUndefined()
  })

  test('plan_limit_reached, even when a place is free by then', async () => {
    const own = await stage.company({ plan: 'STARTER' })
    const ids = []
    for (let count = 0; count < 25; count++) ids.push(await own.create('projects', { name: `P${count}` }))
    const options = { body: { name: 'One more' }, headers: keyed(key()) }
    const first = await own.call('POST', '/v1/projects', options)
    expect(first).toMatchObject({ status: 402, body: { code: 'plan_limit_reached', limit: 25, used: 25 } })
    await own.call('DELETE', `/v1/projects/${ids[0]}`)
    const second = await own.call('POST', '/v1/projects', options)
    expect(second.text).toBe(first.text)
    expect((await own.call('POST', '/v1/projects', { body: { name: 'One more' } })).status).toBe(201)
  })
})

test('A failed condition leaves the key free, so that its own advice can be followed', async () => {
  const created = await company.call('POST', '/v1/clients', { body: { name: 'Conditional' } })
  const path = `/v1/clients/${created.body.data.id}`
  const known = key()
  const patch = (tag: string | undefined) =>
    company.call('PATCH', path, { body: { notes: 'n' }, headers: { ...keyed(known), 'If-Match': tag ?? '' } })
  const changed = await company.call('PATCH', path, { body: { name: 'Since' } })
  expect((await patch(created.headers.etag)).body.code).toBe('precondition_failed')
  const done = await patch(changed.headers.etag)
  expect([done.status, done.body.data.changed]).toEqual([200, ['notes']])
  expect(done.headers['idempotency-replayed']).toBeUndefined()
  // If-Match is no part of what the key belongs to.
  for (const tag of [created.headers.etag, changed.headers.etag, '*']) {
    const again = await patch(tag)
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([200, done.text, 'true'])
  }
})

describe('A call that was made before an upgrade replays after it', () => {
  const goldens: { method: string; path: string; body: string; fingerprint: string }[] = JSON.parse(
    readFileSync(new URL('../goldens/fingerprints.json', import.meta.url), 'utf8'),
  )
  test.each(goldens)('the fingerprint of $method $path $body stays', ({ method, path, body, fingerprint }) => {
    const call = { route: { method: method as 'POST' }, path }
    expect(fingerprintOf(call, { body: readJson(body) }).toString('hex')).toBe(fingerprint)
  })

  test('with the bytes that were stored then, and without the name of its first request, which was not', async () => {
    const [{ method, path, body, fingerprint }] = goldens as [(typeof goldens)[0]]
    await stage.sql(
      `insert into answers (company_id, key, fingerprint, status, body, location, etag)
        values ($1, 'before', decode($2, 'hex'), 201, $3, '/v1/clients/77', '"1-aaaaaaaaaaaaaaaaaaaaaa"')`,
      company.id,
      fingerprint,
      '{"data":{"id":77,"created":true,"dry_run":false}}',
    )
    const answer = await company.call(method, path, { raw: body, headers: keyed('before') })
    expect(answer).toMatchObject({ status: 201, body: { data: { id: 77 } } })
    expect(answer.headers['idempotency-replayed']).toBe('true')
    expect(answer.headers['idempotency-original-request-id']).toBeUndefined()
  })

  test('and by whichever spelling of its path (RFC 3986 6.2.2.2)', async () => {
    const headers = keyed(key())
    const first = await company.call('POST', '/v1/clients', { body: { name: 'Spelt' }, headers })
    const second = await company.call('POST', '/v1/cl%69ent%73', { body: { name: 'Spelt' }, headers })
    expect([second.status, second.text]).toEqual([201, first.text])
  })

  test('the canonical spelling is that of RFC 8785 3.2.3: members in the order of their UTF-16 units', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 }
    expect(canonicalize(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}')
  })

  test('it tells all values apart and none that are the same', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value)
        expect(canonicalize(JSON.parse(canonicalize(JSON.parse(text)) as string))).toBe(canonicalize(JSON.parse(text)))
        expect(JSON.parse(canonicalize(JSON.parse(text)) as string)).toEqual(JSON.parse(text))
      }),
    )
  })
})

describe('What is refused before the operation leaves the key free', () => {
  const rows: {
    why: string
    call: (own: Company, headers: Record<string, string>) => Promise<{ status: number }>
    status: number
  }[] = [
    {
      why: 'a body that is not JSON',
      call: (own, headers) => own.call('POST', '/v1/clients', { raw: '{', headers }),
      status: 400,
    },
    {
      why: 'a field that is not acceptable',
      call: (own, headers) => own.call('POST', '/v1/clients', { body: { name: 1 }, headers }),
      status: 422,
    },
    {
      why: 'an unknown parameter',
      call: (own, headers) => own.call('POST', '/v1/clients?x=1', { body: { name: 'A' }, headers }),
      status: 400,
    },
    {
      why: 'another media type',
      call: (own, headers) =>
        own.call('POST', '/v1/clients', { raw: 'x', headers: { ...headers, 'Content-Type': 'text/plain' } }),
      status: 415,
    },
    {
      why: 'no token',
      call: (own, headers) => own.call('POST', '/v1/clients', { body: { name: 'A' }, headers, token: null }),
      status: 401,
    },
  ]
  test.each(rows)('$why', async ({ call, status }) => {
    const headers = keyed(key())
    expect((await call(company, headers)).status).toBe(status)
    const real = await company.call('POST', '/v1/clients', { body: { name: 'After all' }, headers })
    expect(real.status).toBe(201)
    expect(real.headers['idempotency-replayed']).toBeUndefined()
  })

  test('a dry-run never reads, claims or stores a key: preview first, then the real call with the same key', async () => {
    const headers = keyed(key())
    const body = { name: 'Previewed' }
    const preview = await company.call('POST', '/v1/clients?dry_run=1', { body, headers })
    expect(preview.body.data).toEqual({ id: null, created: false, dry_run: true })
    const real = await company.call('POST', '/v1/clients', { body, headers })
    expect(real.status).toBe(201)
    const again = await company.call('POST', '/v1/clients?dry_run=1', { body: { name: 'Another' }, headers })
    expect(again.status).toBe(200)
  })
})

describe('A key belongs to one method, path and body', () => {
  const rows = [
    { why: 'another body', method: 'POST', path: '/v1/clients', body: { name: 'Other' } },
    { why: 'another path', method: 'POST', path: '/v1/workers', body: { name: 'Bound' } },
    { why: 'another method', method: 'PATCH', path: '/v1/clients/1', body: { name: 'Bound' } },
  ]
  test.each(rows)('$why gets 409 idempotency_key_reuse', async ({ method, path, body }) => {
    const headers = keyed(key())
    await company.call('POST', '/v1/clients', { body: { name: 'Bound' }, headers })
    const reused = await company.call(method, path, { body, headers })
    expect(reused).toMatchObject({ status: 409, body: { code: 'idempotency_key_reuse' } })
  })
})

describe('The key is 1 to 255 visible ASCII characters, sent once', () => {
  const rows: { why: string; keys: string[]; status: number }[] = [
    { why: 'one character', keys: ['a'], status: 201 },
    { why: '255 characters', keys: ['k'.repeat(255)], status: 201 },
    { why: '256 characters', keys: ['k'.repeat(256)], status: 400 },
    { why: 'empty', keys: [''], status: 400 },
    { why: 'a blank inside', keys: ['a b'], status: 400 },
    { why: 'a letter beyond ASCII', keys: ['clé'], status: 400 },
    { why: 'twice', keys: ['one', 'two'], status: 400 },
    { why: 'twice the same', keys: ['one', 'one'], status: 400 },
  ]
  test.each(rows)('$why: $status', async ({ keys, status }) => {
    const own = await stage.company()
    const answer = await stage.send({
      method: 'POST',
      path: '/v1/clients',
      headers: [
        ['Authorization', `Bearer ${own.token}`],
        ['Content-Type', 'application/json'],
        ...keys.map((value): [string, string] => ['Idempotency-Key', value]),
      ],
      body: '{"name":"X"}',
    })
    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.body.code).toBe('invalid_idempotency_key')
  })

  test('quotes are part of it', async () => {
    const body = { name: 'Quoted' }
    const plain = await company.call('POST', '/v1/clients', { body, headers: keyed('quoted-key') })
    const quoted = await company.call('POST', '/v1/clients', { body, headers: keyed('"quoted-key"') })
    expect(quoted.status).toBe(201)
    expect(quoted.body.data.id).not.toBe(plain.body.data.id)
  })

  test('on a read it is ignored', async () => {
    expect((await company.get('/v1/clients', keyed('not valid at all'))).status).toBe(200)
  })
})

describe('Time', () => {
  test('a replay lasts 24 hours from completion; after that the key is new', async () => {
    const headers = keyed(key())
    const body = { name: 'Timely' }
    const first = await company.call('POST', '/v1/clients', { body, headers })
    const age = (hours: string) =>
      stage.sql(
        'update answers set completed_at = now() - $3::interval where company_id = $1 and key = $2',
        company.id,
        headers['Idempotency-Key'],
        hours,
      )
    await age('23 hours 59 minutes')
    expect((await company.call('POST', '/v1/clients', { body, headers })).text).toBe(first.text)
    await age('24 hours 1 second')
    const fresh = await company.call('POST', '/v1/clients', { body, headers })
    expect(fresh.status).toBe(201)
    expect(fresh.body.data.id).not.toBe(first.body.data.id)
    expect((await company.call('POST', '/v1/clients', { body, headers })).text).toBe(fresh.text)
  })

  test('a duplicate of a request that still runs gets 409 idempotency_in_progress with Retry-After', async () => {
    const own = await stage.company({ plan: 'PRO' })
    const headers = keyed(key())
    const body = { name: 'Slow' }
    let slow: Promise<unknown> | undefined
    await stage.inTransaction(async (transaction) => {
      // Anyone who creates a project needs the plan; held here, the request stays in flight.
      await transaction.run({ text: 'select 1 from companies where id = $1 for no key update', values: [own.id] })
      slow = own.call('POST', '/v1/projects', { body, headers })
      await eventually(async () => {
        expect(await stage.waiting()).toBe(1)
      })
      const duplicate = await own.call('POST', '/v1/projects', { body, headers })
      expect(duplicate).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } })
      expect(duplicate.headers['retry-after']).toBe('1')
    })
    expect(await slow).toMatchObject({ status: 201 })
    expect((await own.call('POST', '/v1/projects', { body, headers })).headers['idempotency-replayed']).toBe('true')
  })
})

describe('Authorization runs before replay', () => {
  test('a replay is refused when the token, the scope or the add-on is gone', async () => {
    const own = await stage.company()
    const options = { body: { title: 'Offer' }, headers: keyed(key()) }
    await own.call('POST', '/v1/estimates', options)
    await own.set({ addOns: ['api'] })
    expect((await own.call('POST', '/v1/estimates', options)).body.code).toBe('feature_off')
    await own.setAccount({ permissions: [] })
    expect((await own.call('POST', '/v1/estimates', options)).body.code).toBe('insufficient_scope')
    await own.allow(['10.0.0.0/8'])
    expect((await own.call('POST', '/v1/estimates', options)).body.code).toBe('ip_not_allowed')
    await own.revoke()
    expect((await own.call('POST', '/v1/estimates', options)).body.code).toBe('unauthorized')
  })
})

test('Fifty concurrent requests with one key have one effect; the others get 409 or the identical replay [V2.3.4]', async () => {
  const own = await stage.company()
  const options = { body: { name: 'Only one' }, headers: keyed(key()) }
  const answers = await Promise.all(Array.from({ length: 50 }, () => own.call('POST', '/v1/clients', options)))
  const created = answers.filter(({ status }) => status === 201)
  const busy = answers.filter(({ status }) => status === 409)
  expect(created.length + busy.length).toBe(50)
  expect(new Set(created.map(({ text }) => text)).size).toBe(1)
  expect(created.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
  expect(busy.every(({ body }) => body.code === 'idempotency_in_progress')).toBe(true)
  expect((await own.get('/v1/clients')).body.meta.total).toBe(1)
})

test('An idempotent retry that failed its first time because of its fields can be repaired under the same key', async () => {
  const headers = keyed(key())
  const refused = await company.call('POST', '/v1/clients', { body: { name: '' }, headers })
  expect(refused.body.code).toBe('validation_failed')
  expect((await company.call('POST', '/v1/clients', { body: { name: 'Repaired' }, headers })).status).toBe(201)
})
