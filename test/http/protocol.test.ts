import { STATUS_CODES } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '#derive/routes.ts'
import { refusals } from '#registry/refusals.ts'
import { registry } from '#registry/resources/index.ts'
import { head, openRaw } from '../stage/raw.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

/** What HTTP asks of the service, over a socket: what a client library would hide is seen. */
let stage: Stage
let company: Company
let authorized: { Authorization: string; Connection: string }
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  authorized = { Authorization: `Bearer ${company.token}`, Connection: 'close' }
})
afterAll(() => stage.close())

type ReceivedResponse = { line: string; headers: Map<string, string>; body: string }

async function exchange(text: string): Promise<ReceivedResponse> {
  const { write, heard, closed, socket } = await openRaw(stage.url)
  write(text)
  await closed
  socket.destroy()
  const [top = '', ...rest] = heard().split('\r\n\r\n')
  const [line = '', ...lines] = top.split('\r\n')
  const headers = lines.map((each) => each.split(/: (.*)/s).slice(0, 2) as [string, string])
  return {
    line,
    headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: rest.join('\r\n\r\n'),
  }
}

describe('Before the caller is known nothing but Authorization is read; the rest is judged once he is', () => {
  const stranger = `plumb_live_${'0'.repeat(48)}`
  const rows: { why: string; method?: string; path?: string; headers: [string, string][]; code: string }[] = [
    {
      why: 'an If-Match without quotes',
      method: 'PATCH',
      path: '/v1/clients/1',
      headers: [['If-Match', 'xyz']],
      code: 'invalid_header',
    },
    {
      why: 'an If-None-Match without quotes',
      method: 'DELETE',
      path: '/v1/clients/1',
      headers: [['If-None-Match', 'xyz']],
      code: 'invalid_header',
    },
    { why: 'an If-Plan that is no hash', headers: [['If-Plan', '"sha256-short"']], code: 'invalid_header' },
    {
      why: 'If-Plan twice',
      headers: [
        ['If-Plan', '"a"'],
        ['If-Plan', '"b"'],
      ],
      code: 'invalid_header',
    },
    {
      why: 'Content-Type twice',
      headers: [
        ['Content-Type', 'a/b'],
        ['Content-Type', 'a/b'],
      ],
      code: 'invalid_header',
    },
    { why: 'a key with a blank', headers: [['Idempotency-Key', 'a b']], code: 'invalid_idempotency_key' },
    {
      why: 'a key twice',
      headers: [
        ['Idempotency-Key', 'a'],
        ['Idempotency-Key', 'a'],
      ],
      code: 'invalid_idempotency_key',
    },
    { why: 'X-Dry-Run that says neither', headers: [['X-Dry-Run', 'perhaps']], code: 'invalid_dry_run' },
    {
      why: 'X-Dry-Run twice',
      headers: [
        ['X-Dry-Run', '1'],
        ['X-Dry-Run', '1'],
      ],
      code: 'invalid_dry_run',
    },
  ]
  const lines = (headers: [string, string][]): string =>
    headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')

  test.each(rows)('$why', async ({ method = 'POST', path = '/v1/clients', headers, code }) => {
    const call = (authorization: string): Promise<ReceivedResponse> =>
      exchange(
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}${lines(headers)}Content-Length: 0\r\n\r\n`,
      )
    for (const authorization of ['', `Authorization: Bearer ${stranger}\r\n`])
      expect(await call(authorization)).toMatchObject({ line: 'HTTP/1.1 401 Unauthorized' })
    const known = await call(`Authorization: Bearer ${company.token}\r\n`)
    expect(known.line).toBe('HTTP/1.1 400 Bad Request')
    expect(JSON.parse(known.body)).toMatchObject({ code })
  })

  test('Authorization twice is 400, whoever it names', async () => {
    const twice = `Authorization: Bearer ${company.token}\r\n`.repeat(2)
    const { line, body } = await exchange(`GET /v1/clients HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${twice}\r\n`)
    expect(line).toBe('HTTP/1.1 400 Bad Request')
    expect(JSON.parse(body)).toMatchObject({ code: 'invalid_header' })
  })

  test('what is refused so is counted and logged as a call, and claims no key', async () => {
    const own = await stage.company()
    const headers = { 'Idempotency-Key': 'free', 'If-Plan': 'no hash' }
    const refused = await own.call('POST', '/v1/clients', { body: { name: 'Once' }, headers })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_header' } })
    const calls = await stage.sql<{ code: string; counted: boolean }>(
      'select code, counted from calls where company_id = $1',
      own.id,
    )
    expect(calls).toEqual([{ code: 'invalid_header', counted: true }])
    const after = await own.call('POST', '/v1/clients', {
      body: { name: 'Twice' },
      headers: { 'Idempotency-Key': 'free' },
    })
    expect(after.status).toBe(201)
    expect(after.headers['idempotency-replayed']).toBeUndefined()
  })
})

describe('A method that nothing has is 501 as a problem, and one that a path lacks 405 with Allow', () => {
  const rows = [
    { why: 'an unknown word', text: head('FOO', '/v1/clients'), status: 501 },
    { why: 'a known method in small letters', text: head('get', '/v1/clients'), status: 501 },
    { why: 'more letters than a method that begins so', text: head('GETS', '/v1/clients'), status: 501 },
    { why: 'CONNECT to another host', text: head('CONNECT', 'example.com:443'), status: 501 },
    { why: 'CONNECT to a path', text: head('CONNECT', '/v1/clients'), status: 501 },
    { why: 'TRACE', text: head('TRACE', '/v1/clients', { Connection: 'close' }), status: 405 },
    { why: 'PROPFIND', text: head('PROPFIND', '/v1/clients', { Connection: 'close' }), status: 405 },
    { why: 'no request line', text: 'garbage\r\n\r\n', status: 400 },
    { why: 'the beginning of TLS', text: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', status: 400 },
  ]
  test.each(rows)('$why: $status', async ({ text, status }) => {
    const { line, headers, body } = await exchange(text)
    expect(line).toBe(`HTTP/1.1 ${status} ${STATUS_CODES[status]}`)
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(headers.get('x-request-id')).toBe(JSON.parse(body).request_id)
    const code = status === 501 ? 'not_implemented' : status === 405 ? 'method_not_allowed' : 'invalid_header'
    expect(JSON.parse(body)).toMatchObject({ status, code, title: refusals[code].title })
    if (status === 405) expect(headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
  })

  test('after CONNECT the connection is closed although the caller goes on', async () => {
    const { write, hear, closed } = await openRaw(stage.url)
    write(head('CONNECT', 'example.com:443'))
    await hear('"not_implemented"')
    write('anything')
    await closed
  })
})

describe('A status line has the reason phrase of its status', () => {
  const rows = [
    { status: 200, text: (token: string) => head('GET', '/v1/clients', { Authorization: token, Connection: 'close' }) },
    { status: 401, text: () => head('GET', '/v1/clients', { Connection: 'close' }) },
    { status: 404, text: () => head('GET', '/v1/nope', { Connection: 'close' }) },
    { status: 400, text: () => 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n' },
    { status: 431, text: () => head('GET', '/v1/clients', { 'X-Long': 'y'.repeat(20_000) }) },
  ]
  test.each(rows)('$status', async ({ status, text }) => {
    expect((await exchange(text(authorized.Authorization))).line).toBe(`HTTP/1.1 ${status} ${STATUS_CODES[status]}`)
  })
})

test('OPTIONS * names the methods of the service', async () => {
  const { line, headers, body } = await exchange(head('OPTIONS', '*', { Connection: 'close' }))
  expect(line).toBe('HTTP/1.1 204 No Content')
  const methods = routes(registry).map(({ method }) => method)
  expect(new Set(headers.get('allow')?.split(', '))).toEqual(new Set([...methods, 'HEAD', 'OPTIONS']))
  expect(body).toBe('')
})

describe('Accept-Encoding is compared without case', () => {
  const rows = [
    { accepts: 'GZIP', coding: 'gzip' },
    { accepts: 'Br', coding: 'br' },
    { accepts: 'GZip;Q=1, BR;q=0', coding: 'gzip' },
    { accepts: 'IDENTITY', coding: undefined },
  ]
  test.each(rows)('$accepts', async ({ accepts, coding }) => {
    for (const path of ['/v1/openapi.json', '/v1/docs/scalar.js', '/v1/clients']) {
      if (path === '/v1/clients')
        for (let n = 0; n < 3; n++) await company.create('clients', { name: 'Coded', notes: 'long '.repeat(100) })
      const { headers } = await exchange(head('GET', path, { ...authorized, 'Accept-Encoding': accepts }))
      expect(headers.get('content-encoding'), path).toBe(coding)
    }
  })
})

describe('A page of another site may ask for a public document with headers of its own, and never for data', () => {
  const preflight = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'GET', Connection: 'close' }
  const documents = [
    '/v1/openapi.json',
    '/v1/postman.json',
    '/llms.txt',
    '/v1/docs',
    '/v1/docs/scalar.js',
    '/docs/errors',
  ]
  test.each(documents)('%s', async (path) => {
    const { line, headers } = await exchange(head('OPTIONS', path, preflight))
    expect(line).toBe('HTTP/1.1 204 No Content')
    expect(Object.fromEntries(headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': '*',
      'access-control-max-age': '86400',
    })
    const shown = await exchange(head('GET', path, { Connection: 'close' }))
    expect(shown.headers.get('access-control-expose-headers')).toBe('ETag')
  })

  test.each([
    '/v1/clients',
    '/v1/clients/1',
    '/v1/changes',
    '/v1/batch',
    '/healthz',
    '/metrics',
    '/',
    '/console/session',
    '*',
  ])('%s says nothing of the kind', async (path) => {
    const asked = await exchange(head('OPTIONS', path, preflight))
    const given = await exchange(head('GET', path === '*' ? '/' : path, { ...authorized, Origin: preflight.Origin }))
    for (const { headers } of [asked, given])
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})

test('JSON has one spelling in every answer: no blanks between its parts', async () => {
  const own = await stage.company()
  const client = await own.create('clients', { name: 'Spelt', notes: 'a, b: {c}' })
  const project = await own.create('projects', { name: 'Spelt', client_id: client })
  const updated = await own.call('PATCH', `/v1/projects/${project}`, {
    body: { name: 'Other' },
    headers: { 'Idempotency-Key': 'k' },
  })
  // What a deletion unlinks has a line in the log too.
  const equipment = await own.create('equipment', { name: 'Spelt', status: 'IN_USE', project_id: project })
  expect((await own.call('DELETE', `/v1/projects/${project}`)).status).toBe(200)
  const unlinked = await own.get(`/v1/equipment/${equipment}/history`)
  expect(unlinked.body.data[0]).toMatchObject({ changes: { project_id: [project, null] } })
  const answers = [
    updated,
    unlinked,
    ...(await Promise.all(
      ['/v1/clients', `/v1/clients/${client}`, '/v1/changes', `/v1/projects/${project}/history`, '/v1/nope'].map(
        (path) => own.get(path),
      ),
    )),
  ]
  for (const { text } of answers) expect(text).toBe(JSON.stringify(JSON.parse(text)))
})
