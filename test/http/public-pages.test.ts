import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Definition } from '#registry/definition.ts'
import { registry } from '#registry/resources/index.ts'
import { openCoder } from '#server/http/codings.ts'
import { turnsOf } from '#server/http/turns.ts'
import { openStage, type Stage } from '../stage/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const get = async (path: string, headers: { [name: string]: string } = {}, method = 'GET') => {
  const answer = await fetch(`${stage.url}${path}`, { method, headers, redirect: 'manual' })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
/** What comes over the wire, not decoded. */
const bytesOf = async (path: string, coding: string) => {
  const { request } = await import('node:http')
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>((resolve, reject) => {
    request(`${stage.url}${path}`, { headers: { 'Accept-Encoding': coding } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () => resolve({ headers: answer.headers, bytes: Buffer.concat(chunks) }))
    })
      .on('error', reject)
      .end()
  })
}

const documents = [
  '/v1/openapi.json',
  '/v1/openapi-client.json',
  '/v1/postman.json',
  '/llms.txt',
  '/docs/errors',
  '/v1/docs/scalar.js',
]

describe.each([...documents, '/v1/docs'])('%s', (path) => {
  test('has a strong tag, by which it need not be sent twice, in whichever coding it came', async () => {
    const plain = await get(path, { 'Accept-Encoding': 'identity' })
    const tag = plain.headers.get('etag') as string
    expect(plain.status).toBe(200)
    expect(tag).toMatch(/^"[\w-]{22}"$/)
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, `, ${tag}`, '*', tag.replace(/"$/, '-gzip"')]) {
      const again = await get(path, { 'If-None-Match': known, 'Accept-Encoding': 'identity' })
      expect(again, known).toMatchObject({ status: 304, text: '' })
      expect(again.headers.get('etag')).toBe(tag)
      expect(again.headers.get('vary')).toBe('Accept-Encoding')
    }
    for (const other of ['"x"', tag.slice(1, -1), '"'])
      expect((await get(path, { 'If-None-Match': other })).status, other).toBe(200)
  })

  test('HEAD is GET without the content', async () => {
    const [head, whole] = [await get(path, {}, 'HEAD'), await get(path)]
    expect(head.text).toBe('')
    for (const name of ['etag', 'content-type', 'content-length', 'content-encoding'])
      expect(head.headers.get(name), name).toBe(whole.headers.get(name))
  })
})

describe.each(documents)('%s', (path) => {
  test('is sent in the coding that the caller likes best, each with a tag of its own', async () => {
    const plain = await bytesOf(path, 'identity')
    const rows: [accepted: string, coding: string | undefined][] = [
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'br'],
      ['gzip;q=1, br;q=0.5', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['br;q=0', undefined],
      ['zstd', undefined],
      ['nonsense;;;q=,,', undefined],
    ]
    const tags = new Set([plain.headers.etag])
    for (const [accepted, coding] of rows) {
      const { headers, bytes } = await bytesOf(path, accepted)
      expect(headers['content-encoding'], accepted).toBe(coding)
      expect(headers.vary).toBe('Accept-Encoding')
      expect(Number(headers['content-length'])).toBe(bytes.length)
      const decoded = coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes
      expect(decoded.equals(plain.bytes), accepted).toBe(true)
      if (coding !== undefined) expect(bytes.length).toBeLessThan(plain.bytes.length / 2)
      tags.add(headers.etag)
    }
    expect(tags.size).toBe(3)
  })
})

test('A route that comes while the service runs is in the next document', async () => {
  const [clients] = registry.filter(({ name }) => name === 'clients')
  const documented = async () => Object.keys(JSON.parse((await get('/v1/openapi.json')).text).paths)
  const tag = (await get('/v1/openapi.json')).headers.get('etag')
  expect(await documented()).not.toContain('/v1/gadgets')
  const gadgets = { ...clients, name: 'gadgets', one: 'gadget' } as Definition
  ;(registry as Definition[]).push(gadgets)
  try {
    expect(await documented()).toContain('/v1/gadgets')
    expect((await get('/v1/openapi.json', { 'If-None-Match': tag as string })).status).toBe(200)
  } finally {
    ;(registry as Definition[]).pop()
  }
  expect(await documented()).not.toContain('/v1/gadgets')
  expect((await get('/v1/openapi.json')).headers.get('etag')).toBe(tag)
})

test('A text is compressed once while it stays the same, and sixteen are kept', async () => {
  const coded = openCoder()
  const bodyOf = async (text: string) =>
    (await coded({ status: 200, headers: {}, body: text.repeat(2000) }, { 'accept-encoding': 'br' })).body
  const first = await bodyOf('first')
  expect(await bodyOf('first')).toBe(first)
  for (let count = 0; count < 15; count++) await bodyOf(`text ${count}`)
  expect(await bodyOf('first')).toBe(first)
  for (let count = 0; count < 16; count++) await bodyOf(`more ${count}`)
  expect(await bodyOf('first')).not.toBe(first)
})

test('Documents are made one in a turn of the event loop, and others come between', async () => {
  const turn = turnsOf(1)
  const order: string[] = []
  const made = [1, 2, 3].map((number) => turn().then(() => order.push(`document ${number}`)))
  let turns = 0
  const others = (): void => {
    order.push('others')
    if (++turns < 4) setImmediate(others)
  }
  setImmediate(others)
  await Promise.all(made)
  for (const number of [1, 2]) {
    const between = order.slice(order.indexOf(`document ${number}`), order.indexOf(`document ${number + 1}`))
    expect(between).toContain('others')
  }
})

test('Documents have places of their own; who finds none is refused, and data are read meanwhile', async () => {
  const small = await openStage({ REQUESTS_MAX: '1' })
  try {
    const company = await small.company()
    const asked = Array.from({ length: 20 }, () => fetch(`${small.url}/v1/openapi.json`).then(({ status }) => status))
    expect((await company.get('/v1/clients')).status).toBe(200)
    const statuses = await Promise.all(asked)
    expect(statuses).toContain(200)
    expect(statuses).toContain(503)
    expect((await small.app.metrics.text()).match(/turned_away_total\{sort="documents"\} (\d+)/)?.[1]).not.toBe('0')
  } finally {
    await small.close()
  }
})
