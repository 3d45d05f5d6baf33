import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  BadSignature,
  connect,
  type Preview,
  Refused,
  Unreachable,
  verifyWebhook,
} from '../../clients/typescript/src/index.ts'

/** The package for TypeScript, at a server, a stored value or a sender of webhooks that means harm. */

const closing: (() => void)[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0)) close()
})

/** Starts a server on loopback that records each request. */
async function hostile(listener: RequestListener) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, answer) => {
    requests.push(request)
    listener(request, answer)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, requests }
}

const busy =
  (retryAfter: string): RequestListener =>
  (_, answer) => {
    answer.writeHead(503, { 'Retry-After': retryAfter }).end('{"code":"unavailable","detail":""}')
  }
const json =
  (body: unknown): RequestListener =>
  (_, answer) => {
    answer.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('A far Retry-After', () => {
  const farAway = [
    ['in the year 9999', 'Fri, 31 Dec 9999 23:59:59 GMT'],
    ['of three thousand years', '99999999999'],
    ['of 400 digits', '9'.repeat(400)],
  ] as const

  test.each(farAway)('%s makes a follower wait, and not hammer.', async (_, retryAfter) => {
    const { url, requests } = await hostile(busy(retryAfter))
    const stop = new AbortController()
    const following = connect({ baseUrl: url, token: 'x' }).follow({ signal: stop.signal }).next()
    following.catch(() => undefined)
    await pause(700)
    stop.abort(new Error('enough'))
    await expect(following).rejects.toThrow('enough')
    expect(requests).toHaveLength(1)
  })

  test('stops a call without a deadline for an hour at most.', async () => {
    const { url } = await hostile(busy('864000'))
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const stop = new AbortController()
    const reading = connect({ baseUrl: url, token: 'x' }).cursor({ signal: stop.signal })
    const longest = () => Math.max(...timers.mock.calls.map(([, ms]) => ms ?? 0))
    await expect.poll(longest).toBe(3_600_000)
    stop.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
  })

  test.each(farAway)('%s ends a call with a deadline at once.', async (_, retryAfter) => {
    const { url, requests } = await hostile(busy(retryAfter))
    await expect(connect({ baseUrl: url, token: 'x' }).me()).rejects.toBeInstanceOf(Unreachable)
    expect(requests).toHaveLength(1)
  })
})

test('A deadline beyond the longest timer of the platform ends no attempt at once.', async () => {
  const { url, requests } = await hostile((_, answer) => void setTimeout(() => answer.end('{"data":{}}'), 100))
  const batch = connect({ baseUrl: url, token: 'x', deadlineMs: 2 ** 40 }).batch({ mode: 'all' })
  batch.clients.create({ name: 'A' })
  await batch.send()
  expect(requests).toHaveLength(1)
})

describe('An answer that leads nowhere', () => {
  test('makes a follower ask once a second and no more often.', async () => {
    const { url, requests } = await hostile(json({ data: [], meta: { next: 'same', more: true, records: [] } }))
    const stop = new AbortController()
    const following = connect({ baseUrl: url, token: 'x' }).follow({ after: 'same', signal: stop.signal }).next()
    following.catch(() => undefined)
    await pause(1500)
    stop.abort(new Error('enough'))
    await expect(following).rejects.toThrow('enough')
    expect(requests.length).toBeLessThanOrEqual(3)
  })

  test('ends the reading of a feed without a cursor, instead of beginning anew.', async () => {
    const { url, requests } = await hostile(json({ data: [], meta: { more: true, records: [] } }))
    await expect(connect({ baseUrl: url, token: 'x' }).follow({ after: 'a' }).next()).rejects.toThrow(TypeError)
    expect(requests).toHaveLength(1)
  })

  test('ends a list whose pages repeat.', async () => {
    const { url, requests } = await hostile(json({ data: [{ id: 7 }], meta: { total: 9, limit: 1, offset: 0 } }))
    const read = async () => {
      for await (const record of connect({ baseUrl: url, token: 'x' }).clients.list()) if (!record) return
    }
    await expect(read()).rejects.toThrow('does not go on after the id 7')
    expect(requests).toHaveLength(2)
  })

  test('ends an undo that has always as much to do.', async () => {
    const { url, requests } = await hostile(json({ data: { undone: true, records: 1, remaining: 5 } }))
    await expect(connect({ baseUrl: url, token: 'x' }).undo(randomUUID())).rejects.toThrow('does not go on')
    expect(requests).toHaveLength(2)
  })
})

describe('A stored preview', () => {
  const plan = { hash: `sha256-${'A'.repeat(43)}`, total: 1, changes: [], would_delete: [], would_keep: [] }
  const stored = (changed: object): Preview => ({
    ...{ method: 'POST', path: '/v1/clients', body: '{}', key: 'a-key', headers: {} },
    ...plan,
    ...changed,
  })

  test('is sent to no other address than its service’s, below /v1/, however its path is written.', async () => {
    const elsewhere = await hostile(json({ data: {} }))
    const service = await hostile(json({ data: {} }))
    const digits = String(elsewhere.port)
    // The first digits are a port too, and the path gives the rest.
    const cutOff = connect({ baseUrl: `http://127.0.0.1:${digits.slice(0, -1)}`, token: 'secret', deadlineMs: 1000 })
    await expect(cutOff.apply(stored({ path: `${digits.slice(-1)}/v1/clients` }))).rejects.toThrow(TypeError)
    const client = connect({ baseUrl: service.url, token: 'secret', deadlineMs: 1000 })
    const paths = [
      `@127.0.0.1:${digits}/v1/clients`,
      `.127.0.0.1.example:${digits}/v1/clients`,
      `http://127.0.0.1:${digits}/v1/clients`,
      `//127.0.0.1:${digits}/v1/clients`,
      '',
      '/',
      '/v1',
      '/v1/',
      '/v2/clients',
      '/console/session',
      '/v1/../console/session',
      '/v1/clients/../../console/session',
      '/v1/%2e%2e/console/session',
      '/v1/.%2E/console/session',
      '/v1/./clients',
      '/v1/..\\console/session',
      '\\v1\\clients',
      '/v1\\clients',
      '/v1/clients?x=1',
      '/v1/clients#x',
      '/v1/cli\tents',
      '/v1/cli\nents',
      ' /v1/clients',
      '/v1/clients ',
      '/v1/clients/ü',
    ]
    for (const path of paths) await expect(client.apply(stored({ path })), path).rejects.toThrow(TypeError)
    expect([elsewhere.requests, service.requests]).toEqual([[], []])
    await client.apply(stored({ path: '/v1/clients' }))
    expect(service.requests).toHaveLength(1)
  })

  test('keeps the base path of a service that has one.', async () => {
    const { url, requests } = await hostile(json({ data: {} }))
    const client = connect({ baseUrl: `${url}/erp/`, token: 'x' })
    await client.apply(stored({}))
    await expect(client.apply(stored({ path: '/v1/../v1/clients' }))).rejects.toThrow(TypeError)
    expect(requests.map((request) => request.url)).toEqual(['/erp/v1/clients'])
  })

  test('brings conditions alone as headers: neither a token nor a host.', async () => {
    const { url, requests } = await hostile(json({ data: {} }))
    const headers = { authorization: 'Bearer of-another', 'X-Forwarded-For': '::1', 'If-Match': '"1-a"' }
    await connect({ baseUrl: url, token: 'own' }).apply(stored({ headers }))
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer own', 'if-match': '"1-a"' })
    expect(requests[0]?.headers).not.toHaveProperty('x-forwarded-for')
  })

  test.each([
    ['method', { method: 'TRACE' }],
    ['body', { body: { name: 'A' } }],
    ['hash', { hash: 'x", "y' }],
    ['key', { key: 'two words' }],
  ])('with another %s than the client makes is refused before it is sent.', async (_, changed) => {
    const { url, requests } = await hostile(json({ data: {} }))
    await expect(connect({ baseUrl: url, token: 'x' }).apply(stored(changed))).rejects.toThrow(TypeError)
    expect(requests).toEqual([])
  })

  test('has the call that was previewed, whatever members the answer has.', async () => {
    const forged = { ...plan, method: 'DELETE', path: '@127.0.0.1:1/', key: 'theirs', headers: { authorization: 'x' } }
    const { url } = await hostile(json({ data: {}, plan: forged }))
    const preview = await connect({ baseUrl: url, token: 'x' }).preview.clients.create({ name: 'A' }, { key: 'mine' })
    expect(preview).toEqual({
      ...{ method: 'POST', path: '/v1/clients', body: '{"name":"A"}', key: 'mine', headers: {} },
      ...plan,
    })
  })
})

test.each(['.', '..'])(
  'An external reference of %s, which no address can have, is refused before it is sent.',
  async (ref) => {
    const { url, requests } = await hostile(json({ data: {} }))
    await expect(connect({ baseUrl: url, token: 'x' }).clients.deleteByRef(ref)).rejects.toThrow(TypeError)
    expect(requests).toEqual([])
  },
)

describe('The members of a refusal', () => {
  const refusedBy = async (body: string) => {
    const { url } = await hostile((_, answer) => void answer.writeHead(422).end(body))
    return connect({ baseUrl: url, token: 'x' })
      .clients.create({ name: 'A' })
      .catch((error: unknown) => error)
  }

  test('are taken by their names: an error stays one, and says who threw it.', async () => {
    const error = await refusedBy(
      '{"code":"validation_failed","status":200,"detail":"wrong","__proto__":{"x":1},"constructor":{},"name":"Ours","message":"forged","stack":"forged","cause":"forged","toString":1,"requestId":"forged","retryAfter":1,"request_id":"req-1","errors":[]}',
    )
    expect(error).toBeInstanceOf(Refused)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'Refused', message: '422 validation_failed: wrong', status: 422, errors: [] })
    expect(error).toMatchObject({ requestId: 'req-1', retryAfter: undefined })
    expect((error as Error).stack).toContain('hostile-server.test.ts')
    for (const name of ['cause', 'toString', 'constructor', '__proto__'])
      expect(Object.hasOwn(error as object, name), name).toBe(false)
  })

  test('are left out where their type is another.', async () => {
    const error = await refusedBy(
      '{"code":"validation_failed","detail":{"toString":1,"valueOf":1},"title":[1],"errors":{"length":9},"limit":"1","request_id":{}}',
    )
    expect(error).toMatchObject({ message: '422 validation_failed: ', detail: '', title: '', requestId: undefined })
    for (const name of ['errors', 'limit']) expect(Object.hasOwn(error as object, name), name).toBe(false)
  })
})

