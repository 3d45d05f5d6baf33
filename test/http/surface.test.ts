import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isDataRoute, routes } from '#derive/routes.ts'
import { registry } from '#registry/resources/index.ts'
import { createPages } from '#server/http/pages.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

const everyRoute = routes(registry)
const paths = [...new Set(everyRoute.map(({ path }) => path))]
const methodsOf = (path: string): string[] =>
  everyRoute.filter((route) => route.path === path).map(({ method }) => method)

describe('Methods', () => {
  test.each(paths)('OPTIONS %s is 204 with Allow, without a token', async (path) => {
    const answer = await stage.send({ method: 'OPTIONS', path: path.replace('{id}', '1') })
    expect(answer.status).toBe(204)
    expect(answer.headers.allow?.split(', ').toSorted()).toEqual(
      [...methodsOf(path), ...(methodsOf(path).includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted(),
    )
    // RFC 5789 3.1
    const patch = methodsOf(path).includes('PATCH') ? 'application/merge-patch+json, application/json' : undefined
    expect(answer.headers['accept-patch']).toBe(patch)
  })

  test.each(paths)('a method that %s lacks is 405 with Allow [V13.4.4]', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'].filter(
      (name) => !methodsOf(path).includes(name),
    )) {
      const answer = await stage.send({ method, path: path.replace('{id}', '1') })
      expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
      expect(answer.headers.allow).toContain('OPTIONS')
    }
  })

  test('HEAD answers as GET does, without the body', async () => {
    const id = await company.create('clients', { name: 'Head' })
    for (const path of ['/v1/clients', `/v1/clients/${id}`, '/v1/clients/999999999', '/v1/openapi.json']) {
      const [head, get] = [await company.call('HEAD', path), await company.get(path)]
      expect(head.status).toBe(get.status)
      expect(head.text).toBe('')
      for (const name of ['etag', 'content-type', 'content-length']) {
        if (path !== '/v1/clients/999999999') expect(head.headers[name]).toBe(get.headers[name])
      }
    }
  })
})

describe('Paths that are not served', () => {
  test.each([
    '/v1',
    '/v1/',
    '/v1/nope',
    '/v1/projects/',
    '/v1/projects/1/',
    '/v1/projects/1/tasks',
    '/v1/tasks',
    '/v1/invoices/1',
    '/v2/projects',
    '/v1//projects',
    '/V1/projects',
    '/v1/constructor',
    '/v1/__proto__/1',
  ])('%s is 404 as a problem, with and without a token', async (path) => {
    for (const answer of [await company.get(path), await stage.send({ method: 'POST', path })]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', status: 404 } })
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
    }
  })
})

describe('A path is the same with characters percent-encoded that need not be (RFC 3986 6.2.2.2)', () => {
  test.each([
    ['/v1/clients', '/v1/%63lients'],
    ['/v1/clients', '/%76%31/clie%6Ets'],
    ['/v1/openapi.json', '/v1/openapi%2Ejson'],
    ['/docs/errors', '/docs/err%6frs'],
  ])('%s is %s', async (path, spelt) => {
    const [plain, same] = [await company.get(path), await company.get(spelt)]
    expect([same.status, same.headers.etag]).toEqual([200, plain.headers.etag])
  })

  test('the id too', async () => {
    const id = await company.create('clients', { name: 'Spelt' })
    const spelt = [...String(id)].map((digit) => `%3${digit}`).join('')
    expect((await company.get(`/v1/clients/${spelt}`)).body.data).toMatchObject({ id, name: 'Spelt' })
  })

  test.each([
    '/v1%2Fclients',
    '/v1/clients%2F1',
    '/v1/%2563lients',
    '/v1/clients%',
    '/v1/clients%zz',
    '/v1/%2e%2e/healthz',
  ])('%s is another path [V1.1.1]', async (path) => {
    expect((await company.get(path)).status).toBe(404)
  })
})

