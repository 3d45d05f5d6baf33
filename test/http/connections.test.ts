import { afterEach, describe, expect, test } from 'vitest'
import { send } from '../stage/http.ts'
import { head, openRaw, type Raw, type RawOptions } from '../stage/raw.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import { eventually, pause } from '../stage/wait.ts'

let stage: Stage
let raws: Raw[] = []
afterEach(async () => {
  for (const { socket } of raws) socket.destroy()
  raws = []
  await stage.close()
})

const open = async (options?: RawOptions): Promise<Raw> => {
  const raw = await openRaw(stage.url, options)
  raws.push(raw)
  return raw
}
const script = head('GET', '/v1/docs/scalar.js')
const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await stage.app.metrics.text())?.[1] ?? Number.NaN)
const waiting = (): Promise<number> => stage.waiting()
const health = (path: string) => send(stage.url, { method: 'GET', path })

describe('Of more connections than CONNECTIONS_MAX', () => {
  test('those are closed that have been idle for longest, and anyone who asks is answered', async () => {
    stage = await openStage({ CONNECTIONS_MAX: '16' })
    const company = await stage.company()
    const idle: Raw[] = []
    for (let count = 0; count < 60; count++) idle.push(await open())
    await Promise.all(idle.slice(0, 44).map(({ closed }) => closed))
    expect(idle.at(-1)?.socket.closed).toBe(false)
    expect((await company.get('/v1/clients')).status).toBe(200)
    expect(await metric('plumbline_connections')).toBeLessThanOrEqual(16)
    expect(await metric('plumbline_connections_cut_total\\{why="idle"\\}')).toBeGreaterThanOrEqual(44)
  })

  test('none is closed that waits for its answer; health is answered, everything else refused', async () => {
    stage = await openStage({ CONNECTIONS_MAX: '16' })
    const company = await stage.company()
    const ask = head('GET', '/v1/equipment?status=ACTIVE', { Authorization: `Bearer ${company.token}` })
    const busy = await stage.inTransaction(async (transaction) => {
      await transaction.run({ text: 'lock table equipment', values: [] })
      // The connection that made the company is idle, and goes.
      const busy = await Promise.all(Array.from({ length: 16 }, () => open()))
      for (const raw of busy) raw.write(ask)
      await eventually(async () => expect(await waiting()).toBe(16))
      const refused = await open()
      refused.write(head('GET', '/v1/clients'))
      expect(await refused.hear('"code"')).toContain('"code":"overloaded"')
      await refused.closed
      for (const path of ['/healthz', '/readyz'])
        for (let count = 0; count < 50; count++) expect((await health(path)).status, path).toBe(200)
      // As many as like may knock and say nothing: they cut off each other alone, in whatever order they are accepted.
      await Promise.all(Array.from({ length: 100 }, () => open({ from: '127.0.0.2' })))
      for (let count = 0; count < 10; count++) expect((await health('/healthz')).status).toBe(200)
      return busy
    })
    for (const raw of busy) expect(await raw.hear('"meta"')).toContain('HTTP/1.1 200 OK')
  })
})

describe('An answer that is not read', () => {
  test('ends its connection after WRITE_TIMEOUT_MS; one that is read slowly is sent whole', async () => {
    stage = await openStage({ WRITE_TIMEOUT_MS: '1000' })
    const stuck = await open({ reads: false })
    const slow = await open({ reads: false })
    stuck.write(script)
    slow.write(head('GET', '/v1/docs/scalar.js', { Connection: 'close' }))
    let read = 0
    while (!slow.socket.readableEnded) {
      read += slow.socket.read(Math.min(128 * 1024, slow.socket.readableLength))?.length ?? 0
      await pause(40)
    }
    expect(read).toBeGreaterThan(4_000_000)
    // A caller who reads nothing does not see the end either, before he reads.
    await eventually(async () => expect(await metric('plumbline_connections_cut_total\\{why="unread"\\}')).toBe(1))
    stuck.socket.resume()
    await stuck.closed
  })

  test('takes its peer’s part of BUFFER_MB at most: then he is refused, and others are not', async () => {
    stage = await openStage({ BUFFER_MB: '4', WRITE_TIMEOUT_MS: '600000' })
    const company = await stage.company()
    const other = (path: string) => send(stage.url, { method: 'GET', path, from: '127.0.0.2' })
    for (let count = 0; count < 40; count++) (await open({ reads: false })).write(script)
    await eventually(async () => expect((await health('/v1/openapi.json')).body?.code).toBe('overloaded'))
    expect((await health('/healthz')).status).toBe(200)
    expect((await other('/v1/docs')).status).toBe(200)
    const page = await send(stage.url, {
      method: 'GET',
      path: '/v1/clients',
      headers: [['Authorization', `Bearer ${company.token}`]],
      from: '127.0.0.2',
    })
    expect(page.status).toBe(200)
    for (const { socket } of raws) socket.destroy()
    await eventually(async () => expect((await health('/v1/openapi.json')).status).toBe(200))
  })
})

test('Where many peers together hold all of BUFFER_MB, one who holds nothing is served and may write', async () => {
  stage = await openStage({ BUFFER_MB: '4', WRITE_TIMEOUT_MS: '600000' })
  const company = await stage.company()
  const from = (peer: number) => `127.0.1.${1 + (peer % 50)}`
  for (let count = 0; count < 150; count++) (await open({ reads: false, from: from(count) })).write(script)
  const more = () => send(stage.url, { method: 'GET', path: '/v1/openapi.json', from: from(0) })
  await eventually(async () => expect((await more()).status).toBe(503))
  const asked = { headers: [['Authorization', `Bearer ${company.token}`]] as [string, string][], from: '127.0.0.2' }
  expect((await send(stage.url, { method: 'GET', path: '/v1/clients', ...asked })).status).toBe(200)
  asked.headers.push(['Content-Type', 'application/json'])
  const made = await send(stage.url, { method: 'POST', path: '/v1/clients', ...asked, body: '{"name":"X"}' })
  expect(made.status).toBe(201)
})

test('Bodies that are still coming in take the peer’s part as well, whatever size they are sent in', async () => {
  stage = await openStage({ BUFFER_MB: '4' })
  const company = await stage.company()
  await company.create('clients', { name: 'Before' })
  const part = head('POST', '/v1/clients', { 'Content-Type': 'application/json', 'Content-Length': '60000' })
  for (let count = 0; count < 30; count++) (await open()).write(part + ' '.repeat(59_000))
  await eventually(async () => {
    const { status, body } = await company.call('POST', '/v1/clients', { body: { name: 'X' } })
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'overloaded' })
  })
  expect(raws.filter((raw) => raw.heard().includes('overloaded')).length).toBeGreaterThan(0)
  for (const { socket } of raws) socket.destroy()
  await eventually(async () =>
    expect((await company.call('POST', '/v1/clients', { body: { name: 'X' } })).status).toBe(201),
  )
})