describe('A webhook of a stranger', () => {
  const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD']
  const headersOf = (signature: string, at = new Date()) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signature,
  })
  const countHmacs = () => {
    const spies = [vi.spyOn(crypto.subtle, 'sign'), vi.spyOn(crypto.subtle, 'verify')]
    return () => spies.reduce((count, { mock }) => count + mock.calls.length, 0)
  }
  const ofRightLength = `v1,${Buffer.alloc(32).toString('base64')}`

  test('costs one computation for each secret, however many signatures it has.', async () => {
    const hmacs = countHmacs()
    const headers = headersOf(Array.from({ length: 80 }, () => ofRightLength).join(' '))
    await expect(verifyWebhook({ headers, body: '{}' }, secrets)).rejects.toThrow(BadSignature)
    expect(hmacs()).toBe(2)
  })

  test.each([
    ['thousands of short signatures', Array.from({ length: 3000 }, () => 'v1,AAAA').join(' ')],
    ['hundreds of signatures', Array.from({ length: 300 }, () => ofRightLength).join(' ')],
    ['a signature of 31 bytes', `v1,${Buffer.alloc(31).toString('base64')}`],
    ['a signature of 33 bytes', `v1,${Buffer.alloc(33).toString('base64')}`],
    ['a signature of another version', ofRightLength.replace('v1,', 'v2,')],
  ])('with %s costs none.', async (_, signature) => {
    const hmacs = countHmacs()
    await expect(verifyWebhook({ headers: headersOf(signature), body: '{}' }, secrets)).rejects.toThrow(BadSignature)
    expect(hmacs()).toBe(0)
  })

  const large = 'x'.repeat(8 * 1024 * 1024 + 1)
  const endless = (read: { bytes: number }) =>
    new ReadableStream({
      pull(controller) {
        read.bytes += 1024 * 1024
        controller.enqueue(new Uint8Array(1024 * 1024))
      },
    })

  test('with a body above 8 MB costs none, also if it is read.', async () => {
    const hmacs = countHmacs()
    const headers = headersOf(ofRightLength)
    const read = { bytes: 0 }
    const streamed = { method: 'POST', headers, body: endless(read), duplex: 'half' } as RequestInit
    const announced = { ...streamed, body: endless({ bytes: 0 }), headers: { ...headers, 'content-length': '9000000' } }
    for (const request of [
      { headers, body: large },
      { headers, body: Buffer.from(large) },
      { headers, body: 'ü'.repeat(5 * 1024 * 1024) },
      new Request('http://localhost/', streamed),
      new Request('http://localhost/', announced),
    ])
      await expect(verifyWebhook(request, secrets)).rejects.toThrow(BadSignature)
    expect(hmacs()).toBe(0)
    expect(read.bytes).toBeLessThan(16 * 1024 * 1024)
  })

  test('of 8 MB that a secret signed is taken, in one piece or in many.', async () => {
    const at = new Date()
    const body = JSON.stringify({ type: 'webhooks.test', data: { message: 'x'.repeat(8 * 1024 * 1024 - 60) } })
    const headers = headersOf(new Webhook(secrets[1] as string).sign('evt_1', at, body), at)
    expect(await verifyWebhook({ headers, body }, secrets)).toEqual(JSON.parse(body))
    const request = new Request('http://localhost/', { method: 'POST', headers, body: new Blob([body]) })
    expect(await verifyWebhook(request, secrets)).toEqual(JSON.parse(body))
  })
})
