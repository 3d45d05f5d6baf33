import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEmbedded } from '#server/embedded/open.ts'
import { createToken } from '#server/service/token-text.ts'
import { send } from '../stage/http.ts'
import { startProcess, urlOf } from '../stage/process.ts'
import { openProxy } from '../stage/proxy.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually, pause } from '../stage/wait.ts'

let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage()
  company = await stage.company()
})
afterAll(() => stage.close())

/** Well-formed and unknown: the database has to be asked before it is refused. */
const stranger = createToken(2 ** 47)

const PLUMBLINE_SECRET = 'the sealing key of the tests, long enough'
const headersOf = (own: Company, more: [string, string][] = []): [string, string][] => [
  ['Authorization', `Bearer ${own.token}`],
  ['Content-Type', 'application/json'],
  ...more,
]

test('A connection lost during COMMIT is 503 outcome_unknown, never retried by itself; a retry with the key settles it', async () => {
  const proxy = await openProxy(stage.connection)
  const server = await startProcess({ DATABASE_URL: proxy.url, PLUMBLINE_SECRET })
  try {
    const own = await stage.company()
    const wire = {
      method: 'POST',
      path: '/v1/clients',
      headers: headersOf(own, [['Idempotency-Key', 'answer-lost']]),
      body: '{"name":"Perhaps"}',
    }
    proxy.cutNextCommit()
    const lost = await send(server.url, wire)
    expect(lost).toMatchObject({ status: 503, body: { code: 'outcome_unknown' }, headers: { 'retry-after': '1' } })
    const settled = await send(server.url, wire)
    expect(settled).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } })
    expect((await own.get('/v1/clients')).body.meta.total).toBe(1)
  } finally {
    await server.stop()
    await proxy.close()
  }
})

test('A database that stops and starts under load: 503 with Retry-After within a second, then full recovery by itself [V16.5.2]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-fault-'))
  await chmod(folder, 0o711)
  let database = await openEmbedded({ folder })
  const server = await startProcess({ DATABASE_URL: urlOf(database.connection), PLUMBLINE_SECRET })
  try {
    const timed = async (path: string) => {
      const since = performance.now()
      const answer = await send(server.url, { method: 'GET', path, headers: [['Authorization', `Bearer ${stranger}`]] })
      return { ...answer, ms: performance.now() - since }
    }
    expect((await timed('/v1/clients')).status).toBe(401)
    let loading = true
    const load = Array.from({ length: 8 }, async () => {
      const seen = new Set<number>()
      while (loading) {
        seen.add((await timed('/v1/clients')).status)
        await pause(5)
      }
      return seen
    })

    const [postmaster] = (await readFile(join(database.connection.host, '../cluster/postmaster.pid'), 'utf8')).split(
      '\n',
    )
    process.kill(Number(postmaster), 'SIGINT')
    await eventually(async () => expect((await timed('/v1/clients')).status).toBe(503))
    for (let count = 0; count < 5; count++) {
      const down = await timed('/v1/clients')
      expect(down).toMatchObject({ status: 503, body: { code: 'unavailable' }, headers: { 'retry-after': '1' } })
      expect(down.ms).toBeLessThan(1000)
      expect((await timed('/readyz')).status).toBe(503)
      expect((await timed('/healthz')).status).toBe(200)
    }

    const again = await openEmbedded({ folder })
    const since = performance.now()
    await eventually(async () => expect((await timed('/v1/clients')).status).toBe(401))
    expect(performance.now() - since).toBeLessThan(2000)
    expect((await timed('/readyz')).status).toBe(200)
    loading = false
    for (const seen of await Promise.all(load)) expect([...seen].toSorted()).toEqual([401, 503])
    await database.close()
    database = again
  } finally {
    await server.stop()
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
})

test('When every connection is taken, a request gets 503 after a short wait, and the others their answer', async () => {
  const own = await stage.company({ plan: 'PRO' })
  const server = await startProcess({
    DATABASE_URL: urlOf(stage.connection),
    PLUMBLINE_SECRET,
    DATABASE_CONNECTIONS: '2',
  })
  try {
    const create = () =>
      send(server.url, { method: 'POST', path: '/v1/projects', headers: headersOf(own), body: '{"name":"Slow"}' })
    let slow: Promise<{ status: number }>[] = []
    await stage.inTransaction(async (transaction) => {
      await transaction.run({ text: 'select 1 from companies where id = $1 for no key update', values: [own.id] })
      slow = [create(), create()]
      await eventually(async () => expect(await stage.waiting()).toBe(2))
      const since = performance.now()
      const third = await send(server.url, { method: 'GET', path: '/v1/clients?q=anything', headers: headersOf(own) })
      // A batchable read shares a connection that nobody can hold.
      expect((await send(server.url, { method: 'GET', path: '/v1/clients', headers: headersOf(own) })).status).toBe(200)
      expect(third).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      expect(performance.now() - since).toBeLessThan(1500)
    })
    for (const { status } of await Promise.all(slow)) expect(status).toBe(201)
    expect((await send(server.url, { method: 'GET', path: '/v1/clients', headers: headersOf(own) })).status).toBe(200)
  } finally {
    await server.stop()
  }
})

