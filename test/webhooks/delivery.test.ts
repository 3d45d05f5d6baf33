import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testEvent } from '#registry/webhooks.ts'
import { rotateKeys } from '#server/service/rotate-keys.ts'
import { openSecrets } from '#server/service/webhook-secret.ts'
import {
  changeWebhook,
  disableOne,
  enableOne,
  removeWebhook,
  replayOne,
  rotateWebhook,
} from '#server/service/webhooks.ts'
import { sendAgain, sendTest } from '#server/webhooks/delivery.ts'
import { sendDue } from '#server/webhooks/start.ts'
import { documentOf, errorsOf, resolved } from '../document/openapi-reader.ts'
import { served } from '../document/registries.ts'
import type { Company } from '../stage/stage.ts'
import { eventually } from '../stage/wait.ts'
import { type Behaviour, ok, openReceiver, type Receiver, verified } from './receiver.ts'
import { type HookStage, openHookStage } from './stage.ts'

/** Every change reaches the receiver, in order, or waits: one service, whose clock the test moves. */
let stage: HookStage
let receiver: Receiver
let own: Company
beforeAll(async () => {
  stage = await openHookStage()
})
afterAll(() => stage.close())
beforeEach(async () => {
  stage.ahead(0)
  // What other tests have left has no part in this one.
  await stage.sql(
    "update webhook_endpoints set disabled_at = now(), disabled_because = 'by_hand' where disabled_at is null",
  )
  own = await stage.company()
  receiver = await openReceiver()
  return () => receiver.close()
})

const document = documentOf(served)
const refuse: Behaviour = { status: 500, body: 'out of order' }
const by = () => ({ actor: own.actor, keys: stage.app.secret, now: stage.app.clock.now() })
const clients = async (count: number): Promise<number[]> => {
  const ids = []
  for (let index = 0; index < count; index++) ids.push(await own.create('clients', { name: `C${index}` }))
  await stage.visible()
  return ids
}
const records = () => receiver.got.map(({ data }) => data.record_id)
const attempts = (id: number) =>
  stage.sql<{ id: number; event_id: string; status: number | null; failure: string | null; by_hand: boolean }>(
    'select * from webhook_attempts where endpoint_id = $1 order by id',
    id,
  )