describe('Every answer', () => {
  test('carries a request id, which a problem repeats', async () => {
    const fine = await company.get('/v1/clients')
    const refused = await company.get('/v1/clients?limit=x')
    expect(fine.headers['x-request-id']).toMatch(/^[\w-]{20,}$/)
    expect(refused.body.request_id).toBe(refused.headers['x-request-id'])
  })

  test('that is a refusal is not kept', async () => {
    const refused = [
      await company.get('/v1/clients?limit=x'),
      await company.get('/v1/clients/999999999'),
      await company.get('/v1/nope'),
      await stage.send({ method: 'PUT', path: '/v1/clients' }),
      await company.call('GET', '/v1/clients', { token: null }),
      await company.call('POST', '/v1/clients', { body: {} }),
    ]
    for (const { status, headers } of refused) expect(headers['cache-control'], String(status)).toBe('no-store')
  })

  /** Every address that is served, the routes with an id of nobody and the pages beside them; and whether it is public. */
  const addresses = (): { address: string; isPublic: boolean }[] => [
    ...paths.map((path) => ({
      address: path.replaceAll(/\{\w+\}/g, '999999999'),
      isPublic: everyRoute.every((route) => route.path !== path || !isDataRoute(route)),
    })),
    ...Object.entries(createPages(stage.app, { is: 'serving' })).map(([address, { isPublic = false }]) => ({
      address,
      isPublic,
    })),
    ...['/v1/nope', '/', '/console/me', '/mcp'].map((address) => ({ address, isPublic: false })),
  ]

  test('may be read by a page of another site where it is a public document, and nowhere else [V3.4.2]', async () => {
    const origin = { Origin: 'https://elsewhere.example' }
    for (const { address, isPublic } of addresses()) {
      const allowed = isPublic ? '*' : undefined
      const answers = [await company.get(address, origin)]
      answers.push(await company.call('OPTIONS', address, { headers: origin }))
      if (isPublic) answers.push(await company.get(address, { 'If-None-Match': `${answers[0]?.headers.etag}` }))
      else answers.push(await company.call('POST', address, { body: {}, headers: origin }))
      for (const { status, headers } of answers) {
        expect(headers['access-control-allow-origin'], `${address}: ${status}`).toBe(allowed)
        expect(headers['access-control-allow-credentials'], `${address}: ${status}`).toBeUndefined()
      }
      if (isPublic) expect(answers[2]?.status, address).toBe(304)
    }
    const open = addresses().filter(({ isPublic }) => isPublic)
    expect([open.length > 5, open.length < addresses().length / 2]).toEqual([true, true])
  })

  test('names its type, and where it is text the characters [V4.1.1]', async () => {
    for (const { address } of addresses()) {
      const { status, headers, text } = await company.get(address, { Accept: 'text/html' })
      if (text === '') expect(status, address).toBe(204)
      else
        expect(headers['content-type'], address).toMatch(/^(application\/[\w.+-]*json\b|text\/[a-z]+;.*charset=utf-8)/)
    }
  })

  test('is not to be guessed at by a browser [V3.2.1] [V3.4.4]', async () => {
    expect((await company.get('/v1/clients')).headers['x-content-type-options']).toBe('nosniff')
  })
})

describe('Health and metrics, outside /v1', () => {
  test('/healthz and /readyz are 200 while all is well', async () => {
    expect((await stage.send({ method: 'GET', path: '/healthz' })).body).toEqual({ status: 'ok' })
    expect((await stage.send({ method: 'GET', path: '/readyz' })).body).toEqual({ status: 'ready' })
  })

  test('/metrics counts answers by route and status, and names no company [V13.4.5]', async () => {
    await company.get('/v1/clients')
    const { text } = await stage.send({ method: 'GET', path: '/metrics' })
    expect(text).toMatch(/plumbline_request_seconds_count\{route="clients.list",status="200"\} \d+/)
    expect(text).toContain('plumbline_database_connections')
    expect(text).not.toContain(company.token)
  })

  test('/docs/errors has a section for the type of a problem', async () => {
    const problem = await company.get('/v1/clients/999999999')
    const [path, fragment] = problem.body.type.split('#')
    const page = await stage.send({ method: 'GET', path })
    expect(page.status).toBe(200)
    expect(page.text).toContain(`id="${fragment}"`)
  })
})

