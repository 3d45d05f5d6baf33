import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serve } from '#server/serve.ts'
import { head, openRaw } from '../stage/raw.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

const json = { 'Content-Type': 'application/json' }
const bearer = () => ({ ...json, Authorization: `Bearer ${company.token}` })
const stranger = () => ({ ...json, Authorization: `Bearer ${company.token.slice(0, -8)}00000000` })
const large = 300_000
const bodyOf = (length: number) => `{"name":"Large","notes":null}${' '.repeat(length - 29)}`

describe('A large body is not received before its caller is known', () => {
  const rows = [
    { why: 'no token', headers: () => json, path: '/v1/clients', length: large, code: 'unauthorized' },
    { why: 'a wrong token', headers: stranger, path: '/v1/clients', length: large, code: 'unauthorized' },
    { why: 'a parameter', headers: bearer, path: '/v1/clients?nope=1', length: large, code: 'unknown_parameter' },
    {
      why: 'a type',
      headers: () => ({ ...bearer(), 'Content-Type': 'text/plain' }),
      path: '/v1/clients',
      length: large,
      code: 'unsupported_media_type',
    },
    { why: 'its size', headers: bearer, path: '/v1/clients', length: 1024 * 1024 + 1, code: 'payload_too_large' },
    { why: 'no token, before its size', headers: () => json, path: '/v1/clients', length: 2e9, code: 'unauthorized' },
  ]
  test.each(rows)('$why refuses it though not a byte of it has come', async ({ headers, path, length, code }) => {
    const raw = await openRaw(stage.url)
    raw.write(head('POST', path, { ...headers(), 'Content-Length': String(length) }))
    const heard = await raw.hear('\r\n\r\n{')
    expect(heard).toContain(`"code":"${code}"`)
    expect(heard).toContain('Connection: close')
    raw.socket.destroy()
  })

  test('one that does not say how large it is gets as far as 64 KiB', async () => {
    const raw = await openRaw(stage.url)
    raw.write(head('POST', '/v1/clients', { ...stranger(), 'Transfer-Encoding': 'chunked' }))
    raw.write(`10400\r\n${'x'.repeat(0x10400)}\r\n`)
    expect(await raw.hear('"code"')).toContain('"code":"unauthorized"')
    raw.socket.destroy()
  })

  test('a caller who is known is received up to 1 MiB, in chunks as well', async () => {
    for (const length of [5000, 65_536, 65_537, 1024 * 1024]) {
      expect((await company.call('POST', '/v1/clients', { raw: bodyOf(length) })).status, String(length)).toBe(201)
      const chunked = await stage.send({
        method: 'POST',
        path: '/v1/clients',
        headers: [...Object.entries(bearer()), ['Transfer-Encoding', 'chunked']],
        body: bodyOf(length),
      })
      expect(chunked.status, String(length)).toBe(201)
    }
  })

  test('who is refused gets to read why, though he sends all of it', async () => {
    for (let count = 0; count < 20; count++) {
      const { status } = await company.call('POST', '/v1/clients', { raw: bodyOf(1024 * 1024), token: null })
      expect(status).toBe(401)
    }
  })

  test('of one that comes slowly a second is waited for', async () => {
    const raw = await openRaw(stage.url)
    raw.write(head('POST', '/v1/clients', { ...json, 'Content-Length': String(large) }))
    await raw.hear('"code":"unauthorized"')
    await raw.closed
  })

  test('a refusal of authorization is logged once, and what passes is logged by its write', async () => {
    const own = await stage.company({ scopes: ['CLIENTS_VIEW'] })
    expect((await own.call('POST', '/v1/clients', { raw: bodyOf(large) })).body.code).toBe('insufficient_scope')
    expect(await own.calls()).toMatchObject([{ route: 'clients.create', status: 403, counted: false }])
  })
})

describe('Expect: 100-continue', () => {
  const expecting = (headers: { [name: string]: string }, length = 30) =>
    head('POST', '/v1/clients', { ...headers, Expect: '100-continue', 'Content-Length': String(length) })

  test('is told to go on when the caller is known', async () => {
    const raw = await openRaw(stage.url)
    raw.write(expecting(bearer()))
    await raw.hear('HTTP/1.1 100 Continue\r\n\r\n')
    raw.write(bodyOf(30))
    await raw.hear('HTTP/1.1 201 Created')
    raw.socket.destroy()
  })

  test.each([
    ['a wrong token', stranger, 30],
    ['a body that is too large', bearer, 1024 * 1024 + 1],
  ] as const)('%s is refused without', async (_, headers, length) => {
    const raw = await openRaw(stage.url)
    raw.write(expecting(headers(), length))
    await raw.closed
    expect(raw.heard()).toMatch(/^HTTP\/1.1 4\d\d /)
    expect(raw.heard()).not.toContain('100 Continue')
  })
})

describe('The console', () => {
  const signIn = (length: number) =>
    stage.send({
      method: 'POST',
      path: '/console/session',
      headers: [...Object.entries(json), ['Sec-Fetch-Site', 'same-origin']],
      body: `{"email":"a@example.com","password":"wrong"}${' '.repeat(length - 44)}`,
    })
  test('takes 4 KiB to sign in', async () => {
    expect((await signIn(4096)).body.code).not.toBe('payload_too_large')
    expect((await signIn(4097)).body.code).toBe('payload_too_large')
    expect((await signIn(1_000_000)).body.code).toBe('payload_too_large')
  })

  test('answers who is refused before he has sent it all', async () => {
    const raw = await openRaw(stage.url)
    raw.write(head('POST', '/console/records/clients', { ...json, 'Content-Length': '900000' }))
    const heard = await raw.hear('"code"')
    expect(heard).toContain('"code":"unauthorized"')
    expect(heard.toLowerCase()).toContain('connection: close')
    raw.write('x'.repeat(900_000))
    await raw.closed
  })
})

test.each([
  ['/v1/clients', 'clients.create', '{"na'],
  ['/v1/clients', 'clients.create', ''],
  ['/console/session', 'console.session.begin', '{"em'],
] as const)(
  'A caller who hangs up in the middle of his body to %s is neither an error nor counted as one (%#)',
  async (path, route, part) => {
    const lines: { level: number; msg: string }[] = []
    const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const served = await serve({ ...stage.app, log })
    try {
      const raw = await openRaw(served.url)
      raw.write(head('POST', path, { ...bearer(), 'Sec-Fetch-Site': 'same-origin', 'Content-Length': '2000' }) + part)
      await new Promise((resolve) => setTimeout(resolve, 50))
      raw.socket.destroy()
      await eventually(async () => expect(lines.map(({ msg }) => msg)).toContain('the caller hung up'))
      expect(lines.filter(({ level }) => level > 20)).toEqual([])
      const metrics = await stage.app.metrics.text()
      expect(metrics).toContain(`plumbline_request_seconds_count{route="${route}",status="499"}`)
      expect(metrics).not.toContain(`plumbline_request_seconds_count{route="${route}",status="500"}`)
    } finally {
      await served.drain()
    }
  },
)
