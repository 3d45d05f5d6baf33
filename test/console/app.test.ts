import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serve } from '#server/serve.ts'
import { Fault } from '#server/store/faults.ts'
import { send } from '../stage/http.ts'
import { type ConsoleStage, openConsole } from './stage.ts'

let stage: ConsoleStage
let folder: string
let built: Awaited<ReturnType<typeof serve>>
let unbuilt: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  stage = await openConsole()
  folder = await mkdtemp(join(tmpdir(), 'plumbline-console-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><meta property="csp-nonce" content="__CSP_NONCE__"><title>App</title>',
  )
  await writeFile(join(folder, 'assets/app-0a1b2c.js'), 'run()')
  await writeFile(join(folder, 'assets/app-0a1b2c.js.gz'), gzipSync('zipped'))
  await writeFile(join(folder, 'plumb.svg'), '<svg/>')
  built = await serve(stage.app, folder)
  unbuilt = await serve(stage.app, join(folder, 'nowhere'))
})
afterAll(async () => {
  await built.drain()
  await unbuilt.drain()
  await rm(folder, { recursive: true })
  await stage.close()
})

const html: [string, string][] = [['Accept', 'text/html,*/*']]
const get = (path: string, headers = html, method = 'GET') => send(built.url, { method, path, headers })

describe('The app', () => {
  test.each(['/', '/index.html', '/projects', '/projects/5/show', '/settings/api?tab=calls'])(
    '%s is the page, which no cache keeps',
    async (path) => {
      const answer = await get(path)
      expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-cache' } })
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.text).toContain('<title>App</title>')
    },
  )

  test('each page has a nonce of its own, which its policy knows', async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const { text, headers } = await get('/')
        const nonce = /content="([^"]+)"/.exec(text)?.[1] as string
        expect(headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonce}'`)
        return nonce
      }),
    )
    expect(nonces[0]).not.toBe(nonces[1])
    expect(nonces[0]?.length).toBeGreaterThan(20)
  })

  test('its policy lets in nothing from elsewhere [V1.3.2] [V3.4.3] [V3.4.6] [V3.7.1] [V14.2.3]', async () => {
    const policy = (await get('/')).headers['content-security-policy']
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ])
      expect(policy?.split(';')).toContain(rule)
    expect(policy).not.toContain('unsafe')
  })

  test('hashed files are kept for a year, others asked for again', async () => {
    const script = await get('/assets/app-0a1b2c.js', [])
    expect(script).toMatchObject({ status: 200, text: 'run()' })
    expect(script.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const zipped = await get('/assets/app-0a1b2c.js', [['Accept-Encoding', 'gzip']])
    expect(zipped).toMatchObject({ text: 'zipped', headers: { 'content-encoding': 'gzip' } })
    expect(zipped.headers['content-type']).toMatch(/javascript/)
    expect((await get('/plumb.svg', [])).headers['cache-control']).toBe('no-cache')
  })

  test('HEAD is GET without the body', async () => {
    for (const path of ['/', '/assets/app-0a1b2c.js', '/console/me']) {
      expect((await get(path, html, 'HEAD')).text).toBe('')
    }
  })

  test.each([
    ['/assets/app-ffffff.js', html],
    ['/nothing', [] as [string, string][]],
    ['/console/nothing', html],
    ['/console/records/ghosts', html],
    ['/console', [] as [string, string][]],
    ['/assets/', [] as [string, string][]],
    ['/assets/', [['Accept-Encoding', 'br, gzip']] as [string, string][]],
    ['/assets', [['Accept-Encoding', 'br, gzip']] as [string, string][]],
    ['/nothing/', [['Accept-Encoding', 'br, gzip']] as [string, string][]],
    [`/assets/${'a'.repeat(260)}`, [] as [string, string][]],
    ['/assets/%00', [] as [string, string][]],
    ['/assets/../../package.json', [] as [string, string][]],
    ['/package.json', [] as [string, string][]],
    ['/.git/HEAD', [] as [string, string][]],
    ['/.env', [] as [string, string][]],
    ['/test/stage/stage.ts', [] as [string, string][]],
    ['/server/app.ts', [] as [string, string][]],
    ['/%2e%2e/%2e%2e/etc/passwd', [] as [string, string][]],
    ['/%zz', [] as [string, string][]],
  ])('%s is a problem with a code [V5.3.2] [V13.2.5] [V13.4.1] [V13.4.3] [V15.2.3]', async (path, headers) => {
    const answer = await get(path, headers)
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(answer.headers['x-request-id']).toBe(answer.body.request_id)
  })

  test('nothing is posted to it', async () => {
    expect((await get('/', html, 'POST')).status).toBe(404)
  })

  test('when it is not built, a page says how to do it', async () => {
    const answer = await send(unbuilt.url, { method: 'GET', path: '/', headers: html })
    expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('vite build') })
    expect((await send(unbuilt.url, { method: 'GET', path: '/console/me' })).status).toBe(401)
  })

  test('what is the API’s stays the API’s', async () => {
    for (const path of ['/v1/nothing', '/v1']) {
      const answer = await get(path)
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
      expect(answer.headers['x-frame-options']).toBeUndefined()
    }
    for (const path of ['/healthz', '/readyz', '/metrics', '/docs/errors', '/v1/docs', '/v1/openapi.json'])
      expect((await get(path)).status, path).toBe(200)
    const absolute = await get(`${built.url}/projects`)
    expect(absolute.text).toContain('<title>App</title>')
  })
})

describe('When a dependency fails', () => {
  test.each([
    [new Fault('unavailable', new Error('a secret cause')), 'unavailable', '1'],
    [new Error('a secret cause'), 'internal_error', undefined],
  ] as const)('%s is a problem and keeps the cause to itself [V13.4.2] [V16.5.1]', async (error, code, retryAfter) => {
    const failing = {
      ...stage.app,
      database: {
        ...stage.app.database,
        read: () => Promise.reject(error),
        transaction: () => Promise.reject(error),
      },
    }
    const broken = await serve(failing, folder)
    try {
      const cookie = `plumbline_session=${'A'.repeat(51)}`
      const answer = await send(broken.url, { method: 'GET', path: '/console/me', headers: [['Cookie', cookie]] })
      expect(answer.body.code).toBe(code)
      expect(answer.headers['retry-after']).toBe(retryAfter)
      expect(answer.text).not.toContain('secret')
    } finally {
      await broken.drain()
    }
  })

  test('a stop answers what was accepted', async () => {
    const admin = await stage.admin()
    const leaving = await serve({ ...stage.app, config: { ...stage.app.config, drainTimeout: 2000 } }, folder)
    let answer: ReturnType<typeof send> | undefined
    await stage.inTransaction(async (transaction) => {
      await transaction.run({ text: 'lock table clients in exclusive mode', values: [] })
      answer = send(leaving.url, {
        method: 'POST',
        path: '/console/records/clients',
        headers: [
          ['Cookie', admin.cookie],
          ['Sec-Fetch-Site', 'same-origin'],
          ['Content-Type', 'application/json'],
        ],
        body: '{"name":"Late"}',
      })
      await new Promise((resolve) => setTimeout(resolve, 100))
      void leaving.drain()
      await new Promise((resolve) => setTimeout(resolve, 900))
    })
    expect(await answer).toMatchObject({ status: 201, headers: { connection: 'close' } })
    await leaving.drain()
  })
})
