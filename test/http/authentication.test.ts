import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataRoutesOf } from '#derive/routes.ts'
import { registry } from '#registry/resources/index.ts'
import { createToken } from '#server/service/token-text.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

const flipped = (token: string) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')

describe('A missing, unknown or revoked token gets 401 with a challenge of RFC 6750, and always the same body', () => {
  const rows: { why: string; authorization: (token: string) => string | undefined; shown?: false }[] = [
    { why: 'no header', authorization: () => undefined, shown: false },
    { why: 'an empty header', authorization: () => '', shown: false },
    { why: 'the scheme alone', authorization: () => 'Bearer', shown: false },
    { why: 'another scheme', authorization: (token) => `Basic ${token}`, shown: false },
    { why: 'a token with a typing error', authorization: (token) => `Bearer ${flipped(token)}` },
    { why: 'a token with another prefix', authorization: (token) => `Bearer ${token.replace('plumb', 'other')}` },
    { why: 'a token in capitals', authorization: (token) => `Bearer ${token.toUpperCase()}` },
    { why: 'two tokens in one header', authorization: (token) => `Bearer ${token} ${token}` },
    {
      why: 'a well-formed token of this company that was never issued',
      authorization: () => `Bearer ${createToken(company.id)}`,
    },
    {
      why: 'a well-formed token of a company that does not exist',
      authorization: () => `Bearer ${createToken(2 ** 48 - 1)}`,
    },
  ]
  test.each(rows)('$why', async ({ authorization, shown = true }) => {
    const value = authorization(company.token)
    for (const [method, path] of [
      ['GET', '/v1/projects'],
      ['GET', '/v1/projects?q=wall&status=ACTIVE'],
      ['GET', '/v1/projects?q=wall&offset=90000'],
      ['GET', '/v1/projects/1'],
      ['POST', '/v1/projects'],
      ['DELETE', '/v1/projects/1'],
    ] as const) {
      const headers: [string, string][] = value === undefined ? [] : [['Authorization', value]]
      const answer = await stage.send({ method, path, headers })
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toBe(shown ? 'Bearer error="invalid_token"' : 'Bearer')
      expect({ ...answer.body, request_id: '' }).toEqual({
        type: '/docs/errors#unauthorized',
        title: 'No valid token',
        status: 401,
        detail: 'Send "Authorization: Bearer <token>" with the active token from Settings, API.',
        code: 'unauthorized',
        request_id: '',
      })
    }
  })

  test('a token in the query is not looked at [V14.2.1]', async () => {
    const answer = await stage.send({ method: 'GET', path: `/v1/projects?token=${company.token}` })
    expect(answer.body.code).toBe('unauthorized')
  })
})

test.each(['bearer', 'BEARER', 'bEaReR'])('the scheme may be written %s', async (scheme) => {
  const answer = await stage.send({
    method: 'GET',
    path: '/v1/projects',
    headers: [['Authorization', `${scheme} ${company.token}`]],
  })
  expect(answer.status).toBe(200)
})

test('two Authorization headers are refused, even two alike', async () => {
  const header: [string, string] = ['Authorization', `Bearer ${company.token}`]
  const answer = await stage.send({ method: 'GET', path: '/v1/projects', headers: [header, header] })
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_header' } })
})

test('the token format is <prefix>_live_<hex>', () => {
  expect(company.token).toMatch(/^plumb_live_[0-9a-f]{72}$/)
})

describe('The very next request after a change sees it', () => {
  test('rotation mints a new key with the same scopes, label and allowlist, and stops the old one', async () => {
    const own = await stage.company({ scopes: ['CLIENTS_VIEW'], allowlist: ['127.0.0.0/8'] })
    const before = await stage.sql('select label, scopes, allowlist::text from tokens where company_id = $1', own.id)
    const next = await own.rotate()
    const old = await own.get('/v1/clients')
    expect(old.body.code).toBe('unauthorized')
    expect((await own.call('GET', '/v1/clients', { token: next })).status).toBe(200)
    const after = await stage.sql(
      'select label, scopes, allowlist::text from tokens where company_id = $1 and revoked_at is null',
      own.id,
    )
    expect(after).toEqual(before)
  })

  test('revocation disables API access until a new token is issued', async () => {
    const own = await stage.company()
    expect((await own.get('/v1/clients')).status).toBe(200)
    await own.revoke()
    expect((await own.get('/v1/clients')).body.code).toBe('unauthorized')
    expect((await own.call('POST', '/v1/clients', { body: { name: 'X' } })).body.code).toBe('unauthorized')
  })

  test('a disabled account has no working token, and has one again when it is enabled', async () => {
    const own = await stage.company()
    await own.setAccount({ disabled: true })
    expect((await own.get('/v1/clients')).body.code).toBe('unauthorized')
    await own.setAccount({ disabled: false })
    expect((await own.get('/v1/clients')).status).toBe(200)
  })

  test('a permission that the account lost is refused with 403 insufficient_scope, which names the scope', async () => {
    const own = await stage.company()
    await own.setAccount({ permissions: ['CLIENTS_VIEW'] })
    expect((await own.get('/v1/clients')).status).toBe(200)
    expect(await own.get('/v1/projects')).toMatchObject({
      status: 403,
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="PROJECTS_VIEW"' },
      body: { code: 'insufficient_scope', required_scope: 'PROJECTS_VIEW' },
    })
  })

  test('an add-on that was switched off is refused with 402 feature_off', async () => {
    const own = await stage.company()
    await own.set({ addOns: ['api'] })
    expect(await own.get('/v1/estimates')).toMatchObject({
      status: 402,
      body: { code: 'feature_off', feature: 'estimates' },
    })
    await own.set({ addOns: ['estimates'] })
    expect(await own.get('/v1/estimates')).toMatchObject({ status: 402, body: { code: 'feature_off', feature: 'api' } })
  })
})

