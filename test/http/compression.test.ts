import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '#server/console-api/routes.ts'
import { inItsCoding } from '#server/console-api/site.ts'
import { inCoding } from '#server/http/codings.ts'
import { openRaw } from '../stage/raw.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
let company: Company
let id: number
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
  id = await company.create('clients', { name: 'Long', notes: 'Gravel and sand. '.repeat(200) })
  for (let count = 0; count < 10; count++) await company.create('clients', { name: `Client ${count}` })
})
afterAll(() => stage.close())

const br = { 'Accept-Encoding': 'br' }
const gzip = { 'Accept-Encoding': 'gzip' }

describe('An answer with data over 1 KiB comes in the coding that its caller likes best', () => {
  const rows: { accepts: string; coding: string | undefined }[] = [
    { accepts: 'br', coding: 'br' },
    { accepts: 'gzip', coding: 'gzip' },
    { accepts: 'gzip, deflate, br, zstd', coding: 'br' },
    { accepts: 'br;q=0.1, gzip', coding: 'gzip' },
    { accepts: 'identity', coding: undefined },
    { accepts: 'br;q=0, gzip;q=0', coding: undefined },
    { accepts: 'deflate', coding: undefined },
    { accepts: '', coding: undefined },
  ]
  test.each(rows)('$accepts: $coding', async ({ accepts, coding }) => {
    for (const path of [`/v1/clients/${id}`, '/v1/clients']) {
      const plain = await company.get(path)
      const answer = await company.get(path, { 'Accept-Encoding': accepts })
      expect(answer).toMatchObject({ status: 200, text: plain.text })
      expect(answer.headers['content-encoding']).toBe(coding)
      expect(Number(answer.headers['content-length'])).toBe(answer.sent)
      for (const { headers } of [plain, answer]) expect(headers.vary).toBe('Authorization, Accept-Encoding')
      if (coding !== undefined) expect(answer.sent).toBeLessThan(plain.sent / 3)
      // Each form has a tag of its own (RFC 9110 8.8.3.3).
      expect(answer.headers.etag).toBe(coding ? plain.headers.etag?.replace(/"$/, `-${coding}"`) : plain.headers.etag)
    }
  })

  test('a short one comes as it is, from 1025 bytes on in a coding', async () => {
    const sized = (length: number) => ({ status: 200, headers: {}, body: 'é'.repeat(length / 2) })
    const codingOf = async (bytes: number) =>
      (await inCoding(sized(bytes), () => ({ 'accept-encoding': 'gzip' }), true)).headers['Content-Encoding']
    expect(await Promise.all([2, 340, 1000, 1024, 1026].map(codingOf))).toEqual([
      ...[undefined, undefined, undefined, undefined],
      'gzip',
    ])
    const short = await company.get('/v1/clients?limit=1&fields=id', br)
    expect(short.headers['content-encoding']).toBeUndefined()
    expect(short.headers.etag).toMatch(/^"[\w-]{22}"$/)
  })

  test('HEAD says of it what GET does', async () => {
    const [head, get] = [
      await company.call('HEAD', '/v1/clients', { headers: br }),
      await company.get('/v1/clients', br),
    ]
    for (const name of ['etag', 'content-encoding', 'content-length', 'vary'])
      expect(head.headers[name], name).toBe(get.headers[name])
    expect([head.text, get.headers['content-encoding']]).toEqual(['', 'br'])
  })

  test('a refusal and the answer of a write too; what they say in ETag is about the record', async () => {
    const strangers = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`stranger_${index}`, index]))
    const refused = await company.call('POST', '/v1/clients', { body: strangers, headers: gzip })
    expect(refused).toMatchObject({ status: 422, headers: { 'content-encoding': 'gzip', vary: 'Accept-Encoding' } })
    expect(refused.body.errors).toHaveLength(31)
    const headers = { 'Content-Encoding': 'br', ETag: '"1-aaaaaaaaaaaaaaaaaaaaaa"' }
    const reply = { status: 200, headers: { ETag: headers.ETag }, body: 'x'.repeat(2000) }
    expect((await inCoding(reply, () => ({ 'accept-encoding': 'br' }), false)).headers).toMatchObject(headers)
  })
})

describe('Conditions ignore the coding', () => {
  test('304 repeats the form that the caller has', async () => {
    for (const path of [`/v1/clients/${id}`, '/v1/clients']) {
      for (const form of [{}, br, gzip]) {
        const { etag } = (await company.get(path, form)).headers
        for (const now of [{}, br, gzip]) {
          const answer = await company.get(path, { ...now, 'If-None-Match': `"other", W/${etag}` })
          expect(answer).toMatchObject({ status: 304, text: '', headers: { etag } })
          expect(answer.headers.vary).toBe('Authorization, Accept-Encoding')
          expect(answer.headers['content-encoding']).toBeUndefined()
        }
      }
    }
  })

  test('the tag of a coded read serves an update, and a change makes every form new', async () => {
    const path = `/v1/clients/${id}`
    const { etag } = (await company.get(path, gzip)).headers
    expect(etag).toMatch(/-gzip"$/)
    const headers = { 'If-Match': etag as string }
    expect((await company.call('PATCH', path, { body: { name: 'Longer' }, headers })).status).toBe(200)
    expect((await company.call('PATCH', path, { body: { name: 'Longest' }, headers })).status).toBe(412)
    expect((await company.get(path, { ...gzip, 'If-None-Match': etag as string })).status).toBe(200)
  })
})

test('Two callers on one connection, one of whom takes no coding, each get their own form', async () => {
  const raw = await openRaw(stage.url)
  const asked = (more: string) =>
    `GET /v1/clients/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${company.token}\r\n${more}\r\n`
  raw.write(asked('Accept-Encoding: gzip\r\n') + asked('Connection: close\r\n'))
  await raw.closed
  const [, first = '', second = ''] = raw.heard().split('HTTP/1.1 200 OK')
  expect(first).toContain('Content-Encoding: gzip')
  expect(second).not.toContain('Content-Encoding')
  expect(second).toContain('Gravel and sand.')
})

describe('The console', () => {
  const long = { status: 200, headers: { 'Content-Type': 'application/json' }, body: 'x'.repeat(5000) }
  const takesAll = { 'accept-encoding': 'gzip, br' }

  test('compresses what is over 1 KiB', async () => {
    const { headers, body } = await inItsCoding({ method: 'GET' }, long, takesAll)
    expect(headers).toMatchObject({ 'Content-Encoding': 'br', Vary: 'Accept-Encoding' })
    expect(brotliDecompressSync(body as Buffer).toString()).toBe(long.body)
  })

  test('compresses an export while it is written', async () => {
    for (const [accepts, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const body = Readable.from(['one;', 'two'], { objectMode: false })
      const answer = await inItsCoding({ method: 'GET' }, { ...long, body }, { 'accept-encoding': accepts })
      expect(answer.headers['Content-Encoding']).toBe(accepts)
      expect(decode(await buffer(answer.body as Readable)).toString()).toBe('one;two')
    }
  })

  test('breaks off an export that fails, coded or not', async () => {
    async function* failing() {
      yield 'one'
      throw new Error('the database is gone')
    }
    const body = Readable.from(failing(), { objectMode: false })
    const answer = await inItsCoding({ method: 'GET' }, { ...long, body }, takesAll)
    await expect(buffer(answer.body as Readable)).rejects.toThrow('the database is gone')
  })

  test('never compresses an answer that shows a secret, however long', async () => {
    expect(routes.filter(({ showsSecret }) => showsSecret).map((route) => route.id)).toEqual([
      ...['token.issue', 'token.show', 'token.rotate', 'webhooks.create', 'webhooks.rotate'],
    ])
    for (const route of routes.filter(({ showsSecret }) => showsSecret)) {
      const { headers, body } = await inItsCoding(route, long, takesAll)
      expect(headers).toEqual(long.headers)
      expect(body).toBe(long.body)
    }
  })
})