describe('What arrives', () => {
  test('is every change from the webhook’s beginning on, in order, each with an id of its own, and signed', async () => {
    await clients(1)
    const { secret } = await stage.hook(own, receiver.url)
    const [first = 0, second] = await clients(2)
    await own.call('PATCH', `/v1/clients/${first}`, { body: { notes: 'Changed' } })
    await own.call('DELETE', `/v1/clients/${second}`)
    await stage.sendAll()
    expect(receiver.got.map(({ type, data }) => [type, data.record_id, data.version])).toEqual([
      ['clients.created', first, 1],
      ['clients.created', second, 1],
      ['clients.updated', first, 2],
      ['clients.deleted', second, 2],
    ])
    expect(new Set(receiver.got.map(({ id }) => id)).size).toBe(4)
    for (const got of receiver.got) {
      expect(verified(secret, got)).toMatchObject({ type: got.type, timestamp: got.data.at, data: { id: got.id } })
      expect(() => verified('whsec_c29tZWJvZHkgZWxzZSdzIHNlY3JldA==', got)).toThrow('No matching signature')
    }
    expect(receiver.got[2]?.data).toMatchObject({ changes: { notes: [null, 'Changed'] }, record: { id: first } })
  })

  test('is nothing from before, where a transaction holds the log up when the webhook is created', async () => {
    const before = await stage.inTransaction(async (transaction) => {
      await transaction.run({ text: 'select pg_current_xact_id()', values: [] })
      const id = await own.create('clients', { name: 'Before' })
      await stage.hook(own, receiver.url)
      return id
    })
    await own.call('PATCH', `/v1/clients/${before}`, { body: { notes: 'Changed' } })
    const [after] = await clients(1)
    await stage.sendAll()
    expect(receiver.got.map(({ type, data }) => [type, data.record_id])).toEqual([
      ['clients.updated', before],
      ['clients.created', after],
    ])
  })

  test('thin says what happened and no more', async () => {
    await stage.hook(own, receiver.url, { payload: 'thin' })
    const [id] = await clients(1)
    await stage.sendAll()
    const [{ data } = { data: {} }] = receiver.got
    expect(data).toMatchObject({ event: 'clients.created', record_id: id, version: 1 })
    expect(Object.keys(data)).not.toContain('record')
    expect(Object.keys(data)).not.toContain('changes')
  })

  test('is as the document describes it under `webhooks`: full, thin, a test, and each header', async () => {
    const sent = {
      change: await stage.hook(own, receiver.url),
      thinChange: await stage.hook(own, receiver.url, { payload: 'thin' }),
    }
    const [client] = await clients(1)
    await own.call('PATCH', `/v1/clients/${client}`, { body: { notes: 'Changed' } })
    await own.call('DELETE', `/v1/clients/${client}`)
    await stage.sendAll()
    await sendTest(stage.app, own.id, sent.change.id)
    expect(receiver.got).toHaveLength(7)
    for (const got of receiver.got) {
      const name = got.type === testEvent ? 'test' : 'record' in got.data ? 'change' : 'thinChange'
      const { requestBody, parameters } = document.webhooks[name].post
      expect(
        errorsOf(document, requestBody.content['application/json'].schema, JSON.parse(got.text)),
        got.text,
      ).toEqual([])
      for (const part of parameters) {
        const { name: header, schema } = resolved(document, part)
        expect(errorsOf(document, schema, got.headers[header]), header).toEqual([])
      }
    }
    const [, other] = receiver.got
    const { schema } = document.webhooks.test.post.requestBody.content['application/json']
    expect(errorsOf(document, schema, JSON.parse(other?.text ?? ''))).not.toEqual([])
  })

  test('is of the events that were chosen alone, and of this company alone', async () => {
    const { id } = await stage.hook(own, receiver.url, { events: ['clients.deleted'] })
    const other = await stage.company()
    await other.create('clients', { name: 'Theirs' })
    const [client] = await clients(1)
    await own.create('projects', { name: 'P' })
    await own.call('DELETE', `/v1/clients/${client}`)
    await stage.sendAll()
    expect(receiver.got.map(({ type }) => type)).toEqual(['clients.deleted'])
    expect(await attempts(id)).toHaveLength(1)
  })

  test('is what the add-ons of the company cover, and waits for the add-on api', async () => {
    await stage.hook(own, receiver.url)
    await own.create('subcontractors', { name: 'Severn' })
    const [client] = await clients(1)
    await own.set({ addOns: ['estimates'] })
    await stage.sendAll()
    expect(receiver.got).toEqual([])
    await own.set({ addOns: ['api'] })
    await stage.sendAll()
    expect(receiver.got.map(({ type, data }) => [type, data.record_id])).toEqual([['clients.created', client]])
  })

  test('comes once, however many processes look for what is due', async () => {
    await stage.hook(own, receiver.url)
    const ids = await clients(20)
    await Promise.all(Array.from({ length: 6 }, () => sendDue(stage.app)))
    await stage.sendAll()
    expect(records()).toEqual(ids)
  })

  test('more than one page of it, too', async () => {
    await stage.hook(own, receiver.url)
    await stage.inTransaction((transaction) =>
      transaction.run({
        text: `insert into history (company_id, door, records, record_id, action, version, epoch)
          select $1, 'api', 'clients', n, 'created', 1, (select max(epoch) from log_epochs) from generate_series(1, 250) n`,
        values: [own.id],
      }),
    )
    await stage.sendAll()
    expect(records()).toEqual(Array.from({ length: 250 }, (_, index) => index + 1))
  })
})