describe('What is not HTTP is refused with a problem too [V4.2.1]', () => {
  const exchange = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(stage.url)
      const socket = connect(Number(port), hostname)
      let heard = ''
      socket.on('data', (chunk) => {
        heard += chunk
      })
      socket.on('close', () => resolve(heard))
      socket.on('error', reject)
      socket.end(text)
    })
  const rows = [
    { why: 'garbage', text: 'garbage\r\n\r\n', status: 400, code: 'invalid_header' },
    {
      why: 'two lengths',
      text: 'POST /v1/clients HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
      status: 400,
      code: 'invalid_header',
    },
    {
      why: 'length and chunks',
      text: 'POST /v1/clients HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      status: 400,
      code: 'invalid_header',
    },
    {
      why: 'HTTP/1.1 without Host',
      text: 'GET /v1/openapi.json HTTP/1.1\r\nConnection: close\r\n\r\n',
      status: 400,
      code: 'invalid_header',
    },
    {
      why: 'two hosts',
      text: 'GET /v1/clients HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n',
      status: 400,
      code: 'invalid_header',
    },
    ...['a b', 'a/b', 'a@b', 'a,b', 'x:65536', 'x:port', '[::1', '[::1%eth0]', '[x]', 'm\u00fcnchen', '"x"'].map(
      (host) => ({
        why: `the host ${host}`,
        text: `GET /v1/openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
        status: 400,
        code: 'invalid_header',
      }),
    ),
    {
      why: 'an absolute target whose host is none, whatever Host says',
      text: 'GET http://a@b/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n',
      status: 400,
      code: 'invalid_header',
    },
    ...['gzip, chunked', 'chunked, gzip', 'identity', 'chunked, chunked'].map((coding) => ({
      why: `the coding ${coding}`,
      text: `POST /v1/clients HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
      status: 400,
      code: 'invalid_header',
    })),
    {
      why: 'a coding in HTTP/1.0',
      text: 'POST /v1/clients HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      status: 400,
      code: 'invalid_header',
    },
    ...['0.9', '1.2', '2.0', '3.0'].map((version) => ({
      why: `HTTP/${version}`,
      text: `GET /v1/clients HTTP/${version}\r\nHost: x\r\n\r\n`,
      status: 400,
      code: 'invalid_header',
    })),
    ...['-1', '+1', '0x1', '1e1', '1, 1', '1 1', '', '99999999999999999999999'].map((length) => ({
      why: `the length "${length}"`,
      text: `POST /v1/clients HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\nx`,
      status: 400,
      code: 'invalid_header',
    })),
    {
      why: 'one length twice',
      text: 'POST /v1/clients HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx',
      status: 400,
      code: 'invalid_header',
    },
    ...['X : y', 'X Y: z', 'X', ': y', 'X: y\r\n z', 'X: a\rb', 'X: a\0b', 'X\0: a', 'X: a\x7fb', 'Ü: a'].map(
      (header) => ({
        why: `the header ${JSON.stringify(header)}`,
        text: `GET /v1/clients HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`,
        status: 400,
        code: 'invalid_header',
      }),
    ),
    ...[' Host: x\r\n\r\n', 'Host: x\r\n\n'].map((rest) => ({
      why: `a head that ends like ${JSON.stringify(rest)}`,
      text: `GET /v1/clients HTTP/1.1\r\n${rest}`,
      status: 400,
      code: 'invalid_header',
    })),
    {
      why: 'line feeds alone',
      text: 'GET /v1/clients HTTP/1.1\nHost: x\n\n',
      status: 400,
      code: 'invalid_header',
    },
    ...[' : chunked', ': \x0bchunked', ': xchunked', ': "chunked"', ': chunked\r\nTransfer-Encoding: identity'].map(
      (rest) => ({
        why: `a coding written ${JSON.stringify(rest)}`,
        text: `POST /v1/clients HTTP/1.1\r\nHost: x\r\nTransfer-Encoding${rest}\r\n\r\n0\r\n\r\n`,
        status: 400,
        code: 'invalid_header',
      }),
    ),
    ...['/v1/\x01', '/v1/cl ients', '/v1/ü', 'v1', '\\v1'].map((target) => ({
      why: `the target ${JSON.stringify(target)}`,
      text: `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`,
      status: 400,
      code: 'invalid_header',
    })),
    ...['HTTP/1.1x', 'http/1.1', 'ICE/1.0', ''].map((protocol) => ({
      why: `the protocol "${protocol}"`,
      text: `GET /v1/clients ${protocol}\r\nHost: x\r\n\r\n`,
      status: 400,
      code: 'invalid_header',
    })),
    {
      why: 'the beginning of HTTP/2',
      text: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      status: 400,
      code: 'invalid_header',
    },
    {
      why: 'the console without Host',
      text: 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
      status: 400,
      code: 'invalid_header',
    },
    {
      why: 'an expectation that nobody meets',
      text: 'POST /v1/clients HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
      status: 417,
      code: 'expectation_failed',
    },
    {
      why: 'headers beyond 16 KiB',
      text: `GET /v1/clients HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
      status: 431,
      code: 'headers_too_large',
    },
  ]
  test.each(rows)('$why', async ({ text, status, code }) => {
    const heard = await exchange(text)
    expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(heard).toContain('application/problem+json')
    expect(heard).toContain(`"code":"${code}"`)
    expect(heard).toContain('Connection: close')
  })

  const hosts = ['x', 'x.', 'a_b.example', 'X-1.example:3000', 'x:', '127.0.0.1:65535', '[::1]', '[2001:db8::1]:80', '']
  test.each(hosts.map((host) => ({ host })))('the host "$host" is taken', async ({ host }) => {
    const text = `GET /v1/clients HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    expect(await exchange(text)).toMatch(/^HTTP\/1.1 401 /)
  })

  test('of an absolute target Host is passed over', async () => {
    const text = 'GET http://x:3000/v1/clients HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'
    expect(await exchange(text)).toMatch(/^HTTP\/1.1 401 /)
  })

  test('a coding is read without case', async () => {
    const text =
      'POST /v1/clients HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n0\r\n\r\n'
    expect(await exchange(text)).toMatch(/^HTTP\/1.1 401 /)
  })

  test('HTTP/1.0 needs no Host, and knows no Expect', async () => {
    const heard = await exchange('GET /v1/clients HTTP/1.0\r\nExpect: 200-ok\r\n\r\n')
    expect(heard).toMatch(/^HTTP\/1.1 401 /)
  })
})