describe('Callers who misbehave', () => {
  test('one who hangs up changes nothing: the write happens once, and a retry replays it', async () => {
    const own = await stage.company()
    const { hostname, port } = new URL(stage.url)
    const body = '{"name":"Hung up"}'
    const request = [
      'POST /v1/clients HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${own.token}`,
      'Content-Type: application/json',
      'Idempotency-Key: hung-up',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n')
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(request, () => setTimeout(() => resolve(void socket.destroy()), 2)),
      )
    })
    const retry = await eventually(async () => {
      const answer = await own.call('POST', '/v1/clients', { raw: body, headers: { 'Idempotency-Key': 'hung-up' } })
      expect(answer.status).toBe(201)
      return answer
    })
    expect(retry.body.data.created).toBe(true)
    expect((await own.get('/v1/clients')).body.meta.total).toBe(1)
  })

  test('those who send slowly are cut while others are served', async () => {
    const slowStage = await openStage({ HEADERS_TIMEOUT_MS: '400', REQUEST_TIMEOUT_MS: '800' })
    try {
      const { hostname, port } = new URL(slowStage.url)
      const dribble = (start: string): Promise<string> =>
        new Promise((resolve) => {
          const socket = connect(Number(port), hostname, () => socket.write(start))
          let heard = ''
          const drip = setInterval(() => socket.write('x'), 100)
          socket.on('data', (chunk) => {
            heard += chunk
          })
          socket.on('error', () => {})
          socket.on('close', () => {
            clearInterval(drip)
            resolve(heard)
          })
        })
      const own = await slowStage.company()
      const slow = [
        dribble('GET /v1/clients HTTP/1.1\r\nX-Slow: '),
        dribble(
          `POST /v1/clients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own.token}\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n`,
        ),
      ]
      for (let count = 0; count < 20; count++) expect((await own.get('/v1/clients')).status).toBe(200)
      for (const heard of await Promise.all(slow)) expect(heard).toContain('"code":"request_timeout"')
      expect((await own.get('/v1/clients')).body.meta.total).toBe(0)
    } finally {
      await slowStage.close()
    }
  })
})

describe('Transactions that meet each other', () => {
  const locked = (id: number) => ({
    text: 'select 1 from clients where company_id = $1 and id = $2 for update',
    values: [company.id, id],
  })

  test('are run again silently', async () => {
    const ids = [await company.create('clients', { name: 'A' }), await company.create('clients', { name: 'B' })] as [
      number,
      number,
    ]
    let runs = 0
    let bothHoldOne = (): void => {}
    const crossed = new Promise<void>((resolve) => {
      bothHoldOne = resolve
    })
    const crossing = (first: number, second: number) =>
      stage.inTransaction(async (transaction) => {
        await transaction.run(locked(first))
        const run = ++runs
        // Only the first two are made to meet.
        if (run === 2) bothHoldOne()
        if (run <= 2) await crossed
        await transaction.run(locked(second))
        return 'done'
      })
    expect(await Promise.all([crossing(...ids), crossing(ids[1], ids[0])])).toEqual(['done', 'done'])
    expect(runs).toBeGreaterThan(2)
  })

  test('are given up as unavailable once the time of a statement has passed since the first', async () => {
    const hasty = await openStage({ STATEMENT_TIMEOUT_MS: '400' })
    try {
      const codes: string[] = []
      hasty.app.database.onConflict((code) => codes.push(code))
      const tries: { at: number; isLast: boolean }[] = []
      const since = performance.now()
      const always = hasty.inTransaction((transaction) => {
        tries.push({ at: performance.now(), isLast: transaction.isLast })
        return transaction.run({
          text: "do $$ begin raise exception 'always' using errcode = '40001'; end $$",
          values: [],
        })
      })
      await expect(always).rejects.toMatchObject({ code: 'unavailable' })
      const last = tries.at(-1)?.at ?? 0
      expect(last - since).toBeGreaterThanOrEqual(400)
      expect(tries.map(({ isLast }) => isLast)).toEqual(tries.map(({ at }) => at === last))
      expect(codes).toEqual(tries.map(() => '40001'))
      expect((await send(hasty.url, { method: 'GET', path: '/metrics' })).text).toContain(
        `plumbline_conflicts_total{code="40001"} ${tries.length}`,
      )
    } finally {
      await hasty.close()
    }
  })

  test('hold no connection between two tries', async () => {
    const two = await openStage({ DATABASE_CONNECTIONS: '2' })
    try {
      let tries = 0
      await two.inTransaction(async () => {
        let other: Promise<unknown> | undefined
        await two.inTransaction(async (transaction) => {
          // The outer transaction has the other connection, so the statement is answered between the tries or never.
          if (tries++ > 0) return other
          other = two.sql('select 1')
          return transaction.run({
            text: "do $$ begin raise exception 'once' using errcode = '40P01'; end $$",
            values: [],
          })
        })
      })
      expect(tries).toBe(2)
    } finally {
      await two.close()
    }
  })

  test('what is sent along with the commit fails the transaction when it fails', async () => {
    const broken = stage.inTransaction(async (transaction) => {
      await transaction.run({ text: "update clients set notes = 'lost' where company_id = $1", values: [company.id] })
      transaction.send({ text: 'select 1 / 0', values: [] })
    })
    await expect(broken).rejects.toMatchObject({ code: '22012' })
    expect(await stage.sql("select 1 from clients where notes = 'lost'")).toEqual([])
  })
})

