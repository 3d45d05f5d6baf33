import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fixedShare } from '#server/fair/shares.ts'
import { nextLimit, openLimiter, type Sample } from '#server/http/limiter.ts'
import { send } from '../stage/http.ts'
import { type Company, openStage, type Stage } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'

/** Two at a time, and a database that can be held: nothing here is a matter of speed. */
let stage: Stage
let company: Company
beforeAll(async () => {
  stage = await openStage({ REQUESTS_MAX: '2' })
  company = await stage.company()
  // Known from now on, so all its calls count as those of one caller.
  await list()
})
afterAll(() => stage.close())

const create = (key: string) =>
  company.call('POST', '/v1/projects', { body: { name: key }, headers: { 'Idempotency-Key': key } })
/** A read with a connection of its own. */
const list = () => company.get('/v1/equipment?status=ACTIVE')

/** The statement's lock holds everything of this sort that is asked meanwhile. */
const rows = [
  { sort: 'writes', ask: (number: number) => create(`held-${number}`), other: list, hold: 'lock table projects' },
  { sort: 'reads', ask: list, other: () => create('meanwhile'), hold: 'lock table equipment' },
] as const

describe('What comes beyond what can be answered in time', () => {
  test.each(rows)(
    'is refused with 503 and Retry-After ($sort); what was let in is answered, and the next is let in at once [V2.4.1]',
    async ({ ask, other, hold }) => {
      const held = await stage.inTransaction(async (transaction) => {
        await transaction.run({ text: hold, values: [] })
        const admitted = [ask(1), ask(2)]
        await eventually(async () => expect(await waiting()).toBe(2))
        for (let count = 0; count < 5; count++) {
          expect(await ask(3)).toMatchObject({
            status: 503,
            body: { code: 'overloaded' },
            headers: { 'retry-after': '1' },
          })
        }
        // The other sort has places of its own, and anyone who looks after the service is always let in.
        expect((await other()).status).toBeLessThan(300)
        for (const path of ['/healthz', '/readyz', '/metrics', '/v1/openapi.json', '/console/me'])
          expect((await stage.send({ method: 'GET', path })).body?.code, path).not.toBe('overloaded')
        return admitted
      })
      for (const { status } of await Promise.all(held)) expect(status).toBeLessThan(300)
      expect((await ask(4)).status).toBeLessThan(300)
    },
  )

  test('is turned away before anything was done: its key is free, its call not counted, its connection kept.', async () => {
    const own = await stage.company()
    await own.create('clients', { name: 'Known from now on' })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const headers = { 'Idempotency-Key': 'not-used-up' }
    const again = () =>
      send(stage.url, {
        method: 'POST',
        path: '/v1/clients',
        headers: [
          ['Authorization', `Bearer ${own.token}`],
          ['Content-Type', 'application/json'],
          ...Object.entries(headers),
        ],
        body: '{"name":"Once"}',
        agent,
      })
    const held = await stage.inTransaction(async (transaction) => {
      await transaction.run({ text: 'lock table projects', values: [] })
      const admitted = ['one', 'other'].map((key) =>
        own.call('POST', '/v1/projects', { body: { name: key }, headers: { 'Idempotency-Key': key } }),
      )
      await eventually(async () => expect(await waiting()).toBe(2))
      const refused = await again()
      expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded' } })
      expect(refused.headers.connection).toBe('keep-alive')
      return admitted
    })
    await Promise.all(held)
    const retried = await again()
    expect(retried.status).toBe(201)
    expect(retried.headers['idempotency-replayed']).toBeUndefined()
    expect((await own.calls()).map(({ status }) => status)).toEqual([201, 201, 201, 201])
    agent.destroy()
  })

  test('is counted in /metrics.', async () => {
    const { text } = await stage.send({ method: 'GET', path: '/metrics' })
    expect(text).toMatch(/^plumbline_requests_turned_away_total\{sort="reads"\} 5$/m)
    expect(text).toMatch(/^plumbline_requests_limit\{sort="writes"\} 2$/m)
  })
})

