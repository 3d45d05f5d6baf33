import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send, type TestResponse } from '../stage/http.ts'
import { type Process, startProcess, urlOf } from '../stage/process.ts'
import { type Company, openStage, patience, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

/** The stage makes companies and looks into the database; two real processes on the same database serve. */
let stage: Stage
let processes: Process[]
beforeAll(async () => {
  stage = await openStage()
  processes = await Promise.all([start(), start()])
})
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()))
  await stage.close()
})

/** The first connections to a cluster take longer than a caller waits for one. */
const start = () =>
  startProcess({
    ...patience,
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET: 'the sealing key of the tests, long enough',
  })

const on = (index: number): string => (processes[index % processes.length] as Process).url

function call(
  base: string,
  own: Company,
  method: string,
  path: string,
  options: { body?: unknown; key?: string; agent?: Agent } = {},
): Promise<TestResponse> {
  return send(base, {
    method,
    path,
    headers: [
      ['Authorization', `Bearer ${own.token}`],
      ...(options.body === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
      ...(options.key === undefined ? [] : [['Idempotency-Key', options.key] as [string, string]]),
    ],
    body: options.body === undefined ? undefined : JSON.stringify(options.body),
    ...(options.agent ? { agent: options.agent } : {}),
  })
}

describe('One key fifty times at once over two processes has one effect', () => {
  const rows: { why: string; prepare: (own: Company) => Promise<[string, string, unknown?]>; ok: number }[] = [
    { why: 'POST', prepare: async () => ['POST', '/v1/clients', { name: 'Once' }], ok: 201 },
    {
      why: 'PATCH',
      prepare: async (own) => ['PATCH', `/v1/clients/${await own.create('clients', { name: 'A' })}`, { notes: 'Once' }],
      ok: 200,
    },
    {
      why: 'DELETE',
      prepare: async (own) => ['DELETE', `/v1/clients/${await own.create('clients', { name: 'A' })}`],
      ok: 200,
    },
  ]
  test.each(rows)('$why', async ({ prepare, ok }) => {
    for (let round = 0; round < 4; round++) {
      const own = await stage.company()
      const [method, path, sent] = await prepare(own)
      const before = (await stage.sql('select 1 from history where company_id = $1', own.id)).length
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          call(on(index), own, method, path, { body: sent, key: 'the-one-key' }),
        ),
      )
      const done = answers.filter(({ status }) => status === ok)
      const others = answers.filter(({ status, body }) => status !== ok && body?.code !== 'idempotency_in_progress')
      expect(others.map(({ status, text }) => `${status} ${text}`)).toEqual([])
      expect(new Set(done.map(({ text }) => text)).size).toBe(1)
      expect(done.filter(({ headers }) => !headers['idempotency-replayed'])).toHaveLength(1)
      expect((await stage.sql('select 1 from history where company_id = $1', own.id)).length).toBe(before + 1)
    }
  })
})

test('One plan place a hundred times at once over two processes: one 201, the rest 402', async () => {
  const own = await stage.company({ plan: 'STARTER' })
  for (let count = 0; count < 24; count++) await own.create('projects', { name: `P${count}` })
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => call(on(index), own, 'POST', '/v1/projects', { body: { name: 'Last' } })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ body }) => body.code === 'plan_limit_reached')).toHaveLength(99)
})

describe('What changes on one process is seen by the next request on the other, on an open socket too', () => {
  const rows: { why: string; change: (own: Company) => Promise<unknown>; code: string }[] = [
    { why: 'rotation', change: (own) => own.rotate(), code: 'unauthorized' },
    { why: 'revocation', change: (own) => own.revoke(), code: 'unauthorized' },
    {
      why: 'a lost permission',
      change: (own) => own.setAccount({ permissions: ['WORKERS_VIEW'] }),
      code: 'insufficient_scope',
    },
    { why: 'a disabled account', change: (own) => own.setAccount({ disabled: true }), code: 'unauthorized' },
    { why: 'an allowlist', change: (own) => own.allow(['10.0.0.0/8']), code: 'ip_not_allowed' },
    { why: 'an add-on switched off', change: (own) => own.set({ addOns: [] }), code: 'feature_off' },
  ]
  test.each(rows)('$why', async ({ change, code }) => {
    const own = await stage.company()
    const sockets = [0, 1].map(() => new Agent({ keepAlive: true, maxSockets: 1 }))
    const everywhere = (method: string, body?: unknown) =>
      Promise.all(sockets.map((agent, index) => call(on(index), own, method, '/v1/clients', { body, agent })))
    for (const { status } of await everywhere('GET')) expect(status).toBe(200)
    await change(own)
    for (const { body } of await everywhere('GET')) expect(body.code).toBe(code)
    for (const { body } of await everywhere('POST', { name: 'X' })) expect(body.code).toBe(code)
    for (const agent of sockets) agent.destroy()
  })

  test('once a revocation has been answered, no write of the old token commits', async () => {
    for (let round = 0; round < 10; round++) {
      const own = await stage.company()
      const writes = Array.from({ length: 30 }, (_, index) =>
        call(on(index), own, 'POST', '/v1/clients', { body: { name: `C${index}` } }),
      )
      await own.revoke()
      const [{ count: atRevocation } = { count: -1 }] = await stage.sql<{ count: number }>(
        'select count(*) from clients where company_id = $1',
        own.id,
      )
      const answers = await Promise.all(writes)
      const [{ count: afterwards } = { count: -1 }] = await stage.sql<{ count: number }>(
        'select count(*) from clients where company_id = $1',
        own.id,
      )
      expect(afterwards).toBe(atRevocation)
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(afterwards)
    }
  })
})