describe('A revocation', () => {
  const waiting = { text: 'select pg_advisory_xact_lock(4711)', values: [] }

  test('is begun again where it waited in vain, and any other transaction is not', async () => {
    const hasty = await openStage({ LOCK_TIMEOUT_MS: '100' })
    try {
      const tries: string[] = []
      const begin = (name: string, isPersistent: boolean) =>
        hasty.app.database.transaction(
          (transaction) => {
            tries.push(name)
            return transaction.run(waiting)
          },
          undefined,
          { isPersistent },
        )
      const { persistent } = await hasty.inTransaction(async (holder) => {
        await holder.run(waiting)
        await expect(begin('other', false)).rejects.toMatchObject({ code: 'unavailable' })
        const persistent = begin('persistent', true)
        await expect.poll(() => tries.filter((name) => name === 'persistent').length).toBeGreaterThan(1)
        return { persistent }
      })
      expect(await persistent).toHaveLength(1)
      expect(tries.filter((name) => name === 'other')).toHaveLength(1)
    } finally {
      await hasty.close()
    }
  })
})

describe('A transaction', () => {
  const renamed = (name: string) => ({
    name: `renamed-${name.length}`,
    text: 'update clients set name = $2 where company_id = $1',
    values: [company.id, name],
  })
  const named = (name: string) =>
    stage.sql('select 1 from clients where company_id = $1 and name = $2', company.id, name)

  test('that is undone leaves nothing, and what follows is committed [V2.3.3]', async () => {
    await company.create('clients', { name: 'A' })
    await stage.inTransaction(async (transaction) => {
      await transaction.run(renamed('undone'))
      transaction.undo()
      transaction.send(renamed('followed'))
    })
    expect([(await named('undone')).length, (await named('followed')).length > 0]).toEqual([0, true])
  })

  test('in which a statement failed can be undone too, and its statements are prepared again', async () => {
    const fails = { name: 'fails', text: 'select 1 / $1::int as one', values: [0] }
    for (let count = 0; count < 3; count++) {
      const [row] = await stage.inTransaction(async (transaction) => {
        await expect(transaction.run(fails)).rejects.toMatchObject({ code: '22012' })
        transaction.undo()
        return transaction.run({ ...fails, values: [1] })
      })
      expect(row).toEqual({ one: 1 })
    }
  })

  test('in which a failure was passed over is not taken for committed [V16.5.3]', async () => {
    const broken = stage.inTransaction(async (transaction) => {
      await transaction.run(renamed('passed over'))
      await transaction.run({ text: 'select 1 / 0', values: [] }).catch(() => {})
    })
    await expect(broken).rejects.toThrow('failed before the commit')
    expect(await named('passed over')).toEqual([])
  })

  test('with a value that cannot be sent fails, and its connection is of use again [V1.4.3]', async () => {
    const unsendable = {
      toPostgres: () => {
        throw new Error('unsendable')
      },
    }
    const broken = stage.inTransaction((transaction) => transaction.run({ text: 'select $1', values: [unsendable] }))
    await expect(broken).rejects.toThrow('unsendable')
    expect(await stage.inTransaction(({ run }) => run({ text: 'select 1 as one', values: [] }))).toEqual([{ one: 1 }])
  })

  test('whose last statement fails before its commit is known not to have happened', async () => {
    const broken = stage.inTransaction(async (transaction) => {
      await transaction.run(renamed('timed out'))
      transaction.send({ text: "set local statement_timeout = '20ms'", values: [] })
      transaction.send({ text: 'select pg_sleep(5)', values: [] })
    })
    await expect(broken).rejects.toMatchObject({ code: 'unavailable' })
    expect(await named('timed out')).toEqual([])
  })
})