describe('Another company', () => {
  test('is let in beside one whose slow work has all places, and so is its office', async () => {
    const other = await stage.company()
    await stage.inTransaction(async (transaction) => {
      await transaction.run({ text: 'select 1 from companies where id = $1 for no key update', values: [company.id] })
      const held = [create('slow'), create('slower')]
      await eventually(async () => expect(await waiting()).toBe(2))
      expect(await create('one more')).toMatchObject({ status: 503, body: { code: 'overloaded' } })
      expect((await other.call('POST', '/v1/projects', { body: { name: 'Beside' } })).status).toBe(201)
      const signIn = await stage.send({
        method: 'POST',
        path: '/console/session',
        headers: [
          ['Content-Type', 'application/json'],
          ['Origin', stage.url],
        ],
        body: '{"email":"nobody@example.com","password":"wrong"}',
      })
      expect(signIn.status).not.toBe(503)
      return () => Promise.all(held)
    })
  })

  test('gets a connection to the database while a company’s slow writes hold all it may have', async () => {
    const roomy = await openStage({ CONNECT_TIMEOUT_MS: '2000' })
    try {
      const [slow, other] = [await roomy.company(), await roomy.company()]
      // Known to the service: until then all who call from one address share what that has.
      for (const one of [slow, other]) expect((await one.get('/v1/clients')).status).toBe(200)
      const held = await roomy.inTransaction(async (transaction) => {
        await transaction.run({ text: 'select 1 from companies where id = $1 for no key update', values: [slow.id] })
        const writes = Array.from({ length: 40 }, (_, index) =>
          slow.call('POST', '/v1/projects', { body: { name: `Slow ${index}` } }),
        )
        // Of twenty connections, two are for companies that hold none, and this one holds one.
        await eventually(async () => expect(await roomy.waiting()).toBe(17))
        for (let count = 0; count < 10; count++)
          expect((await other.call('POST', '/v1/projects', { body: { name: `Quick ${count}` } })).status).toBe(201)
        return writes
      })
      for (const { status } of await Promise.all(held)) expect([201, 503]).toContain(status)
    } finally {
      await roomy.close()
    }
  })
})

describe('The limit', () => {
  const usual: Sample = { limit: 500, most: 1000, answers: 600, late: 0, wasLate: true, shed: 0, inTarget: 300 }
  const cases: { why: string; seen: Partial<Sample>; is: number }[] = [
    { why: 'is what can be answered in time while most answers are late', seen: { late: 301 }, is: 300 },
    { why: 'has room for a burst, however long answers take', seen: { late: 600, inTarget: 10 }, is: 128 },
    { why: 'and within what was set, however little that is', seen: { limit: 2, most: 2, late: 600 }, is: 2 },
    { why: 'does not mind answers that are late once', seen: { late: 600, wasLate: false }, is: 500 },
    { why: 'never rises while answers are late', seen: { limit: 200, late: 600 }, is: 200 },
    { why: 'rises a little while answers come in time and somebody is turned away', seen: { shed: 1 }, is: 550 },
    { why: 'rises fast when nobody is', seen: { late: 300 }, is: 750 },
    { why: 'rises to what was set and no further', seen: { limit: 999 }, is: 1000 },
  ]
  test.each(cases)('$why', ({ seen, is }) => {
    expect(nextLimit({ ...usual, ...seen })).toBe(is)
  })

  test('follows how long answers take, for reads and writes apart.', () => {
    let now = 0
    const limits: [string, number][] = []
    const limiter = openLimiter({
      ...stage.app,
      config: { ...stage.app.config, requestsMax: 1000, answerTarget: 100 },
      clock: { now: () => new Date(now), elapsed: () => now },
      metrics: { ...stage.app.metrics, admitting: (sort, limit) => void limits.push([sort, limit]) },
    })
    const one = fixedShare('one')
    const answered = (sort: 'reads' | 'writes', milliseconds: number) => {
      const enteredAt = now
      expect(limiter.enter(sort, one)).toBe(true)
      now += milliseconds
      limiter.leave(sort, one, enteredAt)
    }
    // Three hundred that take 110 ms each, twice, and a write in between.
    for (let round = 0; round < 2; round++) {
      const enteredAt = now
      for (let count = 0; count < 300; count++) expect(limiter.enter('reads', one)).toBe(true)
      answered('writes', 10)
      now += 100
      for (let count = 0; count < 300; count++) limiter.leave('reads', one, enteredAt)
    }
    answered('writes', 10)
    expect(limits.slice(6)).toEqual([
      ['reads', 1000],
      ['writes', 1000],
      // Three hundred in 110 ms are 273 in the target of 100.
      ['reads', 273],
      ['writes', 1000],
    ])
    for (let count = 0; count < 273; count++) expect(limiter.enter('reads', one)).toBe(true)
    expect(limiter.enter('reads', one)).toBe(false)
    expect(limiter.enter('writes', one)).toBe(true)
    limiter.leave('reads', one, now)
    expect(limiter.enter('reads', one)).toBe(true)
  })
})

const waiting = (): Promise<number> => stage.waiting()