test('ETags are the same from every process', async () => {
  const own = await stage.company()
  const id = await own.create('clients', { name: 'Tagged' })
  for (const path of [`/v1/clients/${id}`, '/v1/clients', `/v1/clients/${id}?fields=name`]) {
    const [one, other] = await Promise.all([0, 1].map((index) => call(on(index), own, 'GET', path)))
    expect(one?.headers.etag).toBe(other?.headers.etag)
  }
})

test('Deleting a client while projects are created for it on two processes never leaves a live project of a deleted client', async () => {
  for (let round = 0; round < 8; round++) {
    const own = await stage.company()
    const client = await own.create('clients', { name: 'Contested' })
    const body = { name: 'P', client_id: client, status: 'CANCELLED' }
    await Promise.all([
      ...Array.from({ length: 50 }, (_, index) => call(on(index), own, 'POST', '/v1/projects', { body })),
      call(on(round), own, 'DELETE', `/v1/clients/${client}`),
    ])
    const orphans = await stage.sql(
      'select 1 from projects p join clients c on c.company_id = p.company_id and c.id = p.client_id where p.company_id = $1 and p.deleted_at is null and c.deleted_at is not null',
      own.id,
    )
    expect(orphans).toEqual([])
  }
})

describe('kill -9', () => {
  test('before the commit: nothing is left, and the retry runs afresh', async () => {
    const victim = await start()
    const own = await stage.company()
    const options = { body: { name: 'Cut short' }, key: 'killed-before' }
    await stage.inTransaction(async (transaction) => {
      // Held here, the create has done its work and waits for its place in the plan.
      await transaction.run({ text: 'select 1 from companies where id = $1 for no key update', values: [own.id] })
      const cut = call(victim.url, own, 'POST', '/v1/projects', options).catch(() => 'cut')
      await eventually(async () => expect(await waiting()).toBe(1))
      await victim.kill()
      expect(await cut).toBe('cut')
      // The lock of the key goes with its connection, within a second, although the statement still waited.
      await eventually(async () => expect(await waiting()).toBe(0), 1500)
    })
    const retry = await call(on(0), own, 'POST', '/v1/projects', options)
    expect(retry.status).toBe(201)
    expect(retry.headers['idempotency-replayed']).toBeUndefined()
    expect((await own.get('/v1/projects')).body.meta.total).toBe(1)
  })

  test('after the commit: the retry replays the same id', async () => {
    const victim = await start()
    const own = await stage.company()
    const options = { body: { name: 'Committed' }, key: 'killed-after' }
    const first = await call(victim.url, own, 'POST', '/v1/clients', options)
    await victim.kill()
    const retry = await call(on(1), own, 'POST', '/v1/clients', options)
    expect(retry.headers['idempotency-replayed']).toBe('true')
    expect(retry.text).toBe(first.text)
    expect((await own.get('/v1/clients')).body.meta.total).toBe(1)
  })

  // Twenty processes are started, which takes as long as the machine lets it.
  test('at any moment, twenty times: every keyed create ends as exactly one record', { timeout: 180_000 }, async () => {
    const own = await stage.company()
    for (let round = 0; round < 20; round++) {
      const victim = await start()
      const keys = Array.from({ length: 10 }, (_, index) => `round-${round}-${index}`)
      const create = (base: string, key: string) => call(base, own, 'POST', '/v1/clients', { body: { name: key }, key })
      const first = Promise.allSettled(keys.map((key) => create(victim.url, key)))
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 12))
      await victim.kill()
      const early = await first
      for (const [index, key] of keys.entries()) {
        const retry = await eventually(async () => {
          const answer = await create(on(index), key)
          expect(answer.status).toBe(201)
          return answer
        })
        const before = early[index]
        if (before?.status === 'fulfilled' && before.value.status === 201) expect(retry.text).toBe(before.value.text)
      }
    }
    expect((await own.get('/v1/clients')).body.meta.total).toBe(200)
  })
})

const waiting = (): Promise<number> => stage.waiting()
