import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataRoutesOf } from '#derive/routes.ts'
import { registry } from '#registry/resources/index.ts'
import {
  BadSignature,
  connect,
  type Plumbline,
  Refused,
  Unreachable,
  verifyWebhook,
  type WebhookRequest,
} from '../../clients/typescript/src/index.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { type Fate, openCuttingProxy } from './cutting-proxy.ts'

let stage: Stage
let own: Company
let client: Plumbline
beforeAll(async () => {
  stage = await openStage()
  own = await stage.company()
  client = connect({ baseUrl: stage.url, token: own.token })
})
afterAll(() => stage.close())

const refusedWith = (code: string) => expect.objectContaining({ name: 'Refused', code })

/** How a program calls each operation of /v1, or why it has no method. */
const methods: { [operation: string]: string } = {
  list: 'projects.list and projects.page',
  create: 'projects.create',
  fetch: 'projects.get',
  update: 'projects.update',
  delete: 'projects.delete',
  history: 'projects.history',
  upsert: 'projects.upsert',
  fetch_by_ref: 'projects.getByRef',
  delete_by_ref: 'projects.deleteByRef',
  choices: 'projects.choices',
  me: 'me',
  changes: 'cursor, follow and consume',
  batch: 'batch',
  'writes.undo': 'undo',
}