describe('Every route needs its own scope and add-on [V8.2.1]', () => {
  const needing = dataRoutesOf(registry).flatMap((route) => route.scopes.map((scope) => ({ ...route, scope })))
  test.each(needing)('$id', async (route) => {
    const own = await stage.company({ scopes: route.scopes })
    const call = () =>
      own.call(route.method, route.path.replace('{id}', '1'), route.method === 'GET' ? {} : { body: {} })
    expect((await call()).status).not.toBe(403)

    const others = await stage.sql<{ scopes: string[] }>(
      'update tokens set scopes = (select array_remove(permissions, $2) from accounts a where a.company_id = $1) where company_id = $1 returning scopes',
      own.id,
      route.scope,
    )
    expect(others[0]?.scopes).not.toContain(route.scope)
    expect(await call()).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', required_scope: route.scope },
    })

    const bare = await stage.company({ addOns: route.addOn === 'api' ? [] : ['api'] })
    const refused = await bare.call(
      route.method,
      route.path.replace('{id}', '1'),
      route.method === 'GET' ? {} : { body: {} },
    )
    expect(refused).toMatchObject({ status: 402, body: { code: 'feature_off', feature: route.addOn } })
  })
})

describe('The allowlist is checked on the TCP peer [V4.1.3] [V15.3.4]', () => {
  const rows: { why: string; allowlist: string[]; from: string; status: number }[] = [
    { why: 'an empty one accepts any address', allowlist: [], from: '127.0.0.1', status: 200 },
    { why: 'the very address', allowlist: ['127.0.0.9'], from: '127.0.0.9', status: 200 },
    { why: 'another address', allowlist: ['127.0.0.9'], from: '127.0.0.8', status: 403 },
    { why: 'a range', allowlist: ['127.0.1.0/24'], from: '127.0.1.255', status: 200 },
    { why: 'just outside a range', allowlist: ['127.0.1.0/24'], from: '127.0.2.0', status: 403 },
    { why: 'a pair of addresses (/31)', allowlist: ['127.0.0.8/31'], from: '127.0.0.9', status: 200 },
    { why: 'outside the pair', allowlist: ['127.0.0.8/31'], from: '127.0.0.10', status: 403 },
    { why: 'everything (/0)', allowlist: ['0.0.0.0/0'], from: '127.0.0.3', status: 200 },
    { why: 'the second entry', allowlist: ['10.0.0.0/8', '127.0.0.4/32'], from: '127.0.0.4', status: 200 },
  ]
  test.each(rows)('$why', async ({ allowlist, from, status }) => {
    const own = await stage.company({ allowlist })
    const headers: [string, string][] = [
      ['Authorization', `Bearer ${own.token}`],
      ['X-Forwarded-For', '127.0.0.9'],
      ['Forwarded', 'for=127.0.0.9'],
    ]
    const answer = await stage.send({ method: 'GET', path: '/v1/clients', headers, from })
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.body.code).toBe('ip_not_allowed')
  })
})

describe('Settings keep the rules of tokens', () => {
  test('twenty concurrent issues leave one active token', async () => {
    const own = await stage.company()
    await own.revoke()
    const { issueToken } = await import('#server/service/token.ts')
    const wanted = { accountId: own.accountId, label: 'Race', scopes: 'all' as const, allowlist: [] }
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () =>
        stage.inTransaction((transaction) => issueToken(transaction, own.actor, stage.app.secret, wanted)),
      ),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const rows = await stage.sql('select id from tokens where company_id = $1 and revoked_at is null', own.id)
    expect(rows).toHaveLength(1)
  })

  test('twenty concurrent rotations leave one active token, and every one of them was answered', async () => {
    const own = await stage.company()
    const texts = await Promise.all(Array.from({ length: 20 }, () => own.rotate()))
    const working = await Promise.all(texts.map((token) => own.call('GET', '/v1/clients', { token })))
    expect(working.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('an issuer cannot grant what the account does not hold', async () => {
    await expect(stage.company({ permissions: ['CLIENTS_VIEW'], scopes: ['CLIENTS_EDIT'] })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  test.each([
    '127.0.0.01',
    '127.1',
    '0x7f.0.0.1',
    '127.0.0.256',
    '127.0.0.0/33',
    '127.0.0.1/24',
    '::1',
    ' 127.0.0.1',
    'localhost',
    '',
  ])('the allowlist refuses %j', async (entry) => {
    await expect(stage.company({ allowlist: [entry] })).rejects.toMatchObject({ code: 'validation_failed' })
  })

  test('a token is in no column of the database, nor in a log or an error body', async () => {
    const secretPart = company.token.slice('plumb_live_'.length)
    const rows = await Promise.all(
      ['tokens', 'history'].map((table) => stage.sql<{ text: string }>(`select t::text as text from ${table} t`)),
    )
    const dump = rows.flat().map(({ text }) => text)
    expect(dump.length).toBeGreaterThan(1)
    expect(dump.join(' ')).not.toContain(secretPart)
    expect(dump.join(' ')).not.toContain(Buffer.from(company.token).toString('hex'))
    const refused = await company.get('/v1/projects?limit=x')
    expect(refused.text).not.toContain(secretPart)
  })
})
