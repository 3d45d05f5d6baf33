import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '#server/console-api/routes.ts'
import { beginSession } from '#server/service/session.ts'
import { send } from '../stage/http.ts'
import type { Company } from '../stage/stage.ts'
import { type ConsoleStage, cookieOf, openConsole, type Person, password, setCookies } from './stage.ts'

const url = 'https://erp.example.com'
const here = { Host: 'erp.example.com', Origin: url }

let secure: ConsoleStage
let plain: ConsoleStage
let admin: Person & { company: Company }
beforeAll(async () => {
  ;[secure, plain] = await Promise.all([openConsole({ PUBLIC_URL: url }), openConsole()])
  admin = await secure.admin()
})
afterAll(() => Promise.all([secure.close(), plain.close()]))

const signIn = (headers: { [name: string]: string } = here, cookie?: string) =>
  secure.ask('POST', '/console/session', { body: { email: admin.email, password }, headers, cookie })
const statusOf = async (cookie: string) => (await secure.ask('GET', '/console/me', { cookie })).status

describe('Over TLS', () => {
  test('cookies have the prefix that only this host can set, and are never sent without TLS [V3.3.1] [V3.3.3]', async () => {
    const answer = await signIn()
    const cookies = setCookies(answer)
    expect(cookies[0]).toMatch(/^__Host-plumbline_session=[\w-]{51}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const set = cookies.filter((cookie) => !cookie.includes('Expires=Thu, 01 Jan 1970'))
    expect(set.map((cookie) => cookie.split('=')[0])).toEqual(['__Host-plumbline_session', '__Host-plumbline_device'])
    for (const cookie of set) expect(cookie).toMatch(/; HttpOnly; Secure; SameSite=Lax$/)
    expect(await statusOf(cookieOf(answer))).toBe(200)
  })

  test('a session under the former name is accepted once and set anew', async () => {
    const origin = { device: null, peer: null, forwardedFor: null, plainName: true }
    const account = { companyId: admin.company.id, accountId: admin.id }
    const begun = await secure.inTransaction((transaction) => beginSession(transaction, account, origin))
    const former = `plumbline_session=${begun?.text}`
    const answer = await secure.ask('GET', '/console/me', { cookie: former })
    expect(answer.status).toBe(200)
    expect(setCookies(answer)).toEqual([
      expect.stringMatching(new RegExp(`^__Host-plumbline_session=${begun?.text}; .*Secure`)),
      expect.stringMatching(/^plumbline_session=; .*Expires=Thu, 01 Jan 1970/),
    ])
    expect(setCookies(await secure.ask('GET', '/console/me', { cookie: cookieOf(answer) }))).toEqual([])
    // What the page had asked already is answered; a minute later the former name is nothing.
    expect(await statusOf(former)).toBe(200)
    await secure.sql("update sessions set plain_name_until = now() where plain_name_until < 'infinity'")
    expect(await statusOf(former)).toBe(401)
    expect(await statusOf(cookieOf(answer))).toBe(200)
  })

  test('a session that began under TLS is none under the former name, which a neighbour could set', async () => {
    const text = cookieOf(await signIn()).split('=')[1]
    expect(await statusOf(`plumbline_session=${text}`)).toBe(401)
    expect(await statusOf(`plumbline_session=${text}; __Host-plumbline_session=${text}`)).toBe(200)
  })

  test('signing out clears both', async () => {
    const answer = await secure.ask('DELETE', '/console/session', { cookie: cookieOf(await signIn()), headers: here })
    expect(setCookies(answer).map((cookie) => cookie.split('=')[0])).toEqual([
      '__Host-plumbline_session',
      'plumbline_session',
    ])
  })
})

describe('Strict-Transport-Security', () => {
  const hsts = async (stage: ConsoleStage, host: string) =>
    (await stage.ask('GET', '/', { headers: { Host: host, Accept: 'text/html' } })).headers['strict-transport-security']

  test('is said by the name that has TLS', async () => {
    expect(await hsts(secure, 'erp.example.com')).toBe('max-age=31536000')
    expect(await hsts(secure, 'ERP.example.com:443')).toBe('max-age=31536000')
    expect((await signIn()).headers['strict-transport-security']).toBe('max-age=31536000')
    const headers = { Host: 'erp.example.com' }
    for (const path of ['/v1/projects', '/v1/openapi.json', '/healthz', '/docs/errors'])
      expect((await secure.ask('GET', path, { headers })).headers['strict-transport-security'], path).toBe(
        'max-age=31536000',
      )
  })

  test.each(['127.0.0.1', 'localhost:3000', 'other.example.com', 'erp.example.com:8443'])(
    'is not said to who asked for %s',
    async (host) => expect(await hsts(secure, host)).toBeUndefined(),
  )

  test.each(['https://127.0.0.1:8443', 'https://localhost:8443', 'https://[::1]:8443', 'http://erp.example.com'])(
    'is not said where PUBLIC_URL is %s',
    async (publicUrl) => {
      const stage = await openConsole({ PUBLIC_URL: publicUrl })
      try {
        expect(await hsts(stage, new URL(publicUrl).host)).toBeUndefined()
      } finally {
        await stage.close()
      }
    },
  )
})

describe('PUBLIC_URL', () => {
  const elsewhere: { [why: string]: { [name: string]: string } } = {
    'a name that was pointed at us': { Host: 'evil.example', Origin: 'http://evil.example' },
    'without TLS': { Host: 'erp.example.com', Origin: 'http://erp.example.com' },
    'at another port': { Host: 'erp.example.com:8443', Origin: `${url}:8443` },
    'an address, by who sends no Origin': { Host: '127.0.0.1' },
    'an Origin that is more than one': { Host: 'erp.example.com', Origin: `${url}/` },
  }
  test.each(routes.filter(({ method }) => method !== 'GET'))(
    '$method $path changes nothing under another address, and says which setting to look at',
    async ({ method, path }) => {
      for (const [why, headers] of Object.entries(elsewhere)) {
        const body = method === 'DELETE' ? undefined : {}
        const cookie = admin.cookie.replace('plumbline', '__Host-plumbline')
        await secure.sql("update sessions set plain_name_until = 'infinity'")
        const answer = await secure.ask(method, path.replace('{id}', '1'), { body, headers, cookie })
        expect(answer, why).toMatchObject({ status: 421, body: { code: 'misdirected_request' } })
        expect(answer.body.detail).toMatch(/https:\/\/erp\.example\.com.*PUBLIC_URL/)
      }
    },
  )

  test.each([
    ['the page itself', here],
    ['the page behind a proxy that changes Host', { Host: '127.0.0.1:3000', Origin: url }],
    ['a program that sends no Origin', { Host: 'erp.example.com:443' }],
    ['an older browser', { ...here, 'Sec-Fetch-Site': '' }],
  ])('%s signs in', async (_who, headers) => expect((await signIn(headers)).status).toBe(200))

  test('another site is another site first', async () => {
    const headers = { Host: 'erp.example.com', Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
    expect((await signIn(headers)).body.code).toBe('cross_site_request')
  })

  test('where it is not set, any address will do', async () => {
    const { email } = await plain.admin()
    const headers = { Host: 'anything.example', Origin: 'http://anything.example', 'Sec-Fetch-Site': '' }
    expect((await plain.ask('POST', '/console/session', { body: { email, password }, headers })).status).toBe(200)
  })

  test.each([
    '/v1/clients',
    '/v1/openapi.json',
    '/v1/docs',
    '/v1/postman.json',
    '/llms.txt',
    '/docs/errors',
    '/healthz',
    '/readyz',
    '/',
  ])('%s is served under any name', async (path) => {
    const headers: [string, string][] = [
      ['Host', 'other.example:1234'],
      ['Authorization', `Bearer ${admin.company.token}`],
      ['Accept', 'text/html'],
    ]
    expect((await send(secure.url, { method: 'GET', path, headers })).status).toBe(200)
  })
})

describe('A content security policy', () => {
  test.each([
    ['GET', '/v1/clients'],
    ['GET', '/v1/nothing'],
    ['POST', '/v1/clients'],
    ['OPTIONS', '/v1/clients'],
    ['GET', '/v1/openapi.json'],
    ['GET', '/v1/docs'],
    ['GET', '/v1/docs/scalar.js'],
    ['GET', '/healthz'],
    ['GET', '/metrics'],
    ['GET', '/docs/errors'],
    ['GET', '/'],
    ['GET', '/nothing'],
    ['GET', '/%zz'],
    ['GET', '/console/me'],
    ['POST', '/console/session'],
  ])('is on the answer to %s %s [V3.4.3]', async (method, path) => {
    const { headers } = await send(plain.url, { method, path })
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  })

  test('comes with a word that addresses are not told to other sites, wherever a page is shown [V3.4.5]', async () => {
    for (const path of ['/', '/projects/5/show', '/console/me', '/nothing'])
      expect((await send(plain.url, { method: 'GET', path })).headers['referrer-policy'], path).toBe('same-origin')
  })

  test('is on what the parser refuses', async () => {
    const headers: [string, string][] = [['X-Long', 'x'.repeat(20_000)]]
    const answer = await send(plain.url, { method: 'GET', path: '/v1/clients', headers })
    expect(answer).toMatchObject({ status: 431, headers: { 'content-security-policy': expect.any(String) } })
  })
})