describe('What fails', () => {
  const rows: { why: string; how: Behaviour; kept: object }[] = [
    { why: 'answers 500', how: refuse, kept: { status: 500, failure: null } },
    { why: 'hangs', how: 'hang', kept: { status: null, failure: 'timeout' } },
    { why: 'closes', how: 'close', kept: { status: null, failure: 'connection' } },
    { why: 'leads elsewhere', how: { status: 307, headers: { Location: '/other' } }, kept: { status: 307 } },
    { why: 'is not there', how: { status: 404 }, kept: { status: 404 } },
  ]
  test.each(rows)('waits, where the receiver $why, and nothing overtakes it', async ({ how, kept }) => {
    const { id } = await stage.hook(own, receiver.url)
    const ids = await clients(3)
    // A connection that is kept and then closed would be tried once more, by another one.
    const last: Behaviour = { status: 204, headers: { Connection: 'close' } }
    receiver.behave((_, count) => (count === 1 ? how : last))
    await stage.sendAll()
    expect(records()).toEqual(ids.slice(0, 2))
    expect((await attempts(id)).at(-1)).toMatchObject(kept)
    stage.ahead(4)
    expect(await sendDue(stage.app)).toBe(0)
    stage.ahead(6)
    await stage.sendAll()
    expect(records()).toEqual([ids[0], ids[1], ids[1], ids[2]])
    // On every attempt the id is the same.
    expect(receiver.got[1]?.id).toBe(receiver.got[2]?.id)
    expect(await stage.state(id)).toMatchObject({ failing_since: null, next_attempt_at: null })
  })

  test('is tried after 5 s, 5 min, 30 min, 2 h, 5 h, and every 10 h from then on', async () => {
    await stage.hook(own, receiver.url)
    await clients(1)
    receiver.behave(() => refuse)
    let elapsed = 0
    for (const pause of [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000]) {
      if (pause > 0) {
        stage.ahead(elapsed + pause - 1)
        expect(await sendDue(stage.app)).toBe(0)
      }
      elapsed += pause + 1
      stage.ahead(elapsed)
      expect(await sendDue(stage.app)).toBe(1)
    }
    expect(receiver.got).toHaveLength(8)
  })

  const inTwoMinutes = () => new Date(Date.now() + 120_000).toUTCString()
  test.each([
    { status: 429, when: 'in seconds', header: () => '120' },
    { status: 503, when: 'in seconds', header: () => '120' },
    { status: 503, when: 'by a date', header: inTwoMinutes },
  ])('is asked again when a $status says so, $when', async ({ header, status }) => {
    await stage.hook(own, receiver.url, { ordered: false })
    const ids = await clients(1)
    receiver.behave((_, count) => (count === 0 ? { status, headers: { 'Retry-After': header() } } : ok))
    await stage.sendAll()
    ids.push(...(await clients(1)))
    stage.ahead(115)
    expect(await sendDue(stage.app)).toBe(0)
    stage.ahead(122)
    await stage.sendAll()
    expect(receiver.taken()).toHaveLength(2)
  })

  test('ends with 410, and goes on at the same event when it is enabled', async () => {
    const { id } = await stage.hook(own, receiver.url)
    const ids = await clients(3)
    receiver.behave((_, count) => (count === 1 ? { status: 410 } : ok))
    await stage.sendAll()
    expect(await stage.state(id)).toMatchObject({ disabled_because: 'gone' })
    stage.ahead(1000)
    expect(await sendDue(stage.app)).toBe(0)
    await stage.inTransaction((transaction) => enableOne(transaction, by(), id))
    await stage.sendAll()
    expect(records()).toEqual([ids[0], ids[1], ids[1], ids[2]])
  })

  test('is given up after five days in which nothing arrived, and nothing of it is lost', async () => {
    const { id } = await stage.hook(own, receiver.url)
    const ids = await clients(2)
    receiver.behave(() => refuse)
    const day = 24 * 3600
    for (const time of [0, day, 4.9 * day]) {
      stage.ahead(time)
      await sendDue(stage.app)
    }
    expect(await stage.state(id)).toMatchObject({ disabled_because: null })
    stage.ahead(5.5 * day)
    await sendDue(stage.app)
    expect(await stage.state(id)).toMatchObject({ disabled_because: 'failing' })
    const [note] = await stage.sql(
      "select * from history where records = 'webhook_endpoints' and record_id = $1 order by id desc limit 1",
      id,
    )
    expect(note).toMatchObject({ action: 'gave_up_failing', door: 'service', account_id: null })

    receiver.behave(() => ok)
    ids.push(...(await clients(1)))
    stage.ahead(60 * day)
    expect(await sendDue(stage.app)).toBe(0)
    await stage.inTransaction((transaction) => enableOne(transaction, by(), id))
    const before = receiver.got.length
    await stage.sendAll()
    expect(records().slice(before)).toEqual(ids)
  })

  test('holds nothing up where order does not matter, and what has arrived does not come again', async () => {
    const { id } = await stage.hook(own, receiver.url, { ordered: false })
    const ids = await clients(12)
    receiver.behave(({ data }) => (data.record_id === ids[3] ? refuse : ok))
    await stage.sendAll()
    stage.ahead(6)
    await stage.sendAll()
    ids.push(...(await clients(2)))
    stage.ahead(12)
    await stage.sendAll()
    expect(new Set(receiver.taken()).size).toBe(13)
    receiver.behave(() => ok)
    stage.ahead(400)
    await stage.sendAll()
    expect(receiver.taken()).toHaveLength(14)
    expect(new Set(receiver.taken()).size).toBe(14)
    expect(await stage.state(id)).toMatchObject({ failing_since: null, next_attempt_at: null })
  })

  test('of one company keeps no other waiting, and no connection to the database', async () => {
    const others = await Promise.all([stage.company(), stage.company()])
    const quick = await openReceiver()
    receiver.behave(() => 'hang')
    await stage.hook(own, receiver.url)
    for (const other of others) await stage.hook(other, quick.url)
    for (const one of [own, ...others]) await one.create('clients', { name: 'X' })
    await stage.visible()
    const begun = performance.now()
    let isOver = false
    const turns = sendDue(stage.app).finally(() => {
      isOver = true
    })
    while (quick.got.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    await eventually(async () => {
      const { total, idle, waiting } = stage.app.database.load()
      expect([total - idle, waiting]).toEqual([0, 0])
    })
    // The one that hangs is given up after 400 ms.
    expect(isOver).toBe(false)
    await turns
    expect(performance.now() - begun).toBeGreaterThan(390)
    await quick.close()
  })
})

describe('What somebody does', () => {
  test('a rotated secret signs beside the new one for a day, and no longer', async () => {
    const { id, secret } = await stage.hook(own, receiver.url)
    const { secret: next } = await stage.inTransaction((transaction) => rotateWebhook(transaction, by(), id))
    await clients(1)
    await stage.sendAll()
    for (const one of [secret, next]) expect(() => verified(one, receiver.got[0] as never)).not.toThrow()
    expect(receiver.got[0]?.headers['webhook-signature']?.split(' ')).toHaveLength(2)
    stage.ahead(24 * 3600 + 1)
    await clients(1)
    await stage.sendAll()
    expect(receiver.got[1]?.headers['webhook-signature']?.split(' ')).toHaveLength(1)
  })

  test('a replay sends the same events again from a moment on, under the same ids', async () => {
    const { id } = await stage.hook(own, receiver.url)
    await clients(2)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const moment = new Date()
    const ids = await clients(2)
    await stage.sendAll()
    const first = receiver.got.map((got) => got.id)
    await stage.inTransaction((transaction) => replayOne(transaction, by(), id, { from: moment, keptDays: 30 }))
    await stage.sendAll()
    expect(receiver.got.slice(4).map((got) => [got.id, got.data.record_id])).toEqual([
      [first[2], ids[0]],
      [first[3], ids[1]],
    ])
    await expect(
      stage.inTransaction((transaction) =>
        replayOne(transaction, by(), id, { from: new Date(Date.now() + 60_000), keptDays: 30 }),
      ),
    ).rejects.toThrow()
  })

  test('a replay is one at a time: another waits until all of it is sent, or the webhook is switched off', async () => {
    const moment = new Date(Date.now() - 60_000)
    await clients(3)
    // A new webhook has sent nothing, and its place is behind all that there is.
    const { id } = await stage.hook(own, receiver.url)
    const replay = (from = moment) =>
      stage.inTransaction((transaction) => replayOne(transaction, by(), id, { from, keptDays: 30 }))
    expect(await replay()).toMatchObject({ is_replaying: true })
    await expect(replay()).rejects.toMatchObject({ code: 'replay_active' })
    receiver.behave((_, count) => (count === 1 ? refuse : ok))
    await stage.sendAll()
    await expect(replay()).rejects.toMatchObject({ code: 'replay_active' })
    stage.ahead(10)
    await stage.sendAll()
    expect(receiver.taken()).toHaveLength(3)

    expect(await replay()).toMatchObject({ is_replaying: true })
    await stage.inTransaction((transaction) => disableOne(transaction, by(), id))
    expect(await replay(new Date(Date.now() - 30_000))).toMatchObject({ is_replaying: true, disabled_at: null })
    await expect(replay()).rejects.toMatchObject({ code: 'replay_active' })
    await stage.sendAll()
    expect(receiver.taken()).toHaveLength(6)
    const two = await Promise.allSettled([replay(), replay()])
    expect(two.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('a replay begins no earlier than changes are told', async () => {
    const { id } = await stage.hook(own, receiver.url)
    const replay = (days: number) =>
      stage.inTransaction((transaction) =>
        replayOne(transaction, by(), id, { from: new Date(Date.now() - days * 24 * 3_600_000), keptDays: 7 }),
      )
    await expect(replay(7.01)).rejects.toMatchObject({
      code: 'validation_failed',
      particulars: { errors: [{ field: 'from', code: 'out_of_range' }] },
    })
    await replay(6.99)
  })

  test('a test and an event that is sent again by hand count for nothing and move nothing on', async () => {
    const { id, secret } = await stage.hook(own, receiver.url)
    await clients(2)
    receiver.behave(() => refuse)
    await stage.sendAll()
    const failing = await stage.state(id)
    const [failed] = await attempts(id)
    const companyId = own.id
    receiver.behave(() => ({ status: 200, body: 'thanks' }))
    expect(await sendAgain(stage.app, companyId, failed?.id as number)).toMatchObject({
      event_id: failed?.event_id,
      by_hand: true,
      arrived: true,
      request_is: 'same',
      answer_body: null,
    })
    const tested = await sendTest(stage.app, companyId, id)
    expect(tested).toMatchObject({ event: 'webhooks.test', arrived: true })
    expect(verified(secret, receiver.got.at(-1) as never)).toMatchObject({ type: 'webhooks.test' })
    expect(await stage.state(id)).toEqual(failing)
    // A test that is sent again is another test.
    expect((await sendAgain(stage.app, companyId, tested.id)).event_id).not.toBe(tested.event_id)
    const stranger = await stage.company()
    await expect(sendAgain(stage.app, stranger.id, tested.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('disabled, it waits; enabled, it goes on; removed, it is gone, and so are its secrets', async () => {
    const { id } = await stage.hook(own, receiver.url)
    await stage.inTransaction((transaction) => disableOne(transaction, by(), id))
    const ids = await clients(2)
    await stage.sendAll()
    expect(receiver.got).toEqual([])
    await stage.inTransaction((transaction) => enableOne(transaction, by(), id))
    await stage.sendAll()
    expect(records()).toEqual(ids)
    await stage.inTransaction((transaction) => removeWebhook(transaction, by(), id))
    await clients(1)
    await stage.sendAll()
    expect(receiver.got).toHaveLength(2)
    expect(await stage.sql('select sealed, previous_sealed from webhook_endpoints where id = $1', id)).toEqual([
      { sealed: null, previous_sealed: null },
    ])
    await expect(stage.inTransaction((transaction) => enableOne(transaction, by(), id))).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('another address is tried at once, and what was under way for the former one keeps nothing', async () => {
    const { id } = await stage.hook(own, receiver.url)
    const ids = await clients(2)
    const other = await openReceiver()
    receiver.behave(() => 'hang')
    const turn = sendDue(stage.app)
    while (receiver.got.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await stage.inTransaction((transaction) => changeWebhook(transaction, by(), id, { url: other.url }))
    await turn
    await stage.sendAll()
    expect(other.got.map(({ data }) => data.record_id)).toEqual(ids)
    expect(await stage.state(id)).toMatchObject({ failing_since: null })
    await other.close()
  })

  test('the keys may change: both secrets of a webhook are sealed anew', async () => {
    const { id, secret } = await stage.hook(own, receiver.url)
    const { secret: next } = await stage.inTransaction((transaction) => rotateWebhook(transaction, by(), id))
    const former = await stage.app.secret.current()
    const keys = {
      current: async () => 'another key, which is long enough too',
      all: async (): Promise<[string, string]> => ['another key, which is long enough too', former],
    }
    const change = { begin: async () => undefined, end: async () => undefined }
    expect((await rotateKeys(stage.app.database, keys, change))?.unopened).toBe(0)
    const alone = { current: keys.current, all: async (): Promise<[string]> => [await keys.current()] }
    const open = { companyId: own.id, id, now: new Date() }
    expect(await stage.inTransaction((transaction) => openSecrets(transaction, alone, open))).toEqual([next, secret])
    await rotateKeys(
      stage.app.database,
      { current: stage.app.secret.current, all: async () => [former, await keys.current()] },
      change,
    )
  })
})

describe('What cannot be kept', () => {
  test('ends the turn when what is under way has been answered, and is no failure of the receiver', async () => {
    const { id } = await stage.hook(own, receiver.url, { ordered: false })
    await clients(8)
    const broken = new Error('the database is away')
    let isAway = false
    const { promise: isBroken, resolve: breaks } = Promise.withResolvers<void>()
    const { database } = stage.app
    const transaction: typeof database.transaction = async (work) => {
      if (!isAway) return database.transaction(work)
      isAway = false
      breaks()
      throw broken
    }
    receiver.behave(async (_, count) => {
      if (count === 0) isAway = true
      // Three deliveries are in the middle when the first cannot be kept.
      else await isBroken
      return ok
    })
    await stage.visible()
    await expect(sendDue({ ...stage.app, database: { ...database, transaction } })).rejects.toBe(broken)
    expect(receiver.taken()).toHaveLength(4)
    expect((await attempts(id)).map(({ status }) => status)).toEqual([204, 204, 204])
    expect(await stage.state(id)).toMatchObject({ failing_since: null, next_attempt_at: null })

    await stage.sql('update webhook_endpoints set claim = null, claimed_until = null where id = $1', id)
    receiver.behave(() => ok)
    await stage.sendAll()
    expect(new Set(receiver.taken()).size).toBe(8)
  })
})

describe('Between processes', () => {
  test('an endpoint whose sender was killed is another’s when the claim has ended, and not before', async () => {
    const { id } = await stage.hook(own, receiver.url)
    const ids = await clients(2)
    const claimed = (until: string) =>
      stage.sql(
        `update webhook_endpoints set claim = gen_random_uuid(), claimed_until = now() + interval '${until}' where id = $1`,
        id,
      )
    await claimed('1 minute')
    expect(await sendDue(stage.app)).toBe(0)
    await claimed('-1 second')
    await stage.sendAll()
    expect(records()).toEqual(ids)
    expect((await stage.state(id)).claim).toBeNull()
  })

  test('where the log begins anew, sending goes on, and somebody is told', async () => {
    const { id } = await stage.hook(own, receiver.url)
    const ids = await clients(1)
    await stage.sql('insert into log_epochs (epoch, identity) select max(epoch) + 1, max(identity) from log_epochs')
    ids.push(...(await clients(1)))
    await stage.sendAll()
    expect(records()).toEqual(ids)
    expect((await stage.state(id)).resync_since).not.toBeNull()
    await stage.inTransaction((transaction) => enableOne(transaction, by(), id))
    expect((await stage.state(id)).resync_since).toBeNull()
  })
})