/** A service that answers as it is told. */
async function answering(listener: RequestListener): Promise<{ url: string; close(): void }> {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('The client', () => {
  test('has a method for every operation of /v1.', () => {
    const operations = new Set(dataRoutesOf(registry).map(({ operation }) => operation))
    expect(Object.keys(methods).toSorted()).toEqual([...operations].toSorted())
  })

  test('creates, fetches, changes, upserts, lists and deletes records, with the types of each.', async () => {
    const made = await client.projects.create({ name: 'Quay wall', code: 'Q-1' }, { key: 'quay-wall-1' })
    expect(made).toMatchObject({ created: true, replayed: false, etag: expect.stringMatching(/^"1-/) })
    expect(await client.projects.create({ name: 'Quay wall', code: 'Q-1' }, { key: 'quay-wall-1' })).toEqual({
      ...made,
      replayed: true,
    })
    const fetched = await client.projects.get(made.id)
    expect(fetched).toMatchObject({ etag: made.etag, record: { id: made.id, name: 'Quay wall' } })
    expect(await client.projects.get(made.id, { ifNoneMatch: fetched.etag })).toMatchObject({ record: null })
    expect((await client.projects.get(made.id, { fields: ['name'] })).record).toEqual({
      id: made.id,
      name: 'Quay wall',
    })
    const changed = await client.projects.update(made.id, { notes: 'Tidal' }, { ifMatch: fetched.etag })
    expect(changed.changed).toEqual(['notes'])
    await expect(client.projects.update(made.id, { notes: null }, { ifMatch: fetched.etag })).rejects.toEqual(
      refusedWith('precondition_failed'),
    )
    const upserted = await client.projects.upsert('CRM/17 ü', { name: 'By reference' })
    expect((await client.projects.getByRef('crm/17 Ü')).record.id).toBe(upserted.id)
    await expect(client.projects.upsert('CRM/17 ü', { name: 'Again' }, { ifNoneMatch: '*' })).rejects.toEqual(
      refusedWith('precondition_failed'),
    )
    const { changes, total } = await client.projects.history(made.id)
    expect([total, changes.map(({ action }) => action)]).toEqual([2, ['updated', 'created']])
    expect(await client.projects.deleteByRef('CRM/17 ü')).toMatchObject({ deleted: true, mode: 'soft' })
    expect(await client.projects.delete(made.id)).toMatchObject({ deleted: true })
    await expect(client.projects.get(made.id)).rejects.toEqual(refusedWith('not_found'))
  })

  test('lists every record that matches, though some are deleted meanwhile, and pages in any order.', async () => {
    const many = await stage.company()
    const its = connect({ baseUrl: stage.url, token: many.token })
    const batch = its.batch({ mode: 'all' })
    for (let n = 0; n < 250; n += 1)
      batch.clients.create({ name: `Client ${String(n).padStart(3, '0')}`, status: n % 2 ? 'ACTIVE' : 'INACTIVE' })
    await batch.send()
    const names: string[] = []
    for await (const { id, name } of its.clients.list({ status: 'ACTIVE', fields: ['name'] })) {
      if (names.push(name) === 50) await its.clients.delete(id)
    }
    expect(names).toEqual(Array.from({ length: 125 }, (_, n) => `Client ${String(2 * n + 1).padStart(3, '0')}`))
    const page = await its.clients.page({ sort: ['-name'], offset: 10, limit: 2, fields: ['name'] })
    expect(page).toMatchObject({
      total: 249,
      offset: 10,
      limit: 2,
      records: [{ name: 'Client 239' }, { name: 'Client 238' }],
    })
  })

  test('says who calls, and what a field can be that has no collection.', async () => {
    expect(await client.me()).toMatchObject({
      company: { id: own.id },
      rate: null,
      scopes: expect.arrayContaining(['CLIENTS_VIEW']),
    })
    const id = await own.record('categories', { name: 'Walls', kind: 'project' })
    const found: unknown[] = []
    for await (const choice of client.projects.choices('category_id', { q: 'wall' })) found.push(choice)
    expect(found).toEqual([{ id, title: 'Walls' }])
  })

  test('previews a write, does what the preview says once however often it is applied, and takes it back.', async () => {
    const { id } = await client.clients.create({ name: 'Before' })
    const preview = await client.preview.clients.update(id, { name: 'After' })
    expect(preview).toMatchObject({
      total: 1,
      changes: [{ records: 'clients', id, action: 'updated', fields: { name: ['Before', 'After'] } }],
    })
    const stored = JSON.parse(JSON.stringify(preview))
    const applied = await client.apply(stored)
    expect(await client.apply(preview)).toEqual({ ...applied, replayed: true })
    const stale = await client.preview.clients.delete(id)
    await client.clients.update(id, { name: 'Later' })
    await expect(client.apply(stale)).rejects.toEqual(refusedWith('plan_changed'))
    await client.clients.update(id, { name: 'After' })
    expect(await client.preview.undo(applied.writeId)).toMatchObject({ total: 1 })
    expect(await client.undo(applied.writeId)).toMatchObject({ undone: true, records: 1, remaining: 0 })
    expect((await client.clients.get(id)).record.name).toBe('Before')
  })

  test('takes a write of many records back, call after call under keys of its own.', async () => {
    const keys: unknown[] = []
    const { url, close } = await answering(({ headers }, answer) => {
      keys.push(headers['idempotency-key'])
      const data = { write_id: 'x', undone: true, dry_run: false, records: 1000, remaining: 3000 - keys.length * 1000 }
      answer.end(JSON.stringify({ data }))
    })
    try {
      const result = await connect({ baseUrl: url, token: 'x' }).undo(randomUUID(), { key: 'undo-it' })
      expect(result).toMatchObject({ records: 3000, remaining: 0 })
      expect(keys).toEqual(['undo-it', 'undo-it.2', 'undo-it.3'])
    } finally {
      close()
    }
  })

  test('tells operations of a batch that were refused apart from those that were done.', async () => {
    const batch = client.batch({ mode: 'each' })
    batch.clients.create({ name: 'Good' })
    batch.clients.update({ externalRef: 'nobody' }, { name: 'Bad' })
    const { operations, refused } = await batch.send()
    expect([refused, operations.map(({ problem }) => problem?.code)]).toEqual([1, [undefined, 'not_found']])
    const all = client.batch({ mode: 'all' })
    all.clients.create({ name: 'Good' })
    all.clients.delete(999_999)
    const error = await all.send().catch((thrown: unknown) => thrown)
    if (!(error instanceof Refused) || error.code !== 'batch_refused') throw error
    expect(error.refused).toMatchObject([{ n: 1, status: 404, problem: { code: 'not_found' } }])
  })

  test('follows changes from a cursor until it is aborted.', async () => {
    const after = await client.cursor()
    const { id } = await client.workers.create({ name: 'Ada King' })
    const stop = new AbortController()
    const seen: number[] = []
    const following = (async () => {
      for await (const { changes } of client.follow({ after, records: ['workers'], signal: stop.signal })) {
        for (const change of changes) if (change.event === 'workers.created') seen.push(change.record_id)
        if (seen.length > 0) stop.abort(new Error('enough'))
      }
    })()
    await expect(following).rejects.toThrow('enough')
    expect(seen).toEqual([id])
  })

  test('refuses arguments that no service takes before anything is sent.', async () => {
    const bad: (() => unknown)[] = [
      () => connect({ baseUrl: 'ftp://x', token: 'x' }),
      () => connect({ baseUrl: 'http://erp.example.com', token: 'x' }),
      () => connect({ baseUrl: stage.url, token: '' }),
      () => connect({ baseUrl: stage.url, token: 'x', deadlineMs: 0 }),
      () => client.clients.get(0),
      () => client.clients.create({ name: 'A' }, { key: 'two words' }),
      () => client.clients.getByRef(''),
      () => client.undo('17'),
      () => client.batch({ mode: 'all' }).send(),
    ]
    for (const call of bad) await expect((async () => call())()).rejects.toThrow(TypeError)
    expect(connect({ baseUrl: 'http://erp.example.com', token: 'x', allowHttp: true })).toBeDefined()
  })
})

describe('A call of the client', () => {
  const fates: Fate[] = ['passed', 'answer lost', 'repeated', 'never arrived', 'delayed', 'cut', 'turned away']

  test('is done once, whatever the way to the service does: of 1,000 none is missing and none doubled.', async () => {
    const company = await stage.company()
    const proxy = await openCuttingProxy(stage.url, (n) =>
      [n, Math.floor(n / fates.length)].map((place) => fates[place % fates.length] as Fate),
    )
    try {
      const its = connect({ baseUrl: proxy.url, token: () => company.token, client: 'test/1' })
      const names = Array.from({ length: 1000 }, (_, n) => `Client ${n}`)
      const queue = names.values()
      const writer = async () => {
        for (const name of queue) await its.clients.create({ name })
      }
      await Promise.all(Array.from({ length: 64 }, writer))
      expect([...proxy.fates.keys()].toSorted()).toEqual(fates.toSorted())
      const listed: string[] = []
      for await (const { name } of its.clients.list({ fields: ['name'] })) listed.push(name)
      expect(listed.toSorted()).toEqual(names.toSorted())
    } finally {
      await proxy.close()
    }
  }, 120_000)

  test('is done once though the program is killed with -9 and begins again with its keys.', async () => {
    const company = await stage.company()
    const count = 60
    const program = [join(import.meta.dirname, 'writer.ts'), stage.url, company.token, String(count)]
    let isWhole = false
    for (let killAfter = 5; !isWhole; killAfter += 10) {
      const writer = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] })
      let said = ''
      writer.stdout.on('data', (chunk) => {
        said += chunk
        // In the middle of the next call.
        if (said.split('created').length > killAfter) writer.kill('SIGKILL')
      })
      const [code] = await once(writer, 'close')
      isWhole = code === 0
    }
    const names = (await company.get('/v1/clients?limit=100')).body.data.map(({ name }: { name: string }) => name)
    expect(names).toEqual(Array.from({ length: count }, (_, n) => `Client ${n + 1}`))
  })

  test('ends at its deadline, with the key to go on with, and at its signal, with its reason.', async () => {
    const { url, close } = await answering(() => {})
    try {
      const silent = connect({ baseUrl: url, token: 'x', deadlineMs: 200 })
      const error = await silent.clients.create({ name: 'A' }, { key: 'mine' }).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(Unreachable)
      expect(error).toMatchObject({ key: 'mine', attempts: 1 })
      const stop = new AbortController()
      const waiting = connect({ baseUrl: url, token: 'x' }).clients.get(1, { signal: stop.signal })
      stop.abort(new Error('not needed any more'))
      await expect(waiting).rejects.toBe(stop.signal.reason)
    } finally {
      close()
    }
  })

  test('waits as long as Retry-After says, and gives up at once where that is beyond the deadline.', async () => {
    const times: number[] = []
    const { url, close } = await answering((_, answer) => {
      times.push(performance.now())
      const [status, body] =
        times.length === 1 ? [503, '{"code":"unavailable","detail":""}'] : [200, '{"data":{"id":1}}']
      answer.writeHead(status as number, { 'Retry-After': '1' }).end(body)
    })
    try {
      await connect({ baseUrl: url, token: 'x' }).clients.get(1)
      expect((times[1] as number) - (times[0] as number)).toBeGreaterThanOrEqual(990)
      times.length = 0
      const hurried = connect({ baseUrl: url, token: 'x', deadlineMs: 500 })
      await expect(hurried.clients.get(1)).rejects.toMatchObject({
        name: 'Unreachable',
        cause: { code: 'unavailable' },
      })
      expect(times).toHaveLength(1)
    } finally {
      close()
    }
  })

  test('is not repeated where the service says no, or sends elsewhere.', async () => {
    let calls = 0
    const { url, close } = await answering((_, answer) => {
      calls += 1
      if (calls === 1)
        answer.writeHead(500, { 'Content-Type': 'application/json' }).end('{"code":"internal_error","detail":""}')
      else answer.writeHead(308, { Location: 'https://elsewhere.example/' }).end()
    })
    const there = connect({ baseUrl: url, token: 'x' })
    try {
      await expect(there.clients.get(1)).rejects.toEqual(refusedWith('internal_error'))
      await expect(there.clients.get(1)).rejects.toThrow('redirects to https://elsewhere.example/')
      expect(calls).toBe(2)
    } finally {
      close()
    }
  })
})

describe('A webhook', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const former = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
  const body = JSON.stringify({
    type: 'webhooks.test',
    timestamp: '2026-03-01T00:00:00Z',
    data: { webhook_id: 1, message: 'ü' },
  })
  const signedBy = (one: string, at = new Date()) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': `v1a,x v1,AAAA ${new Webhook(one).sign('evt_1', at, body)}`,
  })

  test.each([secret, former])('is taken when %s signed it, from a Request or from its bytes.', async (signer) => {
    const headers = signedBy(signer)
    const request = new Request('http://localhost/', { method: 'POST', headers, body })
    expect(await verifyWebhook(request, [secret, former])).toEqual(JSON.parse(body))
    expect(await verifyWebhook({ headers, body: Buffer.from(body) }, [secret, former])).toEqual(JSON.parse(body))
  })

  const minutes = (count: number) => new Date(Date.now() + count * 60_000)
  const refused: { what: string; request: () => WebhookRequest }[] = [
    { what: 'of another secret', request: () => ({ headers: signedBy(former), body }) },
    { what: 'of six minutes ago', request: () => ({ headers: signedBy(secret, minutes(-6)), body }) },
    { what: 'of six minutes ahead', request: () => ({ headers: signedBy(secret, minutes(6)), body }) },
    { what: 'with another body', request: () => ({ headers: signedBy(secret), body: body.replace('ü', 'u') }) },
    {
      what: 'without a signature',
      request: () => ({ headers: { ...signedBy(secret), 'webhook-signature': '' }, body }),
    },
    {
      what: 'with a signature that is no Base64',
      request: () => ({ headers: { ...signedBy(secret), 'webhook-signature': 'v1,?' }, body }),
    },
  ]
  test.each(refused)('$what is refused.', async ({ request }) => {
    await expect(verifyWebhook(request(), secret)).rejects.toThrow(BadSignature)
  })
})
